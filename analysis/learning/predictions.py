"""What a learned metric gave the captions of sets it had not seen: kept, so that others are held
against it on the same captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from analysis.learning.rated import RatedSet
from analysis.metrics.batch import Values
from daplatform.tables import Columns, Faults, read_table

PREDICTIONS: Final = "predictions.csv"
_COLUMNS: Final = Columns(("set", "video", "system", "metric", "value"))
_Caption = tuple[str, str, str]

Predictions = Mapping[str, Mapping[_Caption, float]]
"""By metric, then by set, video and system."""


def read_predictions(folders: Sequence[Path]) -> Predictions:
    """Those of other leave-one-out tables.

    Raises
    ------
    ValueError
        When a folder has none, or two of them have a metric of one name.
    """
    found: dict[str, dict[_Caption, float]] = {}
    for folder in folders:
        if not (folder / PREDICTIONS).is_file():
            raise ValueError(f"{folder} has no {PREDICTIONS}: it is no leave-one-out table")
        own = _read(folder / PREDICTIONS)
        if twice := found.keys() & own.keys():
            raise ValueError(f"{folder}: {min(twice)} is the metric of another table as well")
        found |= own
    return found


def _read(path: Path) -> dict[str, dict[_Caption, float]]:
    faults = Faults()
    found: dict[str, dict[_Caption, float]] = {}
    for _, (name, video, system, metric, value) in read_table(path, _COLUMNS, faults):
        found.setdefault(metric, {})[name, video, system] = float(value)
    faults.refuse()
    return found


def predictions_for(rated: RatedSet, predictions: Predictions) -> dict[str, Values]:
    """What each metric gave the captions of a set, in its order."""
    return {name: _of(rated, name, own) for name, own in predictions.items()}


def _of(rated: RatedSet, name: str, own: Mapping[_Caption, float]) -> Values:
    captions = zip(rated.batch.videos, rated.systems, strict=True)
    try:
        return np.array([own[rated.name, video, system] for video, system in captions])
    except KeyError as error:
        lacking = ", ".join(map(str, error.args[0]))
        raise ValueError(
            f"the table of {name} has no caption {lacking}: make it from the same sets"
        ) from None


def predictions_table(
    name: str, found: Sequence[tuple[RatedSet, Values]]
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]]:
    """A row for each caption left out."""
    rows = [
        (rated.name, video, system, name)
        for rated, _ in found
        for video, system in zip(rated.batch.videos, rated.systems, strict=True)
    ]
    columns = zip(*rows, strict=True)
    table = {
        key: np.array(column)
        for key, column in zip(("set", "video", "system", "metric"), columns, strict=True)
    }
    return {**table, "value": np.concatenate([values for _, values in found])}
