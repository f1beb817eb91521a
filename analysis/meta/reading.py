"""Tables of scores from files: wide or long; CSV, TSV, JSON lines or Parquet.

Wide: `video,system,` and a column per score. Long: `video,system,metric,value`, as `manage.py
score` writes it. `item`, as in the files of `manage.py analyse`, and the SYS and SID of the Direct
Assessment authors' files are understood, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.meta.scores import ScoreTable, score_table, table_of_rows
from analysis.reading.files import beginning

if TYPE_CHECKING:
    import pandas as pd

VIDEO: Final = ("video", "item", "segment", "sid", "image_id")
SYSTEM: Final = ("system", "sys", "model")
TEXT: Final = ("caption", "text")
COUNTS: Final = frozenset({"n", "hit", "ratings", "seconds", "position"})
"""Columns of numbers that are no scores."""
RENAMED: Final = {"raw.scr": "raw", "z.scr": "z"}
KNOWN: Final = frozenset(
    {*VIDEO, *SYSTEM, *TEXT, *COUNTS, "metric", "value", "source", "true", "foil", "category"}
)
"""Columns that are found whatever their case; others are names of scores."""
_MISSING: Final = frozenset({"", "na", "nan", "null", "none"})


def read_scores(path: Path) -> ScoreTable:
    """A file of scores.

    Raises
    ------
    ValueError
        With the name of the file, when it holds no table of scores or a cell is not a number.
    """
    frame = read_frame(path)
    video, system = _one_of(frame, VIDEO, path), _one_of(frame, SYSTEM, path)
    if {"metric", "value"} <= set(frame.columns):
        return _long(frame, video, system, path)
    return _wide(frame, video, system, path)


def read_frame(path: Path) -> pd.DataFrame:
    """Every cell as it stands in the file."""
    import pandas as pd  # not on top: web processes import this module, and never call this

    start = beginning(path)
    try:
        if start.is_parquet:
            frame = pd.read_parquet(path)
            names = list(frame.columns)
        elif start.line.startswith("{"):
            frame = pd.read_json(path, lines=True, dtype=False)
            names = list(frame.columns)
        else:
            frame = pd.read_csv(
                path, sep=start.delimiter, dtype=str, keep_default_na=False, encoding="utf-8-sig"
            )
            names = start.cells  # pandas renames the second of two columns of one name
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path.name}: the file is empty") from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{path.name}: this is no table ({error})") from error
    if not isinstance(frame.index, pd.RangeIndex):  # pandas took the first cells for labels
        raise ValueError(f"{path.name}: rows have more cells than the header")
    if frame.empty:
        raise ValueError(f"{path.name}: there are no rows")
    return frame.set_axis(_column_names(names, path), axis=1)


def _column_names(names: list[str], path: Path) -> list[str]:
    lower = [str(name).strip().lower() for name in names]
    twice = [name for name in lower if lower.count(name) > 1]
    if twice:
        raise ValueError(f"{path.name}: the column {twice[0]!r} is there twice")
    return [
        known if known in KNOWN else RENAMED.get(known, str(name).strip())
        for known, name in zip(lower, names, strict=True)
    ]


def _one_of(frame: pd.DataFrame, names: tuple[str, ...], path: Path) -> str:
    found = [name for name in names if name in frame.columns]
    if not found:
        raise ValueError(
            f"{path.name}: there is no column {names[0]!r}; its columns are "
            f"{', '.join(map(str, frame.columns))}"
        )
    return found[0]


def _wide(frame: pd.DataFrame, video: str, system: str, path: Path) -> ScoreTable:
    text = next((name for name in TEXT if name in frame.columns), None)
    others = [name for name in frame.columns if name not in {video, system, text}]
    columns, notes = {}, []
    for name in others:
        values = _numbers(frame[name])
        if values is None:
            notes.append(f"{path.name}: the column {name} holds no numbers and is passed over")
        elif name not in COUNTS:
            columns[name] = np.asarray(_checked(frame[name], values, name, path), np.float64)
    if not columns:
        words = "".join(f"; {note.removeprefix(f'{path.name}: ')}" for note in notes)
        raise ValueError(
            f"{path.name}: there is no column of scores beside {video} and {system}{words}"
        )
    return score_table(
        _labels(frame, video, path),
        _labels(frame, system, path),
        columns,
        texts=None if text is None else frame[text].astype(str).tolist(),
        notes=notes,
        source=path.name,
    )


def _long(frame: pd.DataFrame, video: str, system: str, path: Path) -> ScoreTable:
    return table_of_rows(
        _labels(frame, video, path),
        _labels(frame, system, path),
        _labels(frame, "metric", path),
        _checked(frame["value"], _numbers(frame["value"]), "value", path).tolist(),
        source=path.name,
    )


def _labels(frame: pd.DataFrame, name: str, path: Path) -> list[str]:
    labels = frame[name].astype(str).str.strip()
    empty = np.flatnonzero(frame[name].isna() | (labels == ""))
    if len(empty):
        raise ValueError(f"{path.name}, row {empty[0] + 1}: {name} is empty")
    return labels.tolist()


def _numbers(cells: pd.Series[str]) -> pd.Series[float] | None:
    """Numbers, NaN where a cell holds none; None for a column of words."""
    import pandas as pd  # not on top: web processes import this module, and never call this

    values = pd.to_numeric(cells, errors="coerce")
    if values.isna().all() and not _blank(cells).all():
        return None
    return values.astype(np.float64)


def _checked(
    cells: pd.Series[str], values: pd.Series[float] | None, name: str, path: Path
) -> pd.Series[float]:
    filled = ~_blank(cells)
    wrong = np.flatnonzero(filled if values is None else values.isna() & filled)
    if values is None or len(wrong):
        row = int(wrong[0])
        raise ValueError(f"{path.name}, row {row + 1}: {name} {cells.iloc[row]!r} is not a number")
    return values


def _blank(cells: pd.Series[str]) -> pd.Series[bool]:
    return cells.isna() | cells.astype(str).str.strip().str.lower().isin(list(_MISSING))
