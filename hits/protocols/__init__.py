"""What annotators are asked: the ``PROTOCOLS`` of every module of this package, one file each."""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import replace
from functools import cache

from hits.protocols.own import with_own
from hits.protocols.values import AnnotationProtocol, HitDefaults, Objection, Question, Scale

__all__ = [
    "AnnotationProtocol",
    "HitDefaults",
    "Objection",
    "Question",
    "Scale",
    "protocol_named",
    "protocols",
]


@cache
def protocols() -> dict[str, AnnotationProtocol]:
    """Every protocol by name, Direct Assessment first."""
    found: list[AnnotationProtocol] = []
    for module in pkgutil.iter_modules(__path__):
        file = importlib.import_module(f"{__name__}.{module.name}")
        found.extend(getattr(file, "PROTOCOLS", ()))
    found.sort(key=lambda each: (each.name != "direct", each.name))
    return {each.name: each for each in found}


@cache
def protocol_named(name: str, *, fluency: bool = False, own: str = "") -> AnnotationProtocol:
    """The protocol of that name, with the question about fluency if it has one and that is wanted.

    ``own`` are a campaign's own questions, in JSON.

    >>> [question.name for question in protocol_named("direct", fluency=True).questions]
    ['score', 'fluency']
    """
    if name not in protocols():
        raise ValueError(f"protocol must be one of {', '.join(protocols())}, not {name[:40]!r}")
    found = protocols()[name]
    if fluency and found.fluency is not None:
        found = replace(found, questions=(*found.questions, found.fluency))
    return with_own(found, json.loads(own)) if own else found
