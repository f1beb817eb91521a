"""Train a metric on people's ratings: of files, without a database, or of campaigns."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.evaluation.inputs import AUTO
from analysis.evaluation.set_inputs import Source
from analysis.learning.folder import refuse_taken
from analysis.learning.kinds import KINDS, LAYERS, RATE, Lesson
from analysis.learning.language_models import (
    Paraphrases,
    back_translations,
    read_paraphrases,
    together,
)
from analysis.learning.left_out import (
    LeftOut,
    leave_one_out,
    signature_of,
    table_files,
    text_table,
    verdict,
)
from analysis.learning.predictions import PREDICTIONS, read_predictions
from analysis.learning.rated import RatedSet, read_rated
from analysis.learning.schooling import PAPERS, Schooling, learn_image_text
from analysis.learning.training import Learner, with_features
from analysis.management.commands.correlate import shift_of
from analysis.management.commands.make_distractors import (
    add_concepts,
    known_concepts,
    positive,
)
from analysis.management.scoring_options import ANYWAY, add_config, config_of, model_of
from analysis.metrics.artifacts import Artifact
from analysis.metrics.batch import VideoFile
from analysis.metrics.encoding.models import DemoModelRefused
from analysis.metrics.files import find_videos
from analysis.metrics.learned.features import METRICS
from analysis.results.folder import ResultFolder
from analysis.selectors.rated_captions import campaign_rated
from analysis.services.snapshots import snapshot_refresh
from hits.models import Campaign

BAD_INPUT: Final = 2
EXTRA_WEIGHT: Final = 0.25
SEED: Final = 7
STEPS_TOLD: Final = 50
TABLE_FILES: Final = ("sets.csv", "recipes.csv", PREDICTIONS, "signature.txt")


class Command(BaseCommand):
    help = "Train a metric on people's ratings; `score --learned` and `correlate --learned` use it."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
        for name, kind in KINDS.items():
            text = kinds.add_parser(name, help=kind.summary)
            add_ratings(text)
            add_table(text)
            if name == "head":
                text.add_argument(
                    "--recipe",
                    dest="recipes",
                    action="append",
                    default=[],
                    help="one of those to choose from, as the card names it; all by default",
                )
            if name == "bertha":
                add_tuning(text)
            add_config(text)
        for name, paper in PAPERS.items():
            vision = kinds.add_parser(name, help=f"an image-text model, fine-tuned as {name} is")
            add_ratings(vision)
            add_schooling(vision, paper)
            if name == "factvc":
                add_paraphrases(vision)
                add_concepts(vision)
            add_config(vision)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._learn(options)
        except (ValueError, OSError) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error

    def _learn(self, options: Mapping[str, Any]) -> None:
        if options["kind"] in PAPERS:
            self._school(options)
            return
        if not options["leave_one_out"]:
            refuse_taken(options["out"])
        context = config_of(options, METRICS).context()
        kind = KINDS[options["kind"]](context, self._lesson(options))
        sets = with_features(self._read(options), context, self._progress, kind.own)
        if options["leave_one_out"]:
            self._table(sets, options, kind.learner())
        else:
            self._told(kind.save(kind.train(sets), sets), options["out"])

    def _lesson(self, options: Mapping[str, Any]) -> Lesson:
        tuning = ("backbone", "epochs", "layers", "rate", "minutes", "pairs")
        return Lesson(
            name=options["name"] or options["kind"],
            seed=options["seed"],
            out=options["out"],
            told=self._steps,
            progress=self._progress,
            recipes=tuple(options.get("recipes", ())),
            **{name: options[name] for name in tuning if name in options},
        )

    def _school(self, options: Mapping[str, Any]) -> None:
        refuse_taken(options["out"])
        model, schooling = model_of(options), schooling_of(options)
        if model.is_demo and not options["anyway"]:
            raise DemoModelRefused(ANYWAY)
        sets = self._read(options)
        videos = [video for rated in sets for video in rated.batch.videos]
        found = learn_image_text(
            options["kind"],
            sets,
            {
                name: VideoFile.of(path)
                for name, path in find_videos(options["videos"], videos).items()
            },
            model,
            schooling,
            seed=options["seed"],
            out=options["out"],
            paraphrases=paraphrases_of(options, sets),
            concepts=known_concepts(options) if options["kind"] == "factvc" else None,
            told=self._steps,
        )
        for fault in found.unreadable:
            self.stderr.write(self.style.WARNING(fault))
        self.stdout.write("\n".join([*found.table, ""]))
        self.stdout.write(
            f"Kendall's τ-c with people on videos used for neither training nor stopping: "
            f"{found.before:.4f} before, {found.after:.4f} after; score … --model {options['out']}"
        )

    def _read(self, options: Mapping[str, Any]) -> list[RatedSet]:
        """Every set, so that all that is wrong with them is said at once."""
        sets, faults = [], []
        how = {"score": options["scores"], "shift": options["shift"]}
        for source, own in sources_of(options):
            try:
                sets.append(read_rated(source, **how, **own))
                for note in sets[-1].notes:
                    self.stderr.write(f"set {source.name}: {note}")
            except ValueError as error:
                faults.append(str(error))
        for slug in options["campaigns"]:
            try:
                sets.append(_campaign(slug, options["seed"]))
            except ValueError as error:
                faults.append(f"campaign {slug}: {error}")
        if not sets and not faults:
            faults.append("name ratings to learn from: --set NAME=FOLDER, or --campaign NAME")
        if faults:
            raise ValueError("\n".join([*faults, "Nothing was written."]))
        return sets

    def _table(self, sets: list[RatedSet], options: Mapping[str, Any], learner: Learner) -> None:
        name = options["name"] or options["kind"]
        beside = read_predictions(options["beside"])
        if name in beside:
            raise ValueError(f"{name} is the metric of a table beside it: choose another --name")
        found = leave_one_out(sets, name, learner, self._left_out, beside)
        signature = signature_of(sets, name, options["seed"])
        with ResultFolder(options["out"], TABLE_FILES) as folder:
            for file, content in table_files(found, signature).items():
                (folder / file).write_bytes(content)
        self.stdout.write("\n".join(["", *text_table(found), "", verdict(found)]))

    def _left_out(self, found: LeftOut) -> None:
        self.stderr.write(
            f"{found.name} left out: {found.trained:,} captions learned from, {found.dropped:,} "
            f"dropped because their text or video is held out; r {found.r(found.learned):.3f}"
        )
        if found.by is not None and found.by.chosen:
            self.stderr.write(f"  chosen without it: {found.by.chosen}")

    def _told(self, artifact: Artifact, out: Path) -> None:
        self.stdout.write((out / "README.md").read_text(encoding="utf-8"))
        self.stdout.write(f"{artifact.name} is in {out}: score … --learned {out}")

    def _steps(self, step: int, steps: int, loss: float) -> None:
        if step % STEPS_TOLD == 0 or step == steps:
            self.stderr.write(f"step {step} of {steps}: loss {loss:.3f}")

    def _progress(self, what: str, done: int, total: int) -> None:
        self.stderr.write(f"{what}: {done} of {total}")


def _campaign(slug: str, seed: int) -> RatedSet:
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        raise ValueError("there is none of that name")
    return campaign_rated(campaign, snapshot_refresh(campaign=campaign).read(), seed=seed)


def add_tuning(parser: argparse.ArgumentParser) -> None:
    """How a model is fine-tuned."""
    parser.add_argument(
        "--backbone", type=Path, help="folder of a BERT-like model; by default the MiniLM installed"
    )
    parser.add_argument("--epochs", type=positive, default=1, help="passes over the ratings")
    parser.add_argument(
        "--layers", type=positive, default=LAYERS, help="number of last layers to train"
    )
    parser.add_argument("--rate", type=positive_number, default=RATE, help="how fast they do")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="stop fine-tuning after this many"
    )
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="read caption and reference in one sequence, without text metrics, as in the paper",
    )


def add_ratings(parser: argparse.ArgumentParser) -> None:
    """What is learned from, and where the result goes."""
    parser.add_argument(
        "--set",
        dest="sets",
        type=source,
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="rated captions: a TRECVID folder, or NAME=HUMAN,CAPTIONS,REFERENCES for files",
    )
    parser.add_argument(
        "--campaign",
        dest="campaigns",
        action="append",
        default=[],
        metavar="NAME",
        help="a rated campaign of the platform, as its address names it",
    )
    parser.add_argument(
        "--extra",
        type=source,
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="additional training data with less weight, such as captions rated by one person "
        "each; "
        "held out together with the set of its name",
    )
    parser.add_argument("--extra-weight", type=float, default=EXTRA_WEIGHT)
    parser.add_argument(
        "--whole",
        type=source,
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="where the systems of a set are complete, as in `correlate --whole`",
    )
    parser.add_argument("--scores", default="z", help="the column of people's scores")
    parser.add_argument("--shift", type=shift_of, help=f"of video numbers; {AUTO} finds it")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--name", default="", help="of the metric in tables")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")


def add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--leave-one-out",
        action="store_true",
        help="keep no metric: leave each set out in turn and write the table",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="TABLE",
        help="folder of an earlier table of the same sets, whose metric this one is held against",
    )


def add_schooling(parser: argparse.ArgumentParser, paper: Schooling) -> None:
    """How an image-text model is fine-tuned, by default as its paper has it."""
    parser.add_argument("--videos", type=Path, required=True, help="folder of the video files")
    for name, value in asdict(paper).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=_type(value), default=value)


def add_paraphrases(parser: argparse.ArgumentParser) -> None:
    """Texts that stay true, beside those made by rule."""
    parser.add_argument("--paraphrases", type=Path, help="a file caption,paraphrase")
    parser.add_argument(
        "--translate",
        type=Path,
        nargs=2,
        action="append",
        default=[],
        metavar=("THERE", "BACK"),
        help="folders of two translation models: references are translated into another language "
        "and back",
    )


def paraphrases_of(options: Mapping[str, Any], sets: Sequence[RatedSet]) -> Paraphrases:
    told = [read_paraphrases(options["paraphrases"])] if options.get("paraphrases") else []
    texts = {text for one in sets for said in one.batch.references.values() for text in said}
    return together(
        [*told, *(back_translations(texts, *two) for two in options.get("translate", ()))]
    )


def _type(value: object) -> Callable[[str], object]:
    if value is None:  # a number that the model or the paper brings otherwise
        return float
    return positive if isinstance(value, int) else type(value)


def schooling_of(options: Mapping[str, Any]) -> Schooling:
    return Schooling(**{each.name: options[each.name] for each in fields(Schooling)})


def positive_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number above 0")
    return number


def source(text: str) -> Source:
    try:
        return Source.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def sources_of(options: Mapping[str, Any]) -> list[tuple[Source, dict[str, Any]]]:
    """Sets, with the folder that tells their missing lines, then extra ones, which count less."""
    whole = {given.name: given.human for given in options["whole"]}
    if not 0 < options["extra_weight"] < 1:
        raise ValueError(f"--extra-weight must lie between 0 and 1, not {options['extra_weight']}")
    sets = [(given, {"whole": whole.get(given.name)}) for given in options["sets"]]
    return [*sets, *((given, {"weight": options["extra_weight"]}) for given in options["extra"])]
