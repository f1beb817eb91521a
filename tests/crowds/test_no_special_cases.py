"""A crowd is one package and its settings: nothing else may know which crowd it deals with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from crowds.registry import MODULES, marketplaces

ROOT = Path(__file__).parents[2]
APPS = ("daplatform", "hits", "annotations", "crowds", "analysis")
PACKAGES = tuple(path.replace(".", "/") + "/" for path in settings.CROWDS)


def modules() -> Iterator[tuple[str, ast.Module]]:
    """What is outside the crowds' own packages and the settings."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(PACKAGES) and "migrations" not in name:
                yield name, ast.parse(path.read_text())


def crowd_names(tree: ast.AST) -> Iterator[str]:
    """Names of crowds that something is compared with, or that are given as a crowd."""
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            values = [node.left, *node.comparators]
        elif isinstance(node, ast.keyword) and "crowd" in (node.arg or ""):
            values = [node.value]
        for value in values:
            if isinstance(value, ast.Constant) and value.value in MODULES:
                yield value.value


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_crowd_is_a_special_case_outside_its_package():
    found = {name: sorted(crowd_names(tree)) for name, tree in modules()}
    assert {name: crowds for name, crowds in found.items() if crowds} == {}


def test_only_its_own_command_imports_a_marketplace():
    packages = tuple(MODULES[name] + "." for name in marketplaces())
    for name, tree in modules():
        if not Path(name).stem.startswith(tuple(marketplaces())):
            assert not [each for each in imports(tree) if each.startswith(packages)], name


def test_templates_name_no_crowd_either():
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        assert not [name for name in MODULES if f'crowd == "{name}"' in text], path
