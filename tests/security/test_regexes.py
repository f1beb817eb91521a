"""No pattern of ours takes more than linear or quadratic time, whatever text it is shown.

Regexploit works that out from the pattern alone, so nothing here depends on a clock.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from regexploit.ast.sre import SreOpParser
from regexploit.redos import find

ROOT = Path(__file__).parents[2]
APPS = ("daplatform", "hits", "annotations", "crowds", "analysis", "rehearsal")
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
# Patterns made of others: read from the modules that hold them, compiled.
COMPOSED = {
    "analysis/metrics/families/meteor/lexicon.py",
    "analysis/metrics/words.py",
    "hits/importing/texts.py",
    "hits/protocols/segments.py",
    "hits/importing/settings.py",  # a key of ours between blanks
    "rehearsal/demo/writing.py",
    "rehearsal/mturk/pages.py",
    "rehearsal/mturk/api.py",
    "rehearsal/prolific/faults.py",
    "rehearsal/prolific/routes.py",
}
CUBIC = 3


def is_pattern_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    match node.func:
        case ast.Name(id="re_path"):
            return True
        case ast.Attribute(value=ast.Name(id="re"), attr=attribute):
            return attribute in CALLS
    return False


def sources() -> Iterator[tuple[str, ast.expr]]:
    """Every first argument of a call that takes a pattern, with its file."""
    for path in (path for app in APPS for path in sorted((ROOT / app).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            if is_pattern_call(node):
                yield path.relative_to(ROOT).as_posix(), node.args[0]


def is_literal(source: ast.expr) -> bool:
    return isinstance(source, ast.Constant)


def literals() -> list[str]:
    """Written out; those for bytes as the letters they stand for."""
    found = {source.value for _, source in sources() if is_literal(source)}
    return sorted(one.decode("latin-1") if isinstance(one, bytes) else one for one in found)


def compiled() -> list[tuple[str, int]]:
    """Patterns in the modules that compose them, also inside tuples and lists."""
    found = set()
    for name in sorted(COMPOSED):
        values = vars(importlib.import_module(name.removesuffix(".py").replace("/", "."))).values()
        for value in values:
            group = value.values() if isinstance(value, dict) else value
            parts = group if isinstance(value, (list, tuple, dict)) else [value]
            flat = [part for one in parts for part in (one if isinstance(one, tuple) else [one])]
            found |= {(one.pattern, one.flags) for one in flat if isinstance(one, re.Pattern)}
    return sorted(found)


def worst(pattern: str, flags: int = 0) -> int:
    """The power of the text's length that matching may take: 1, 2, … and 11 for exponential."""
    parsed = SreOpParser().parse_sre(pattern, flags)
    return max((redos.starriness for redos in find(parsed)), default=1)


@pytest.mark.parametrize(("pattern", "power"), [("(a+)+b", 10), ("a*a*a*a*b", 3), ("a+b", 1)])
def test_a_dangerous_pattern_is_noticed(pattern, power):
    assert worst(pattern) >= power


@pytest.mark.parametrize("pattern", literals())
def test_a_pattern_is_harmless(pattern):
    assert worst(pattern) < CUBIC


def test_patterns_made_of_others_are_harmless():
    patterns = compiled()
    assert len(patterns) > 20
    assert {pattern: worst(pattern, flags) for pattern, flags in patterns
            if worst(pattern, flags) >= CUBIC} == {}  # fmt: skip


def test_patterns_are_written_out_or_known_to_be_made_of_others():
    assert {file for file, source in sources() if not is_literal(source)} == COMPOSED
