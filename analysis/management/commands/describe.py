"""Describe the data of a campaign or a folder, as a paper does before it uses it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from numpy.typing import NDArray

from analysis.evaluation import trecvid
from analysis.evaluation.captions import CaptionSet, read_captions
from analysis.evaluation.files import table
from analysis.evaluation.human import read_human
from analysis.evaluation.robustness.drifting import quality_levels
from analysis.evaluation.scoring import Scorer
from analysis.management.collections import campaign_named, campaign_ratings
from analysis.management.commands.analyse import sentence, unchecked
from analysis.management.scoring_options import add_config, config_of
from analysis.metrics.batch import Batch
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.sentences import number
from analysis.reading import RatingsFile, read_ratings
from analysis.results import describing
from analysis.results.describing import Row, Texts
from analysis.results.findings.annotators import checked, quality_sentence
from analysis.results.folder import ResultFolder
from analysis.results.pipeline import Analysis, analyse, counts
from analysis.results.registry import Context
from analysis.results.settings import Settings

if TYPE_CHECKING:
    from hits.models import Campaign

TABLES = {
    "texts": describing.TEXTS,
    "similarity": describing.SIMILARITY,
    "similarity_curves": describing.CURVES,
    "people": describing.PEOPLE,
    "stability": describing.STABILITY,
    "distribution": describing.DISTRIBUTION,
    "levels": describing.LEVELS,
    "cost": ("what", "total", "systems", "per_system", "currency"),
}
RATINGS = ("ratings.csv", "ratings.parquet")


@dataclass
class Data:
    """What there is to describe."""

    systems: Mapping[str, Texts] = field(default_factory=dict)
    references: Mapping[str, Texts] = field(default_factory=dict)
    ratings: RatingsFile | None = None
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """z scores of captions by system, where the data holds them and no ratings."""
    cost: list[Row] = field(default_factory=list)


class Command(BaseCommand):
    help = "Describe captions, references, people and scores of a campaign or a folder."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "data",
            help="a folder with captions.csv, references.csv and ratings.csv, as far as there are "
            "any; a TRECVID folder; a file of ratings; or a campaign as its address has it",
        )
        parser.add_argument("--out", type=Path, help="a folder for the tables")
        parser.add_argument(
            "--format", choices=table_formats(), default="csv", help="of the tables"
        )
        parser.add_argument(
            "--similarity", default="rougel", help="the metric by which captions are alike"
        )
        parser.add_argument("--whole", type=Path, help="as in `correlate --whole`")
        parser.add_argument("--draws", type=int, default=100, help="of the stability curve")
        parser.add_argument("--seed", type=int, default=Settings().seed)
        add_config(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found, said = described(data_named(options["data"], options["whole"]), options)
            if options["out"]:
                write(options["out"], found, options["format"])
        except (OSError, ValueError) as error:
            raise CommandError(f"{sentence(error)}\nNothing was written.", returncode=2) from None
        for line in said:
            self.stdout.write(line)
        if options["out"]:
            self.stdout.write(f"Written to {options['out']}.")


def data_named(text: str, whole: Path | None) -> Data:
    path = Path(text)
    if trecvid.is_trecvid(path):
        return _of_trecvid(path, whole)
    if path.is_dir():
        return _of_folder(path)
    if path.exists() or path.suffix:
        return Data(ratings=read_ratings(path))
    return _of_campaign(campaign_named(text))


def _of_trecvid(folder: Path, whole: Path | None) -> Data:
    captions = trecvid.read_captions(folder, whole)
    people = read_human(folder).table.frame
    of = people.index.get_level_values("system")
    scores = {name: people["z"][of == name].dropna().to_numpy() for name in sorted(set(of))}
    return Data(*_sources(captions), scores=scores)


def _of_folder(folder: Path) -> Data:
    captions, references = folder / "captions.csv", folder / "references.csv"
    ratings = next((folder / name for name in RATINGS if (folder / name).is_file()), None)
    if not captions.is_file() and ratings is None:
        raise ValueError(f"{folder}: there is neither captions.csv nor ratings.csv")
    data = Data(ratings=read_ratings(ratings) if ratings else None)
    if captions.is_file():
        told = references if references.is_file() else None
        data.systems, data.references = _sources(read_captions([captions], told))
    return data


def _sources(captions: CaptionSet) -> tuple[dict[str, Texts], dict[str, Texts]]:
    systems: dict[str, dict[str, str]] = {}
    for video, system, text in zip(captions.videos, captions.systems, captions.texts, strict=True):
        systems.setdefault(system, {})[video] = text
    references = {
        source: {
            video: said[source] for video, said in captions.references.items() if source in said
        }
        for source in captions.sources
    }
    return dict(systems), dict(references)


def _of_campaign(campaign: Campaign) -> Data:
    from crowds.selectors.money import campaign_currency, campaign_sums
    from hits.models import Caption, System
    from hits.selectors import campaign_plan, campaign_systems

    rows = Caption.objects.filter(system__campaign=campaign, retired_at=None).values_list(
        "system__role", "system__name", "video__name", "text"
    )
    data = Data()
    systems: dict[str, dict[str, str]] = {}
    references: dict[str, dict[str, str]] = {}
    for role, name, video, text in rows.order_by("pk").iterator():
        kept = references if role == System.Role.REFERENCE else systems
        kept.setdefault(name, {})[video] = text
    data.systems, data.references = systems, references
    try:
        data.ratings = campaign_ratings(campaign)
    except ValueError:  # nobody has rated yet
        data.ratings = None
    plan = campaign_plan(campaign, campaign_systems(campaign))
    currency, count = campaign_currency(campaign), max(len(systems), 1)
    totals = {"planned": plan.cost.total if plan else 0, "spent": campaign_sums(campaign).spent}
    data.cost = [
        {"what": what, "total": float(total), "systems": len(systems),
         "per_system": float(total) / count, "currency": currency}
        for what, total in totals.items()
    ]  # fmt: skip
    return data


def described(data: Data, options: Mapping[str, Any]) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of every table, and what they say in a few lines."""
    found: dict[str, list[Row]] = {name: [] for name in TABLES}
    said: list[str] = []
    _texts(data, found, said, options)
    scores = dict(data.scores)
    if data.ratings is not None:
        file, settings = unchecked(data.ratings, Settings(draws=1, seed=options["seed"]))
        analysis = analyse(file.ratings, settings, file.evidence)
        scores = _people(analysis, found, said, options)
    if scores:
        every = np.concatenate(list(scores.values()))
        found["distribution"] = describing.distribution_rows(scores)
        found["levels"] = describing.level_rows(quality_levels(every))
        said.append(f"Caption scores: {len(every):,}, mean z {number(float(every.mean()), 3)}.")
    found["cost"] = data.cost
    said += [
        f"Cost {row['what']}: {row['total']:.2f} {row['currency']}, {row['per_system']:.2f} for "
        f"each of {row['systems']} systems."
        for row in data.cost
    ]
    return found, said


def _texts(
    data: Data, found: dict[str, list[Row]], said: list[str], options: Mapping[str, Any]
) -> None:
    metric = options["similarity"]
    scorer = Scorer([metric], config_of(options, [metric]).context())

    def similarity(one: Texts, other: Texts) -> NDArray[np.float64]:
        videos = [video for video in one if video in other]
        told = {video: [other[video]] for video in videos}
        batch = Batch([one[video] for video in videos], videos, told, told, {})
        return np.asarray(scorer.batch(batch).values[metric], np.float64)

    for role, sources in (("system", data.systems), ("reference", data.references)):
        rows = describing.text_rows(role, sources) if sources else []
        found["texts"] += rows
        said += [
            f"{row['source']} ({role}): {row['captions']:,} captions, "
            f"{number(row['words_mean'], 1)} words each, {row['vocabulary']:,} different words, "
            f"{row['duplicates']:,} texts said again."
            for row in rows
        ]
        alike, curves = describing.similarity_rows(role, sources, similarity)
        found["similarity"] += alike
        found["similarity_curves"] += curves
        said += [
            f"{row['first']} and {row['second']} ({role}): {metric} {number(row['mean'], 3)} on "
            f"average, median {number(row['median'], 3)}."
            for row in alike
            if row["second"] != describing.EVERYTHING
        ]


def _people(
    analysis: Analysis, found: dict[str, list[Row]], said: list[str], options: Mapping[str, Any]
) -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(options["seed"])
    found["people"] = describing.people_rows(analysis)
    found["stability"] = describing.stability_rows(analysis, rng=rng, draws=options["draws"])
    said += [_checked(analysis), describing.repeats_sentence(analysis)]
    said += [
        f"Captions with the mean of {row['ratings']} of their ratings: r = "
        f"{number(row['with_rest'], 3)} with the mean of the rest, over {row['units']:,} captions."
        for row in found["stability"]
        if row["level"] == "caption"
    ]
    captions = analysis.captions
    return {
        analysis.ratings.systems[code]: captions.z[captions.system == code]
        for code in analysis.ranking.order.tolist()
    }


def _checked(analysis: Analysis) -> str:
    context = Context(analysis.settings, counts(analysis))
    return quality_sentence(checked(analysis), context)


def write(out: Path, found: Mapping[str, list[Row]], format: str) -> None:
    known = {f"{name}.{one}" for name in TABLES for one in table_formats()}
    with ResultFolder(out, known) as folder:
        for name, rows in found.items():
            if rows:
                made = table_file(table(rows, TABLES[name]), format)
                (folder / f"{name}.{format}").write_bytes(made)
