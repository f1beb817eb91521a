"""Folders and files of mt-metrics-eval (github.com/google-research/mt-metrics-eval).

A folder is called an EvalSet. A file of scores can be named by itself, too; one that ends in
`.sys.score` has a line for every system.

`human-scores/LP.NAME.seg.score` and `metric-scores/LP/METRIC-REF.seg.score` hold a line for every
segment of every system, `SYSTEM<tab>SCORE`, the segments of a system in their order; `None` is a
score that is missing. LP is a language pair, such as en-de.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from analysis.evaluation.scores import ScoreTable, beside_each_other, score_table

HUMAN, METRICS = "human-scores", "metric-scores"
SEGMENTS, SYSTEMS = ".seg.score", ".sys.score"
WHOLE: Final = "all segments"
"""In place of a segment, in a file of systems: it joins no segment of another file."""


def is_evalset(path: Path) -> bool:
    return (path / HUMAN).is_dir()


def is_score_file(path: Path) -> bool:
    return path.name.endswith((SEGMENTS, SYSTEMS))


def read_file(path: Path) -> ScoreTable:
    """A file of segments or of systems, its scores under its own name."""
    return read_segments(path, path.name.removesuffix(SEGMENTS).removesuffix(SYSTEMS))


def read_human(folder: Path, pair: str | None = None) -> ScoreTable:
    """Every kind of human score of a language pair, as columns."""
    wanted = _pair(folder, pair)
    files = {path.name.removesuffix(SEGMENTS).partition(".")[2]: path for path in _files(folder)
             if path.name.startswith(f"{wanted}.")}  # fmt: skip
    return beside_each_other([read_segments(path, name) for name, path in sorted(files.items())])


def read_metrics(folder: Path, pair: str | None = None) -> ScoreTable:
    """Every metric of a language pair, under the name of its file."""
    place = folder / METRICS / _pair(folder, pair)
    files = sorted(place.glob(f"*{SEGMENTS}")) if place.is_dir() else []
    if not files:
        raise ValueError(
            f"{folder.name}: there is no file {METRICS}/{place.name}/*{SEGMENTS}: name scores with "
            "--metrics, or metrics with --compute"
        )
    tables = [read_segments(path, path.name.removesuffix(SEGMENTS)) for path in files]
    return beside_each_other(tables)


def read_segments(path: Path, name: str) -> ScoreTable:
    """One file of scores; segments are named seg1, seg2, … within each system."""
    of_systems = path.name.endswith(SYSTEMS)
    seen: dict[str, int] = {}
    videos, systems, values = [], [], []
    for system, value in _lines(path):
        seen[system] = seen.get(system, 0) + 1
        videos.append(WHOLE if of_systems else f"seg{seen[system]}")
        systems.append(system)
        values.append(value)
    if len(set(seen.values())) > 1:
        few = min(seen, key=lambda one: seen[one])
        raise ValueError(
            f"{path.name}: systems have different numbers of segments ({few} has {seen[few]:,}), "
            "so their order does not say which belong together: write a line for every segment, "
            "None where there is no score"
        )
    return score_table(videos, systems, {name: values}, source=path.name)


def _lines(path: Path) -> Iterator[tuple[str, float]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            continue
        try:
            system, value = cells
            yield system, np.nan if value == "None" else float(value)
        except ValueError:
            raise ValueError(
                f"{path.name}, line {number}: this is not a system, a tab and a score: correct "
                "the line, or delete it"
            ) from None


def _files(folder: Path) -> list[Path]:
    return sorted((folder / HUMAN).glob(f"*{SEGMENTS}"))


def _pair(folder: Path, wanted: str | None) -> str:
    there = sorted({path.name.partition(".")[0] for path in _files(folder)})
    if not there:
        raise ValueError(
            f"{folder.name}: there is no file {HUMAN}/*{SEGMENTS}: name the folder of an EvalSet "
            "with human scores of segments"
        )
    if wanted is None and len(there) > 1:
        raise ValueError(
            f"{folder.name}: {len(there)} language pairs ({', '.join(there[:20])}): name one of "
            f"them, as in --pair {there[0]}"
        )
    if wanted is not None and wanted not in there:
        raise ValueError(
            f"{folder.name}: no language pair {wanted!r}: --pair takes one of {', '.join(there)}"
        )
    return wanted or there[0]
