"""Numbers in typed dataclasses, as JSON and back: all that is stored of a result. Pure.

JSON has no NaN and no infinity: what is not defined is null there, and infinity is a word.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import numpy as np

from analysis.presenting.exports import Table, plain_number

DTYPES: Final[Mapping[type, Any]] = {str: object, int: np.int64, float: np.float64, bool: np.bool_}
UNIONS: Final = (Union, types.UnionType)


def as_json(value: Any) -> Any:
    """
    >>> from analysis.stats.replication import HalfCorrelation
    >>> as_json(HalfCorrelation(0.5, float("nan"), float("inf"), 1.0))
    {'mean': 0.5, 'low': None, 'high': 'Infinity', 'reliability': 1.0}
    """
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: as_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(member) for member in value]
    return plain_number(value) if isinstance(value, float) else value


def from_json(kind: Any, value: Any) -> Any:
    """What `as_json` made of a value of that kind, as it was.

    >>> from analysis.stats.replication import HalfCorrelation
    >>> from_json(HalfCorrelation, {"mean": 1, "low": None, "high": "Infinity", "reliability": 1})
    HalfCorrelation(mean=1.0, low=nan, high=inf, reliability=1.0)

    Raises
    ------
    ValueError
        Where something is missing: it was stored of another kind.
    """
    origin, members = get_origin(kind), get_args(kind)
    if kind is float:
        return np.nan if value is None else float(value)
    if origin in UNIONS:
        return None if value is None else from_json(members[0], value)
    if origin is tuple:
        each = members[:1] * len(value) if members[-1] is ... else members
        return tuple(from_json(one, member) for one, member in zip(each, value, strict=True))
    if origin is dict:
        return {name: from_json(members[1], member) for name, member in value.items()}
    return _restored(kind, value) if is_dataclass(kind) else value


def _restored(kind: Any, value: Any) -> Any:
    try:
        known = {name: from_json(each, value[name]) for name, each in _hints(kind).items()}
    except (KeyError, TypeError) as error:
        raise ValueError(f"these are not numbers of {kind.__name__}: {error}") from error
    return kind(**known)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    known = get_type_hints(kind)
    return {field.name: known[field.name] for field in fields(kind)}


def shape(kind: Any) -> str:
    """Names and kinds of all that is stored: equal shapes can be read by each other's code.

    >>> from analysis.stats.replication import HalfCorrelation
    >>> shape(tuple[HalfCorrelation, ...])
    'tuple[HalfCorrelation(mean:float,low:float,high:float,reliability:float),Ellipsis]'
    """
    if is_dataclass(kind) and isinstance(kind, type):
        members = ",".join(f"{name}:{shape(each)}" for name, each in _hints(kind).items())
        return f"{kind.__name__}({members})"
    inner = ",".join(map(shape, get_args(kind)))
    name = getattr(get_origin(kind) or kind, "__name__", repr(kind))
    return f"{name}[{inner}]" if inner else name


def columns(kind: type, rows: Sequence[Any], *, without: Sequence[str] = ()) -> Table:
    """Rows, each a dataclass of that kind, as a table."""
    return {
        name: np.array([getattr(row, name) for row in rows], DTYPES[each])
        for name, each in _hints(kind).items()
        if name not in without
    }
