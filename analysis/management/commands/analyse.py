"""From a file of ratings to a ranking and its files, without a database."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from analysis.exports import FORMATS, counts, systems_table
from analysis.pipeline import QUICK_RATINGS, Analysis, Settings, analyse
from analysis.reading import RatingsFile, read_ratings
from analysis.results import ResultFolder, result_files, write_files

if TYPE_CHECKING:
    from analysis.trust import Trust

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
            "Assessment authors' scores; an Appraise export",
        )
        parser.add_argument("--out", type=Path, required=True, help="the folder to write")
        parser.add_argument("--hits", type=Path, help="hits.csv, where a batch result needs it")
        parser.add_argument("--format", choices=FORMATS, default="csv", help="of the tables")
        parser.add_argument("--latex", action="store_true", help="write tables for a paper, too")
        self.add_choices(parser)

    def add_choices(self, parser: argparse.ArgumentParser) -> None:
        """Options that decide the numbers; each is part of the signature."""
        parser.add_argument(
            "--keep-all-annotators",
            action="store_true",
            help="rank with everybody's ratings, not only those of annotators who passed",
        )
        parser.add_argument(
            "--test", choices=["t", "wilcoxon"], default=DEFAULTS.test, help="of quality control"
        )
        parser.add_argument(
            "--alpha", type=float, default=DEFAULTS.alpha, help="level of every test (default .05)"
        )
        parser.add_argument(
            "--quality-alpha", type=float, help="level of quality control, if it is another"
        )
        parser.add_argument(
            "--min-pairs",
            type=int,
            dest="minimum_pairs",
            default=DEFAULTS.minimum_pairs,
            help="pairs needed before quality control decides about a person (default 10)",
        )
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
            help="what ranks when fluency was asked, too (default: the mean of both z scores)",
        )
        parser.add_argument(
            "--resample",
            choices=["caption", "annotator"],
            default=DEFAULTS.resample,
            help="what the bootstrap behind the intervals draws",
        )
        parser.add_argument("--draws", type=int, default=DEFAULTS.draws, help="of the bootstrap")
        parser.add_argument(
            "--seed", type=int, default=DEFAULTS.seed, help="of everything that is drawn at random"
        )
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
            help=f"say how far to trust the ranking of more than {QUICK_RATINGS:,} ratings, too",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = Settings.__dataclass_fields__
        out: Path = options["out"]
        try:
            settings = Settings(**{name: options[name] for name in names if name in options})
            file = read_ratings(options["ratings"], hits=options["hits"])
            analysis = analyse(file.ratings, settings, file.evidence)
            write(out, analysis, file, options["format"], latex=options["latex"])
        except (OSError, ValueError) as error:
            raise CommandError(f"{sentence(error)}\nNothing was written.", returncode=2) from None
        self.describe(analysis, file, out)

    def describe(self, analysis: Analysis, file: RatingsFile, out: Path) -> None:
        """A few lines for the person at the terminal."""
        found = counts(analysis)
        self.stdout.write(
            f"{file.format}: {found['ratings']:,} ratings by {found['annotators']:,} annotators, "
            f"of whom {found['annotators_passed']:,} passed quality control, "
            f"{found['annotators_failed']:,} failed and {found['annotators_insufficient']:,} "
            "rated too few pairs to tell."
        )
        for note in file.notes:
            self.stdout.write(f"Note: {note}.")
        if not found["annotators_used"]:
            self.stdout.write(
                "Nobody passed, so no system has a score. --keep-all-annotators ranks regardless."
            )
        for line in ranking_lines(analysis):
            self.stdout.write(line)
        self.stdout.write(f"Written to {out}. Signature: {analysis.signature}")


def write(out: Path, analysis: Analysis, file: RatingsFile, format: str, *, latex: bool) -> None:
    """Every file, or none. The report is imported late: bad input is told before charts load."""
    from analysis.report import write_report

    trust, notes = assessed(analysis), file.notes
    with ResultFolder(out) as folder:
        files = result_files(analysis, format=format, latex=latex, notes=notes, trust=trust)
        write_files(folder, files)
        write_report(analysis, folder / "report.html", trust=trust, notes=notes)


def assessed(analysis: Analysis) -> Trust | None:
    """Trust where it is wanted. What it needs takes longer to import than a ranking to compute."""
    if not analysis.settings.wants_trust(len(analysis.ratings)):
        return None
    from analysis.trust import assess_trust

    return assess_trust(analysis)


def sentence(error: Exception) -> str:
    """What went wrong, without an error number."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def ranking_lines(analysis: Analysis) -> Iterator[str]:
    """The ranking in columns."""
    table = systems_table(analysis)
    width = min(max(len(name) for name in table["system"]), LONGEST_NAME)
    names = ("system", "z", "z_low", "z_high", "rank_low", "rank_high")
    for system, z, low, high, first, last in zip(*(table[name] for name in names), strict=True):
        place, score = "", "not defined"
        if not math.isnan(z):
            place = f"{first:.0f}" if first == last else f"{first:.0f}–{last:.0f}"
            score = f"{z:+.3f}  [{low:+.3f}, {high:+.3f}]"
        yield f"  {place:>5}  {system:<{width}}  {score}"
