"""Score captions from files, without a database."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.metrics.batch import Batch
from analysis.metrics.files import read_captions, read_references, write_scores
from analysis.metrics.registry import metric_names
from analysis.metrics.scoring import Scores, score
from analysis.metrics.settings import TOKENIZERS, Settings
from analysis.metrics.workbench import Workbench
from hits.importing import Faults

# 0: everything was scored; 1: nothing was; this: some values are missing, the messages say which.
INCOMPLETE = 3
_FAULTS_SHOWN = 20


class Command(BaseCommand):
    help = "Score captions with automatic metrics: files in, a file out."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("captions", type=Path, help="video,system,caption")
        parser.add_argument("--references", type=Path, help="video,source,caption")
        parser.add_argument("--metrics", type=_names, required=True, help="names, with commas")
        parser.add_argument("--out", type=Path, required=True, help="video,system,metric,value")
        parser.add_argument("--tokenize", choices=TOKENIZERS, default="ptb")
        parser.add_argument(
            "--corpus", type=Path, help="references to count CIDEr's document frequencies in"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        faults = Faults()
        captions = read_captions(options["captions"], faults)
        references = read_references(options["references"], faults) if options["references"] else {}
        corpus = read_references(options["corpus"], faults) if options["corpus"] else references
        if faults.errors:
            raise CommandError("\n".join(str(fault) for fault in faults))
        batch = Batch(captions.texts, captions.videos, references, corpus)
        settings = Settings(tokenize=options["tokenize"])
        bench = Workbench()
        try:
            scores = score(batch, options["metrics"], settings, bench)
            write_scores(options["out"], captions, scores)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        finally:
            bench.close()
        self._report(scores)

    def _report(self, scores: Scores) -> None:
        for fault in scores.faults[:_FAULTS_SHOWN]:
            self.stderr.write(self.style.WARNING(str(fault)))
        if len(scores.faults) > _FAULTS_SHOWN:
            self.stderr.write(f"and {len(scores.faults) - _FAULTS_SHOWN} more, listed in the .json")
        if scores.faults:
            sys.exit(INCOMPLETE)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = metric_names()
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"unknown: {', '.join(unknown) or 'nothing named'}; `manage.py metrics` lists them"
        )
    return names
