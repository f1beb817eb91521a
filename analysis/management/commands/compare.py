"""Two collections of ratings of the same systems: would the second have found the same?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.evaluation.files import table
from analysis.management.collections import add_quality, ratings_named
from analysis.management.commands.analyse import sentence
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.sentences import number
from analysis.results.comparing import (
    TABLES,
    Collection,
    Comparison,
    compare_collections,
    interval,
    repeats_sentence,
)
from analysis.results.folder import ResultFolder
from analysis.results.pipeline import Analysis, analyse, unchecked
from analysis.results.settings import Settings

DEFAULTS = Settings()


class Command(BaseCommand):
    help = "Compare two collections of ratings: correlation of scores, and which wins repeat."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("first", help="a file of ratings, or a campaign as its address has it")
        parser.add_argument("second", help="the other one")
        parser.add_argument("--out", type=Path, help="a folder for the tables")
        parser.add_argument(
            "--format", choices=table_formats(), default="csv", help="of the tables"
        )
        parser.add_argument(
            "--keep-all-annotators", action="store_true", help="not only those who passed"
        )
        add_quality(parser)
        parser.add_argument("--alpha", type=float, default=DEFAULTS.alpha, help="of the tests")
        parser.add_argument("--draws", type=int, default=DEFAULTS.draws, help="of the bootstrap")
        parser.add_argument("--seed", type=int, default=DEFAULTS.seed)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            first, second = (self.analysed(options[side], options) for side in ("first", "second"))
            rng = np.random.default_rng(options["seed"])
            found = compare_collections(
                Collection.of(first), Collection.of(second), rng=rng, draws=options["draws"]
            )
            if options["out"]:
                write(options["out"], found, options["format"], f"{first.signature}")
        except (OSError, ValueError) as error:
            raise CommandError(f"{sentence(error)}\nNothing was written.", returncode=2) from None
        self.describe(found)
        if options["out"]:
            self.stdout.write(f"Written to {options['out']}.")

    def analysed(self, name: str, options: dict[str, Any]) -> Analysis:
        names = ("keep_all_annotators", "alpha", "quality_alpha", "minimum_pairs", "seed")
        settings = Settings(draws=1, **{one: options[one] for one in names})
        file, settings = unchecked(ratings_named(name), settings)
        for note in file.notes:
            self.stderr.write(self.style.WARNING(f"Note: {name}: {note}."))
        return analyse(file.ratings, settings, file.evidence)

    def describe(self, found: Comparison) -> None:
        for row in found.correlations:
            self.stdout.write(
                f"{row['n']:,} {row['level']}s, {row['score']} scores: r = "
                f"{number(row['pearson'], 3)} {interval(row) or 'without an interval'}, "
                f"ρ = {number(row['spearman'], 3)}, "
                f"τ-b = {number(row['kendall_b'], 3)}"
            )
        self.stdout.write(repeats_sentence(found.pairs))


def write(out: Path, found: Comparison, format: str, signature: str) -> None:
    known = {f"{name}.{one}" for name in TABLES for one in table_formats()}
    with ResultFolder(out, known) as folder:
        for name, columns in TABLES.items():
            made = table_file(table(getattr(found, name), columns), format, signature)
            (folder / f"{name}.{format}").write_bytes(made)
