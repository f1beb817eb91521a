"""Describe the data of a campaign or a folder, as a paper does before it uses it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.evaluation import trecvid
from analysis.evaluation.captions import CaptionSet, read_captions
from analysis.evaluation.description import (
    SET,
    TABLES,
    Data,
    Tables,
    described,
    described_sets,
)
from analysis.evaluation.description_charts import OF_REFERENCES, description_charts, sets_spec
from analysis.evaluation.files import table
from analysis.evaluation.human import read_human
from analysis.evaluation.scoring import Scorer
from analysis.management.collections import add_quality, campaign_named
from analysis.management.commands.analyse import sentence
from analysis.management.scoring_options import add_config, config_of
from analysis.presenting.document import draw_png, picture
from analysis.presenting.downloads import table_file, table_formats
from analysis.reading import read_ratings
from analysis.results.describing import Texts
from analysis.results.folder import ResultFolder
from analysis.results.settings import Settings

RATINGS = ("ratings.csv", "ratings.parquet")


class Command(BaseCommand):
    help = "Describe captions, references, people and scores of a campaign or a folder."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "data",
            nargs="+",
            help="a folder with captions.csv, references.csv and ratings.csv, as far as there are "
            "any; a TRECVID folder; a file of ratings; or a campaign by its address; several "
            "are set side by side as NAME=DATA",
        )
        parser.add_argument("--out", type=Path, help="a folder for the tables")
        parser.add_argument(
            "--format", choices=table_formats(), default="csv", help="of the tables"
        )
        parser.add_argument(
            "--similarity", default="rougel", help="the metric of similarity between captions"
        )
        parser.add_argument(
            "--whole",
            action="append",
            default=[],
            help="as in `correlate --whole`: a folder, with several sets NAME=FOLDER",
        )
        add_quality(parser)
        parser.add_argument("--draws", type=int, default=100, help="of the stability curve")
        parser.add_argument("--seed", type=int, default=Settings().seed)
        add_config(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            metric = options["similarity"]
            scorer = Scorer([metric], config_of(options, [metric]).context())
            sets = sets_named(options["data"], options["whole"])
            rules = {name: options[name] for name in ("quality_alpha", "minimum_pairs", "seed")}
            chosen = {"draws": options["draws"], "settings": Settings(draws=1, **rules)}
            if len(sets) == 1:
                found, said = described(next(iter(sets.values())), scorer, **chosen)
            else:
                found, said = described_sets(sets, scorer, **chosen)
            if options["out"]:
                write(options["out"], found, options["format"], has_sets=len(sets) > 1)
        except (OSError, ValueError) as error:
            raise CommandError(f"{sentence(error)}\nNothing was written.", returncode=2) from None
        for line in said:
            self.stdout.write(line)
        if options["out"]:
            self.stdout.write(f"Written to {options['out']}.")


def sets_named(texts: Sequence[str], whole: Sequence[str]) -> dict[str, Data]:
    """What each text names, by its own name or that of its folder."""
    named = [name_and_data(text) for text in texts]
    whole_of = dict(name_and_data(text) for text in whole)
    names = [name for name, _ in named]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two of them are called {twice[0]!r}: write NAME=DATA for each")
    if len(named) == 1:
        folder = next(iter(whole_of.values()), None)
        return {names[0]: data_named(named[0][1], Path(folder) if folder else None)}
    unknown = sorted(set(whole_of) - set(names))
    if unknown:
        raise ValueError(f"--whole names {unknown[0]!r}, and there is no set of that name")
    return {
        name: data_named(text, Path(whole_of[name]) if name in whole_of else None)
        for name, text in named
    }


def name_and_data(text: str) -> tuple[str, str]:
    """
    >>> name_and_data("2016=vtt/2016"), name_and_data("vtt/2016")
    (('2016', 'vtt/2016'), ('2016', 'vtt/2016'))
    """
    name, equals, data = text.partition("=")
    if equals and name and "/" not in name:
        return name, data
    return Path(text).name or text, text


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


def write(out: Path, found: Tables, format: str, *, has_sets: bool) -> None:
    """Tables, and a picture of each of which there is one; of several sets that of their scores."""
    endings = (*table_formats(), "svg", "png")
    names = [*TABLES, *map(OF_REFERENCES.format, TABLES)]
    known = {f"{name}.{one}" for name in names for one in endings}
    overlaid = sets_spec(found["distribution"]) if has_sets else None
    drawn = {"distribution": overlaid} if overlaid else {}
    if not has_sets:
        drawn = description_charts(found)
    with ResultFolder(out, known) as folder:
        for name, rows in found.items():
            columns = (SET, *TABLES[name]) if has_sets else TABLES[name]
            if rows:
                made = table_file(table(rows, columns), format)
                (folder / f"{name}.{format}").write_bytes(made)
        for name, spec in drawn.items():
            (folder / f"{name}.svg").write_text(picture(spec), encoding="utf-8")
            (folder / f"{name}.png").write_bytes(draw_png(spec))
