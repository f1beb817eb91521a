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
    add_config,
    add_learned,
    add_material,
    add_settings,
    config_of,
    names,
    settings_of,
)
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embeddings import prune
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.files import (
    Captions,
    find_videos,
    read_captions,
    read_timed_references,
    write_explanations,
    write_scores,
)
from analysis.metrics.judged import image_paths
from analysis.metrics.learned.training_list import trained_on
from analysis.metrics.parts import Whole, batch_of
from analysis.metrics.scoring import (
    Fault,
    Scores,
    column,
    embed,
    embeddable,
    label_checked,
    score,
)
from analysis.metrics.settings import Settings
from daplatform.tables import Faults, TableError

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
        parser.add_argument("--metrics", type=names, default=[], help="names with commas, or all")
        add_learned(parser)
        parser.add_argument("--out", type=Path, required=True, help="video,system,metric,value")
        parser.add_argument(
            "--label",
            type=_label,
            default="",
            help="names columns metric@LABEL, to keep them apart from those of another model",
        )
        parser.add_argument("--explain", type=Path, help="what EMScore matched, as JSON lines")
        parser.add_argument("--prune", action="store_true", help="delete other models' embeddings")
        add_config(parser)
        add_settings(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _check_folders(options)
        metrics = [*options["metrics"], *(artifact.name for artifact in options["learned"])]
        if not metrics:
            raise CommandError("Name metrics with --metrics or --learned.", returncode=BAD_INPUT)
        try:
            settings, config = settings_of(options), config_of(options, metrics)
        except ValueError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        faults = Faults()
        captions, batch = _read(options, faults)
        for warning in faults:
            self.stderr.write(self.style.WARNING(str(warning)))
        try:
            context = config.context()
            whole = Whole(captions)
            whole.refuse(metrics, settings)
            scores = whole.scores(self._score(batch, metrics, settings, context))
            scores = scores.labelled(options["label"])
            lists = {
                column(name, options["label"]): one.lists()
                for name, one in trained_on(metrics, config.model.model).items()
            }
            write_scores(options["out"], whole.captions, scores, lists)
            if options["explain"]:
                encoder = context.resource(IMAGE_TEXT.name)
                write_explanations(options["explain"], captions, batch, settings, encoder)
            if options["prune"]:
                self._prune(options["store"], context)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self._report(scores)

    def _score(
        self, batch: Batch, metrics: list[str], settings: Settings, context: ScoringContext
    ) -> Scores:
        wanted = embeddable(batch, metrics, settings)
        unreadable = embed(wanted, settings, context, self._progress)
        return score(batch, metrics, settings, context, unreadable)

    def _progress(self, what: str, done: int, total: int) -> None:
        self.stderr.write(f"{what}: {done} of {total}")

    def _prune(self, store: Path, context: ScoringContext) -> None:
        keep = {space for model in context.embedders_opened for space in model.spaces}
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
    wrong = ""
    for path in filter(None, (options["out"], options["explain"])):
        if not path.parent.is_dir():
            wrong = f"There is no folder {path.parent} to write {path.name} into: create it first."
        elif path.is_dir():
            wrong = f"{path} is a folder; name a file in it."
    if options["explain"] and options["paragraphs"] != "whole":
        wrong = "--explain works on whole captions: leave out --paragraphs."
    if options["videos"] and not options["videos"].is_dir():
        wrong = f"{options['videos']} is not a folder: name the one that holds the videos."
    if wrong:
        raise CommandError(wrong, returncode=BAD_INPUT)


def _read(options: Mapping[str, Any], faults: Faults) -> tuple[Captions, Batch]:
    captions = read_captions([options["captions"]], faults)
    references, corpus = (
        read_timed_references(options[name], faults) if options[name] else {}
        for name in ("references", "corpus")
    )
    try:
        faults.refuse()
    except TableError as error:
        raise CommandError(f"{error}\nNothing was written.", returncode=BAD_INPUT) from error
    if captions.are_parts and options["explain"]:
        message = "--explain works on whole captions, and these come in parts: leave it out."
        raise CommandError(message, returncode=BAD_INPUT)
    files = {}
    if options["videos"]:
        paths = image_paths(options["captions"])
        found = find_videos(options["videos"], captions.videos, paths)
        files = {video: VideoFile.of(path) for video, path in found.items()}
    return captions, batch_of(captions, references, corpus or references, files)


def _label(text: str) -> str:
    try:
        return label_checked(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
