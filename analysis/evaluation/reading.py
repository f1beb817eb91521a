"""Tables of scores from files: wide or long; CSV, JSON lines, Parquet or a sheet.

Wide: `video,system,` and a column per score. Long: `video,system,metric,value`, as `manage.py
score` writes it. `item`, as in the files of `manage.py analyse`, and the SYS and SID of the Direct
Assessment authors' files are understood, too; so are score files of mt-metrics-eval.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.evaluation import evalset
from analysis.evaluation.scores import ScoreTable, score_table, table_of_rows
from analysis.reading.files import Beginning, beginning, fault, plain, table
from daplatform.tables import Breaks, Faults, FirstFault, Kind, Where

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
_COMMA_NUMBER: Final = r"\s*|[+-]?\d+(,\d+)?([eE][+-]?\d+)?"
_MISSING: Final = frozenset({"", "na", "nan", "null", "none"})


def read_scores(path: Path, *, ratings: bool = False) -> ScoreTable:
    """A file of scores; with `ratings`, a wide one in which every row is somebody's rating.

    Raises
    ------
    TableError
        When it holds no table of scores or a cell is not a number.
    """
    if evalset.is_score_file(path):
        return evalset.read_file(path)
    faults = FirstFault()
    frame = read_frame(path, faults)
    video, system = _one_of(frame, VIDEO, path), _one_of(frame, SYSTEM, path)
    if {"metric", "value"} <= set(frame.columns):
        return _long(frame, video, system, path, faults)
    return _wide(frame, video, system, path, faults, ratings)


def read_frame(path: Path, faults: FirstFault) -> pd.DataFrame:
    """Every cell as it stands in the file, under an index of lines (rows, in Parquet)."""
    with plain(path, faults) as source:
        frame = _frame(source, beginning(source), faults)
    if frame.empty:
        raise fault(path, None, "There are no rows.", "Add rows of scores.", Kind.EMPTY_FILE)
    return frame


def _frame(path: Path, start: Beginning, faults: Faults) -> pd.DataFrame:
    import pandas as pd  # not on top: web processes import this module, and never call this

    if not start.is_parquet and not start.line.startswith("{"):
        return _delimited(path, start, faults)
    try:
        read = pd.read_parquet(path) if start.is_parquet else _json_lines(path)
    except (ValueError, OSError) as error:
        raise fault(
            path, None, f"This is not a table ({error}).", "Write it again.", Kind.UNREADABLE_FILE
        ) from error
    named = read.set_axis(_column_names(list(read.columns), path), axis=1)
    return named.set_axis(range(1, len(named) + 1), axis=0)


def _json_lines(path: Path) -> pd.DataFrame:
    import pandas as pd  # not on top: web processes import this module, and never call this

    return pd.read_json(path, lines=True, dtype=False, compression=None)


def _delimited(path: Path, start: Beginning, faults: Faults) -> pd.DataFrame:
    import pandas as pd  # not on top: web processes import this module, and never call this

    names, breaks = _column_names(start.cells, path), Breaks()
    columns, lines = table(path, start.delimiter, breaks)
    breaks.warn(path.name, faults)
    frame = pd.DataFrame(dict(zip(names, columns.values(), strict=True)), index=lines, dtype=str)
    if start.delimiter == ";":
        for name in [name for name in names if name not in KNOWN]:
            frame[name] = _with_points(frame[name])
    return frame


def _with_points(cells: pd.Series[str]) -> pd.Series[str]:
    """Numbers as the other columns have them, where all of a column are written as 0,5."""
    is_number = cells.str.fullmatch(_COMMA_NUMBER).all()
    return cells.str.replace(",", ".") if is_number else cells


def _column_names(names: list[str], path: Path) -> list[str]:
    lower = [str(name).strip().lower() for name in names]
    twice = [name for name in lower if lower.count(name) > 1]
    if twice:
        raise fault(
            path,
            1,
            f"The column {twice[0]!r} occurs twice.",
            "Keep one of them, or rename one.",
            Kind.REPEATED_COLUMN,
        )
    return [
        known if known in KNOWN else RENAMED.get(known, str(name).strip())
        for known, name in zip(lower, names, strict=True)
    ]


def _one_of(frame: pd.DataFrame, names: tuple[str, ...], path: Path) -> str:
    found = [name for name in names if name in frame.columns]
    if not found:
        raise fault(
            path,
            1,
            f"There is no column {names[0]!r}; its columns are "
            f"{', '.join(map(str, frame.columns))}.",
            f"Rename the column of the {names[0]}.",
            Kind.MISSING_COLUMN,
        )
    return found[0]


def _wide(
    frame: pd.DataFrame, video: str, system: str, path: Path, faults: Faults, ratings: bool
) -> ScoreTable:
    text = next((name for name in TEXT if name in frame.columns), None)
    others = [name for name in frame.columns if name not in {video, system, text}]
    columns, words = {}, []
    for name in others:
        values = _numbers(frame[name])
        if values is None:
            words.append(name)
            faults.warning(
                Kind.UNUSED_COLUMN,
                Where(path.name, None, name),
                "It holds no numbers and is ignored.",
                "No action is needed unless it should hold scores.",
            )
        elif name not in COUNTS:
            columns[name] = np.asarray(_checked(frame[name], values, name, path), np.float64)
    if not columns:
        told = "".join(f"; the column {name} holds no numbers" for name in words)
        raise fault(
            path,
            None,
            f"There is no column of scores beside {video} and {system}{told}.",
            "Add a column of numbers, or metric and value.",
            Kind.MISSING_COLUMN,
        )
    return score_table(
        _labels(frame, video, path),
        _labels(frame, system, path),
        columns,
        texts=None if text is None else frame[text].astype(str).tolist(),
        notes=faults.notes,
        source=path.name,
        ratings=ratings,
    )


def _long(frame: pd.DataFrame, video: str, system: str, path: Path, faults: Faults) -> ScoreTable:
    return table_of_rows(
        _labels(frame, video, path),
        _labels(frame, system, path),
        _labels(frame, "metric", path),
        _checked(frame["value"], _numbers(frame["value"]), "value", path).tolist(),
        source=path.name,
        notes=faults.notes,
    )


def _labels(frame: pd.DataFrame, name: str, path: Path) -> list[str]:
    labels = frame[name].astype(str).str.strip()
    empty = np.flatnonzero(frame[name].isna() | (labels == ""))
    if len(empty):
        line = int(frame.index[empty[0]])
        raise fault(path, line, f"{name} is empty.", "Fill it in, or delete the row.")
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
        raise fault(
            path,
            int(cells.index[row]),
            f"{name} {cells.iloc[row]!r} is not a number.",
            "Correct it, or leave it empty.",
        )
    return values


def _blank(cells: pd.Series[str]) -> pd.Series[bool]:
    return cells.isna() | cells.astype(str).str.strip().str.lower().isin(list(_MISSING))
