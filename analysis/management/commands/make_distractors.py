"""Captions that are wrong in a known way, from references: foils, or captions of other videos."""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.evaluation.robustness.foils import FoilPair
from analysis.learning.distractors import (
    Concepts,
    Floats,
    NgramModel,
    adversarial_matching,
    concept_foils,
    first_captions,
    lexicon_concepts,
    shares,
    wordnet_concepts,
)
from analysis.learning.language_models import CausalModel, read_paraphrases
from analysis.learning.transformations import NEGATIVE, make_triples
from analysis.management.scoring_options import add_config, config_of
from analysis.metrics.batch import VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import IMAGE_TEXT, Encoder
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel
from analysis.metrics.files import find_videos, read_references
from analysis.metrics.matching import video_vector
from analysis.metrics.settings import Settings
from analysis.metrics.vision import sentences
from daplatform.tables import Faults
from daplatform.tables.formulas import defused

BAD_INPUT = 2
SEED = 7
CAPTIONS = ("video", "system", "caption")


class Command(BaseCommand):
    help = "Make captions that are wrong in a known way: `foils`, or `captions` of other videos."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
        foils = kinds.add_parser("foils", help="one concept swapped for another of its kind")
        add_concepts(foils)
        foils.add_argument("--most", type=positive, default=1, help="foils of each video")
        foils.add_argument(
            "--captions", type=Path, help="the same as captions of a campaign: TRUE_1, FOIL_1, …"
        )
        foils.add_argument("--fewest", type=int, default=3, help="times a concept must occur")
        foils.add_argument("--random", action="store_true", help="any, not the one that reads best")
        foils.add_argument(
            "--language-model",
            type=Path,
            help="folder of a causal model that judges what reads best; by default three words in "
            "a "
            "row, counted in the references",
        )
        foils.add_argument("--seed", type=int, default=SEED)
        foils.add_argument("--json", type=Path, help="the same as COCO-like JSON")
        errors = kinds.add_parser("errors", help="errors by rule, with their kind and place")
        add_concepts(errors)
        errors.add_argument("--kinds", default="", help=f"by default {','.join(NEGATIVE)}")
        errors.add_argument("--paraphrases", type=Path, help="texts that stay true: a file "
                            "caption,paraphrase")  # fmt: skip
        errors.add_argument("--seed", type=int, default=SEED)
        others = kinds.add_parser("captions", help="captions of other videos, by matching")
        others.add_argument("--rounds", type=int, default=3, help="wrong captions of each video")
        others.add_argument(
            "--foils", type=Path, help="the same as pairs for correlate --foils: video,true,foil"
        )
        others.add_argument("--weight", type=float, default=1.0, help="weight of dissimilarity (λ)")
        others.add_argument("--videos", type=Path, help="folder: relevance by the image-text model")
        add_config(others)
        for sub in (foils, errors, others):
            sub.add_argument("references", type=Path, help="video,source,caption")
            sub.add_argument("--out", type=Path, required=True, help="the file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            faults = Faults()
            references = read_references(options["references"], faults)
            faults.refuse()
            makers = {"foils": self._foils, "errors": self._errors, "captions": self._captions}
            self.stdout.write(makers[options["kind"]](references, options))
        except (ValueError, OSError) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error

    def _foils(
        self, references: Mapping[str, Mapping[str, str]], options: Mapping[str, Any]
    ) -> str:
        texts = [text for named in references.values() for text in named.values()]
        concepts = Concepts.of(known_concepts(options), texts, fewest=options["fewest"])
        rng = np.random.default_rng(options["seed"]) if options["random"] else None
        folder = options["language_model"]
        reader = CausalModel(folder) if folder else NgramModel.of(texts)
        pairs = concept_foils(references, concepts, reader, rng, options["most"])
        if not pairs:
            raise ValueError(
                "no word of these captions can be swapped: name more concepts, or a lower --fewest"
            )
        rows = [(pair.video, pair.true, pair.foil, pair.category, pair.sentence) for pair in pairs]
        write_table(options["out"], ("video", "true", "foil", "category", "sentence"), rows)
        if options["json"]:
            names = ("image_id", "caption", "foil", "category", "sentence")
            told = [dict(zip(names, row, strict=True)) for row in rows]
            options["json"].write_text(json.dumps({"annotations": told}, indent=1) + "\n", "utf-8")
        if options["captions"]:
            write_table(options["captions"], CAPTIONS, as_captions(pairs))
        return (
            f"{len(pairs):,} foils of {len(references):,} videos, by {len(concepts.category):,} "
            f"concepts: correlate … --foils {options['out']}"
        )

    def _errors(
        self, references: Mapping[str, Mapping[str, str]], options: Mapping[str, Any]
    ) -> str:
        kinds = [kind.strip() for kind in options["kinds"].split(",") if kind.strip()]
        if unknown := [kind for kind in kinds if kind not in NEGATIVE]:
            raise ValueError(f"there is no kind {unknown[0]!r}, only: {', '.join(NEGATIVE)}")
        named = known_concepts(options)
        path = options["paraphrases"]
        triples = make_triples(
            {video: list(own.values()) for video, own in references.items()},
            np.random.default_rng(options["seed"]),
            paraphrases=read_paraphrases(path) if path else {},
            concepts=named,
        )
        rows = [
            (one.video, one.true, one.false.text, one.false.kind, one.false.start, one.false.end)
            for one in triples
            if not kinds or one.false.kind in kinds
        ]
        if not rows:
            raise ValueError("these captions have no word for an error of these kinds")
        write_table(options["out"], ("video", "true", "foil", "category", "start", "end"), rows)
        return (
            f"{len(rows):,} captions with one error each, of {len(references):,} videos: "
            f"correlate … --foils {options['out']}"
        )

    def _captions(
        self, references: Mapping[str, Mapping[str, str]], options: Mapping[str, Any]
    ) -> str:
        videos, captions = first_captions(references)
        needed = ["sts", "clip_mean"] if options["videos"] else ["sts"]
        context = config_of(options, needed).context()
        similarity = caption_likeness(captions, context)
        if options["videos"]:
            relevance = video_relevance(videos, captions, options["videos"], context)
        else:
            relevance = told_relevance(references, captions, context)
        matched = adversarial_matching(
            relevance, similarity, rounds=options["rounds"], weight=options["weight"]
        )
        rows = [
            (video, f"AM_{number}", captions[other])
            for number, columns in enumerate(matched, start=1)
            for video, other in zip(videos, columns.tolist(), strict=True)
        ]
        write_table(options["out"], CAPTIONS, rows)
        if options["foils"]:
            own = dict(zip(videos, captions, strict=True))
            pairs = [(video, own[video], wrong, system) for video, system, wrong in rows]
            write_table(options["foils"], ("video", "true", "foil", "category"), pairs)
        return f"{len(rows):,} captions of other videos for {len(videos):,} videos"


def as_captions(pairs: Sequence[FoilPair]) -> list[tuple[str, str, str]]:
    """Each pair as captions of two systems: a video's second pair is of other two."""
    rows, counts = [], Counter[str]()
    for pair in pairs:
        counts[pair.video] += 1
        number = counts[pair.video]
        rows.append((pair.video, f"TRUE_{number}", pair.true))
        rows.append((pair.video, f"FOIL_{number}", pair.foil))
    return rows


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number above 0")
    return int(text)


def add_concepts(parser: argparse.ArgumentParser) -> None:
    """Where the super-categories of nouns come from."""
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--wordnet", type=Path, help="folder of index.noun and data.noun")
    known.add_argument("--concepts", type=Path, help="a file word,category")


def known_concepts(options: Mapping[str, Any]) -> dict[str, str]:
    if options["wordnet"]:
        return wordnet_concepts(options["wordnet"])
    if options["concepts"]:
        with options["concepts"].open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        if not rows or not {"word", "category"} <= set(rows[0]):
            raise ValueError(f"{options['concepts']}: name the columns word and category")
        return {row["word"].lower(): row["category"] for row in rows}
    return lexicon_concepts()


def caption_likeness(captions: Sequence[str], context: ScoringContext) -> Floats:
    model: SentenceModel = context.resource(SENTENCE.name)
    model.texts().embed(list(dict.fromkeys(captions)))
    vectors = sentences(model.texts(), captions).astype(np.float64)
    return shares(vectors @ vectors.T)


def told_relevance(
    references: Mapping[str, Mapping[str, str]], captions: Sequence[str], context: ScoringContext
) -> Floats:
    """Without videos: the likeness of a caption with what else is said of the video."""
    model: SentenceModel = context.resource(SENTENCE.name)
    told = [list(named.values()) for named in references.values()]
    model.texts().embed(list(dict.fromkeys(text for own in told for text in own)))
    own = sentences(model.texts(), captions).astype(np.float64)
    means = np.stack(
        [sentences(model.texts(), (texts[1:] or texts)).mean(axis=0) for texts in told]
    ).astype(np.float64)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return shares(means @ own.T)


def video_relevance(
    videos: Sequence[str], captions: Sequence[str], folder: Path, context: ScoringContext
) -> Floats:
    """The image–text model's cosine of every video with every caption."""
    found = find_videos(folder, videos)
    missing = [video for video in videos if video not in found]
    if missing:
        raise ValueError(f"{folder} holds no file of {missing[0]}")
    files = {video: VideoFile.of(path) for video, path in found.items()}
    encoder: Encoder = context.resource(IMAGE_TEXT.name)
    encoder.texts.embed(list(dict.fromkeys(captions)))
    frames = encoder.frames(Settings().frames)
    faults = frames.embed(files)
    if faults or frames.fault:
        told = [frames.fault, *(f"{video}: {why}" for video, why in faults.items())]
        raise ValueError("; ".join(text for text in told if text))
    seen = np.stack(
        [video_vector(np.asarray(frames[files[video]].vectors, np.float32)) for video in videos]
    )
    return shares(seen.astype(np.float64) @ sentences(encoder.texts, captions).T)


def write_table(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([defused(str(cell)) for cell in row] for row in rows)
