"""Files and functions that the guides for contributors name are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDES = ("docs/architecture.md", "CONTRIBUTING.md")
# `path/to/file.py`, or `path/to/file.py::name`; a * stands for what is to be added.
NAMED = re.compile(r"`((?:[\w-]+/)+[\w.*-]*)(?:::(\w+))?`")
FLOWS = ("Import to HITs", "Link to rating", "Launch to pay", "Score to page")


def named(guide: str) -> Iterator[tuple[str, str]]:
    return iter(NAMED.findall((ROOT / guide).read_text("utf-8")))


def defined(path: Path) -> set[str]:
    """Names that a Python or JavaScript file gives to functions, classes and values."""
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        return set(
            re.findall(r"^(?:export )?(?:async )?(?:function|class|const) (\w+)", text, re.M)
        )
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


@pytest.mark.parametrize("guide", GUIDES)
def test_every_file_it_names_is_there(guide):
    paths = {path for path, _ in named(guide)}
    assert len(paths) > 10
    assert {path for path in paths if not list(ROOT.glob(path))} == set()


@pytest.mark.parametrize("guide", GUIDES)
def test_every_function_it_names_is_in_that_file(guide):
    functions = {(path, name) for path, name in named(guide) if name}
    assert functions
    assert {(path, name) for path, name in functions if name not in defined(ROOT / path)} == set()


def test_the_flows_are_told_step_by_step():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    for flow in FLOWS:
        steps = text.partition(f"### {flow}\n")[2].partition("\n#")[0]
        assert len(NAMED.findall(steps)) >= 6, flow
