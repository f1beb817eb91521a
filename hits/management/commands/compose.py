"""HITs from a campaign's files, without a database."""

from __future__ import annotations

import argparse
import csv
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from daplatform.tables import shown
from hits.importing.reading import read_campaign
from hits.management.reporting import progress_bar, report_faults
from hits.sheet import COLUMNS, Row, hit_sheet


class Command(BaseCommand):
    help = "Compose HITs from a campaign's folder or zip and write them to a CSV file."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="the campaign's folder or zip")
        parser.add_argument("--out", type=Path, required=True, help="the CSV file to write")
        parser.add_argument("--seed", type=seed, help="default: the campaign's own")
        parser.add_argument(
            "--merge", action="store_true", help="ask identical captions of one video once"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with tempfile.TemporaryDirectory() as workspace, progress_bar(self.stderr) as progress:
            reading = read_campaign(
                options["source"],
                workspace=Path(workspace),
                needs_videos=False,
                progress=progress,
            )
            report_faults(self.stderr, reading.faults)
            try:
                rows = hit_sheet(reading, seed=options["seed"], merge=options["merge"])
                written, hits = write_table(options["out"], rows)
            except (OSError, ValueError) as error:
                raise CommandError(f"No HITs were written: {error}", returncode=2) from None
        place = shown(str(options["out"]))
        self.stdout.write(f"{hits:,} HITs of {written / hits:.4g} in {place}")


def seed(text: str) -> int:
    """Any whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number from 0")
    return int(text)


def write_table(path: Path, rows: Iterable[Row]) -> tuple[int, int]:
    """Write the whole file or none of it; gives the numbers of rows and of HITs."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        # Putting a file in its place would do away with a folder, a pipe or /dev/null.
        raise ValueError(f"{shown(str(path))} is not a file")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    number = hits = 0
    try:
        with part.open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(COLUMNS)
            for row in rows:
                table.writerow(row)
                number, hits = number + 1, row[0] + 1
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return number, hits
