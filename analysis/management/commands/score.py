"""Score captions from files, without a database."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.management.scoring_options import (
    add_equipment,
    add_material,
    add_settings,
    equipment_of,
    names,
    settings_of,
)
from analysis.meta.fusing import read_fusion
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.embeddings import prune
from analysis.metrics.files import (
    Captions,
    find_videos,
    read_captions,
    read_references,
    write_explanations,
    write_scores,
)
from analysis.metrics.registry import families_of
from analysis.metrics.scoring import Fault, Scores, embed, embeddable, label_checked, score
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench
from daplatform.tables import Faults

BAD_INPUT = 2
# 0: everything was scored; 1 and 2: nothing was; this: values are missing, the messages say which.
INCOMPLETE = 3
_FAULTS_SHOWN = 20
_A_DAY = 24 * 60 * 60


class Command(BaseCommand):
    help = "Score captions with automatic metrics: files in, a file out."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("captions", type=Path, help="video,system,caption")
        parser.add_argument("--references", type=Path, help="video,source,caption")
        add_material(parser)
        parser.add_argument(
            "--metrics", type=names, required=True, help="names with commas, or all"
        )
        parser.add_argument("--out", type=Path, required=True, help="video,system,metric,value")
        parser.add_argument(
            "--label",
            type=_label,
            default="",
            help="names columns metric@LABEL, to keep them apart from those of another model",
        )
        parser.add_argument("--explain", type=Path, help="what EMScore matched, as JSON lines")
        parser.add_argument(
            "--fusion",
            type=Path,
            action="append",
            default=[],
            help="a mix of these metrics, as `correlate` saved it",
        )
        parser.add_argument("--prune", action="store_true", help="delete other models' embeddings")
        add_equipment(parser)
        add_settings(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _check_folders(options)
        try:
            settings, equipment = settings_of(options), equipment_of(options, options["metrics"])
        except ValueError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        faults = Faults()
        captions, batch = _read(options, faults)
        for warning in faults:
            self.stderr.write(self.style.WARNING(str(warning)))
        try:
            needs = {need for family in families_of(options["metrics"]) for need in family.needs}
            bench = equipment.workbench(needs)
            scores = self._score(batch, options["metrics"], settings, bench)
            _add_fusions(scores, options["fusion"])
            scores = scores.labelled(options["label"])
            write_scores(options["out"], captions, scores)
            if options["explain"]:
                write_explanations(options["explain"], captions, batch, settings, bench.encoder)
            if options["prune"]:
                self._prune(options["store"], bench)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self._report(scores)

    def _score(
        self, batch: Batch, metrics: list[str], settings: Settings, bench: Workbench
    ) -> Scores:
        wanted = embeddable(batch, metrics, settings)
        unreadable = embed(wanted, settings, bench, self._progress)
        return score(batch, metrics, settings, bench, unreadable)

    def _progress(self, what: str, done: int, total: int) -> None:
        self.stderr.write(f"{what}: {done} of {total}")

    def _prune(self, store: Path, bench: Workbench) -> None:
        keep = bench.image_text.spaces if bench.image_text else set()
        keep |= bench.sentence.spaces if bench.sentence else set()
        freed = prune(store, keep, before=time.time() - _A_DAY)
        self.stderr.write(f"{freed / 1e6:.1f} MB of other models' embeddings deleted")

    def _report(self, scores: Scores) -> None:
        for note in scores.notes:
            self.stderr.write(note)
        for line in first_of(scores.faults):
            self.stderr.write(self.style.WARNING(line))
        if scores.faults:
            sys.exit(INCOMPLETE)


def first_of(faults: Sequence[Fault]) -> list[str]:
    """As many as fit on a screen."""
    lines = [str(fault) for fault in faults[:_FAULTS_SHOWN]]
    left = len(faults) - len(lines)
    return [*lines, f"and {left} more, listed in the .json"] if left else lines


def _check_folders(options: Mapping[str, Any]) -> None:
    """Before hours of work, not after them."""
    for path in (options["out"], options["explain"]):
        if path and not path.parent.is_dir():
            raise CommandError(f"There is no folder {path.parent} to write {path.name} into.")
        if path and path.is_dir():
            raise CommandError(f"{path} is a folder; name a file in it.")
    if options["explain"] and options["paragraphs"] != "whole":
        raise CommandError("--explain tells of captions read whole: leave out --paragraphs.")
    if options["videos"] and not options["videos"].is_dir():
        raise CommandError(f"{options['videos']} is not a folder.")


def _add_fusions(scores: Scores, paths: Sequence[Path]) -> None:
    for path in paths:
        fused = read_fusion(path)
        scores.values[fused.name] = fused.score(scores.values)
        scores.signatures[fused.name] = fused.mixed_signature


def _read(options: Mapping[str, Any], faults: Faults) -> tuple[Captions, Batch]:
    captions = read_captions(options["captions"], faults)
    references = read_references(options["references"], faults) if options["references"] else {}
    corpus = read_references(options["corpus"], faults) if options["corpus"] else references
    if faults.errors:
        told = "\n".join(str(fault) for fault in faults)
        raise CommandError(f"{told}\nNothing was written.", returncode=BAD_INPUT)
    files = {}
    if options["videos"]:
        found = find_videos(options["videos"], captions.videos)
        files = {video: VideoFile.of(path) for video, path in found.items()}
    return captions, Batch(captions.texts, captions.videos, references, corpus, files)


def _label(text: str) -> str:
    try:
        return label_checked(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
