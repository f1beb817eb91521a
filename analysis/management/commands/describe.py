"""Describe the data of a campaign or a folder, as a paper does before it uses it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from analysis.evaluation import trecvid
from analysis.evaluation.captions import CaptionSet, read_captions
from analysis.evaluation.description import TABLES, Data, described
from analysis.evaluation.files import table
from analysis.evaluation.human import read_human
from analysis.evaluation.scoring import Scorer
from analysis.management.collections import campaign_named
from analysis.management.commands.analyse import sentence
from analysis.management.scoring_options import add_config, config_of
from analysis.presenting.downloads import table_file, table_formats
from analysis.reading import read_ratings
from analysis.results.describing import Row, Texts
from analysis.results.folder import ResultFolder
from analysis.results.settings import Settings

if TYPE_CHECKING:
    pass

RATINGS = ("ratings.csv", "ratings.parquet")


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
            metric = options["similarity"]
            scorer = Scorer([metric], config_of(options, [metric]).context())
            data = data_named(options["data"], options["whole"])
            draws, seed = options["draws"], options["seed"]
            found, said = described(data, scorer, draws=draws, seed=seed)
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
    return _of_campaign(text)


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
        raise ValueError(
            f"{folder}: There is neither captions.csv nor ratings.csv. Name the folder of one."
        )
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


def _of_campaign(slug: str) -> Data:
    from analysis.services.descriptions import campaign_data

    return campaign_data(campaign_named(slug))


def write(out: Path, found: Mapping[str, list[Row]], format: str) -> None:
    known = {f"{name}.{one}" for name in TABLES for one in table_formats()}
    with ResultFolder(out, known) as folder:
        for name, rows in found.items():
            if rows:
                made = table_file(table(rows, TABLES[name]), format)
                (folder / f"{name}.{format}").write_bytes(made)
