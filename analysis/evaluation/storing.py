"""An evaluation as one file: every dataclass of it with its arrays and tables, and nothing else.

What pages, reports and tables say is made of it when somebody asks. The file is NumPy's own: arrays
by number, and a tree of names and plain values as JSON. No code is run in reading it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.pipeline import Evaluation
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.sets import SetEvaluation
from analysis.results.numbers import UNIONS

STORED: Final = "evaluation.npz"
TREE: Final = "tree"
Arrays = dict[str, NDArray[Any]]
Stored = TypeVar("Stored", "Evaluated", SetEvaluation)


@dataclass(frozen=True, eq=False)
class Evaluated:
    """All that is stored of metrics against people.

    Parameters
    ----------
    references : of each video, at the most; 0 where texts are not known
    """

    evaluation: Evaluation
    robustness: tuple[Robustness, ...]
    references: int = 0


def write_evaluated(path: Path, evaluated: Evaluated | SetEvaluation) -> None:
    arrays: Arrays = {}
    tree = json.dumps(_packed(evaluated, arrays))
    arrays[TREE] = np.frombuffer(tree.encode(), np.uint8)
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_evaluated(path: Path) -> Evaluated:
    return read_stored(path, Evaluated)


def read_stored(path: Path, kind: type[Stored]) -> Stored:
    """Raises ValueError where it was stored by code that knew other numbers."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    try:
        found: Stored = _unpacked(kind, json.loads(arrays[TREE].tobytes()), arrays)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path.name} holds different numbers: {error}") from error
    return found


@cache
def stored_shape() -> str:
    """Fingerprint of what is stored: what was stored otherwise is made anew."""
    shapes = _shape(Evaluated) + _shape(SetEvaluation)
    return hashlib.sha256(shapes.encode()).hexdigest()[:16]


def _shape(kind: Any) -> str:
    """Names of all members, however deep."""
    if is_dataclass(kind) and isinstance(kind, type):
        return f"({','.join(f'{name}:{_shape(each)}' for name, each in _hints(kind).items())})"
    return f"[{','.join(map(_shape, get_args(kind)))}]"


def _packed(value: Any, arrays: Arrays) -> Any:
    if is_dataclass(value):
        return {field.name: _packed(getattr(value, field.name), arrays) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _packed(member, arrays) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(member, arrays) for member in value]
    if isinstance(value, np.ndarray):
        arrays[f"{len(arrays)}"] = value
        return len(arrays) - 1
    if isinstance(value, np.generic):
        return value.item()
    return _packed_table(value, arrays) if hasattr(value, "to_numpy") else value


def _packed_table(value: Any, arrays: Arrays) -> Any:
    """A table, a column or an index of pandas."""
    if not hasattr(value, "index"):
        return {"names": list(value.names), "rows": [list(row) for row in value]}
    index = _packed_table(value.index, arrays)
    if not hasattr(value, "columns"):
        return {"index": index, "values": value.tolist()}
    values = _packed(value.to_numpy(np.float64), arrays)
    return {"index": index, "columns": list(map(str, value.columns)), "values": values}


def _unpacked(kind: Any, tree: Any, arrays: Arrays) -> Any:
    origin, members = get_origin(kind), get_args(kind)
    if origin in UNIONS:
        known = next(member for member in members if member is not NoneType)
        return None if tree is None else _unpacked(known, tree, arrays)
    if origin is tuple:
        each = members[:1] * len(tree) if members[-1] is ... else members
        return tuple(_unpacked(one, member, arrays) for one, member in zip(each, tree, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: _unpacked(members[1], member, arrays) for name, member in tree.items()}
    if origin is np.ndarray:
        return arrays[str(tree)]
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(**{name: _unpacked(hints[name], tree[name], arrays) for name in hints})
    return _unpacked_table(kind, tree, arrays) if kind in _pandas() else tree


def _unpacked_table(kind: Any, tree: Any, arrays: Arrays) -> Any:
    import pandas as pd

    if kind is pd.Index:
        levels = zip(*tree["rows"], strict=True) if tree["rows"] else [[] for _ in tree["names"]]
        return pd.MultiIndex.from_arrays(list(map(list, levels)), names=tree["names"])
    index = _unpacked_table(pd.Index, tree["index"], arrays)
    if kind is pd.DataFrame:
        return pd.DataFrame(arrays[str(tree["values"])], index=index, columns=tree["columns"])
    return pd.Series(tree["values"], index=index)


class _Column:
    """In place of a pandas Series, whose type takes no parameter when code runs."""

    def __class_getitem__(cls, _: Any) -> Any:
        return cls


@cache
def _pandas() -> tuple[Any, ...]:
    import pandas as pd

    return pd.DataFrame, pd.Index, _Column


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    frame, index, column = _pandas()
    pandas = SimpleNamespace(DataFrame=frame, Index=index, Series=column)
    known = get_type_hints(kind, localns={"pd": pandas})
    return {field.name: known[field.name] for field in fields(kind)}
