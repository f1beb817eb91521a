"""From a file of ratings to a ranking and its files, without a database."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from analysis.management.collections import add_quality
from analysis.management.marked_files import TABLES, FoundTables, add_marked, tables_in
from analysis.presenting.downloads import table_file, table_formats
from analysis.reading import RatingsFile, read_ratings
from analysis.reading.files import beginning
from analysis.results.folder import ResultFolder, write_files
from analysis.results.pipeline import Analysis, analyse, unchecked
from analysis.results.settings import QUICK_RATINGS, Settings
from hits.protocols import protocols

if TYPE_CHECKING:
    from analysis.results.registry import Summary

DEFAULTS = Settings()
LONGEST_NAME = 40


class Command(BaseCommand):
    help = "Rank systems from a file of ratings: quality control, scores, significance, report."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "ratings",
            type=Path,
            help="CSV, TSV, JSON lines or Parquet; a Mechanical Turk batch result; the Direct "
            "Assessment authors' scores; an Appraise export; factuality_annotation.json; who "
            "marked what (annotator,video,system,level,sentence,word,value); or every answer "
            "to every question (annotator,video,system,kind,question,start,end,value)",
        )
        parser.add_argument("--out", type=Path, required=True, help="the folder to write")
        parser.add_argument("--hits", type=Path, help="hits.csv, where a batch result needs it")
        parser.add_argument(
            "--pair", help="languages, as in de-en, where a file holds several pairs"
        )
        parser.add_argument(
            "--format", choices=table_formats(), default="csv", help="of the tables"
        )
        parser.add_argument("--latex", action="store_true", help="also write tables for a paper")
        self.add_choices(parser)

    def add_choices(self, parser: argparse.ArgumentParser) -> None:
        """Options that decide the numbers; each is part of the signature."""
        parser.add_argument(
            "--keep-all-annotators",
            action="store_true",
            help="rank with the ratings of all annotators, not only of those who passed",
        )
        parser.add_argument(
            "--protocol",
            choices=[*protocols()],
            default=DEFAULTS.protocol,
            help="what people were asked, which sets the scale of the scores (default direct; "
            "factuality for files of marks)",
        )
        parser.add_argument(
            "--test", choices=["t", "wilcoxon"], default=DEFAULTS.test, help="of quality control"
        )
        parser.add_argument(
            "--alpha",
            type=float,
            default=DEFAULTS.alpha,
            help="level of the tests between systems (default .05)",
        )
        add_quality(parser)
        parser.add_argument(
            "--basis",
            choices=["all", "captions"],
            default=DEFAULTS.basis,
            help="standardise over all ratings of an annotator, or system and repeat ones only",
        )
        parser.add_argument(
            "--question",
            choices=["combined", "score", "fluency"],
            default=DEFAULTS.question,
            help="what to rank by if fluency was also asked (default: the mean of both z scores)",
        )
        parser.add_argument(
            "--resample",
            choices=["caption", "annotator"],
            default=DEFAULTS.resample,
            help="what the bootstrap for the intervals resamples",
        )
        parser.add_argument("--draws", type=int, default=DEFAULTS.draws, help="of the bootstrap")
        parser.add_argument(
            "--seed", type=int, default=DEFAULTS.seed, help="seed of all random draws"
        )
        parser.add_argument(
            "--leave-out",
            dest="left_out",
            type=lambda text: tuple(name.strip() for name in text.split(",") if name.strip()),
            default=DEFAULTS.left_out,
            metavar="SYSTEM,SYSTEM",
            help="systems that are not ranked, such as all runs of a team but its primary one",
        )
        add_marked(parser)
        parser.add_argument(
            "--planned-captions",
            type=int,
            metavar="N",
            help="captions of each system the campaign set out to have rated, where ratings are "
            "still coming in: the stopping rule is laid out for them (default: those in the file)",
        )
        parser.add_argument(
            "--thorough",
            action="store_true",
            help=f"report how far to trust the ranking even for more than {QUICK_RATINGS:,} "
            "ratings",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = Settings.__dataclass_fields__
        out: Path = options["out"]
        try:
            start = beginning(options["ratings"])
            if tables := tables_in(options["ratings"], start, options):
                self.write_tables(tables, out, options["format"])
                return
            settings = Settings(**{name: options[name] for name in names if name in options})
            file = read_ratings(options["ratings"], hits=options["hits"], pair=options["pair"])
            unknown = sorted(set(settings.left_out) - set(file.ratings.systems))
            if unknown:
                known = ", ".join(file.ratings.systems)
                raise ValueError(f"--leave-out: there is no system {unknown[0]!r}, only {known}")
            file, settings = unchecked(file, settings)
            analysis = analyse(file.ratings, settings, file.evidence)
            summary = write(
                out,
                options["ratings"],
                analysis,
                file,
                options["format"],
                latex=options["latex"],
            )
        except (OSError, ValueError) as error:
            raise CommandError(f"{sentence(error)}\nNothing was written.", returncode=2) from None
        self.describe(summary, file, out)

    def write_tables(self, found: FoundTables, out: Path, format: str) -> None:
        """Tables of marks and answers instead of a ranking."""
        from analysis.results.files import known_names

        known = {f"{name}.{one}" for name in TABLES for one in table_formats()}
        files = {
            f"{name}.{format}": partial(table_file, made, format)
            for name, made in found.tables.items()
        }
        with ResultFolder(out, known | known_names()) as folder:
            write_files(folder, files, files)
        for each in found.sentences:
            self.stdout.write(each)
        self.stdout.write(f"Written to {out}.")

    def describe(self, summary: Summary, file: RatingsFile, out: Path) -> None:
        """A few lines for the person at the terminal."""
        from analysis.results.findings.annotators import quality_sentence

        found = summary.counts
        checked = summary.numbers["annotators"].checked
        self.stdout.write(
            f"{file.format}: {found.ratings:,} ratings by {found.annotators:,} annotators. "
            f"{quality_sentence(checked, summary.context())}"
        )
        for note in file.notes:
            self.stdout.write(f"Note: {note}.")
        if not found.annotators_used:
            self.stdout.write(
                "Nobody passed, so no system has a score. --keep-all-annotators ranks regardless."
            )
        for line in ranking_lines(summary):
            self.stdout.write(line)
        self.stdout.write(f"Written to {out}. Signature: {summary.signature}")


def write(
    out: Path, source: Path, analysis: Analysis, file: RatingsFile, format: str, *, latex: bool
) -> Summary:
    """Every file, or none. What they need is imported late: bad input is told before that."""
    from analysis.results.files import (
        captions_table,
        chosen_names,
        known_names,
        result_files,
    )
    from analysis.results.listings import captions_listing
    from analysis.results.pipeline import summarise

    summary = summarise(analysis, notes=file.notes)
    files = result_files(
        summary,
        lambda: captions_table(captions_listing(analysis)),
        source=source.name,
    )
    with ResultFolder(out, known_names()) as folder:
        write_files(folder, files, chosen_names(files, format=format, latex=latex))
    return summary


def sentence(error: Exception) -> str:
    """What went wrong, without an error number."""
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"{error.filename}: There is no such file or folder. Check the path."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def ranking_lines(summary: Summary) -> Iterator[str]:
    """The ranking in columns."""
    systems = summary.numbers["ranking"].systems
    width = min(max(len(row.system) for row in systems), LONGEST_NAME)
    for row in systems:
        place, score = "", "not defined"
        if not math.isnan(row.z):
            place = _span(row.range_low, row.range_high)
            score = f"{row.z:+.3f}  [{row.z_low:+.3f}, {row.z_high:+.3f}]"
        yield f"  {place:>5}  {row.system:<{width}}  {score}"


def _span(first: float, last: float) -> str:
    return f"{first:.0f}" if first == last else f"{first:.0f}–{last:.0f}"
