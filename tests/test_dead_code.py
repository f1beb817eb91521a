"""Nothing exists that nobody can reach: services, functions and classes have users."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parents[1]
APPS = ("daplatform", "hits", "annotations", "crowds", "analysis")
# What frameworks call by name or by place.
DECORATORS = ["@shared_task", "@register*", "@admin.*", "@api.*", "@*.connect", "@worker_*"]
NAMES = ["Meta", "Command", "*Admin", "*Config", "__call__", "__getattr__", "__class_getitem__"]
# Statistics for people who import the library; docs/statistics.md has their formulas.
LIBRARY = {"captions_needed", "permutation_test_by_item"}


def sources() -> list[Path]:
    """The product's own files: its apps, and what else stands beside them and uses them."""
    roots = [ROOT / name for name in (*APPS, "rehearsal", "deploy") if (ROOT / name).is_dir()]
    files = [path for root in roots for path in root.rglob("*.py")]
    return [path for path in files if "migrations" not in path.parts]


def is_props(path: Path) -> bool:
    """What only pretends to be a marketplace is called over the wire."""
    return any(part.startswith("rehearsal") for part in path.relative_to(ROOT).parts)


def used_names() -> Counter[str]:
    """How often each name is read anywhere in the product."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources()]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return Counter(names + [node.attr for node in nodes if isinstance(node, ast.Attribute)])


def test_every_service_has_a_caller():
    used = used_names()
    services = [path for path in sources() if "services" in path.parts]
    assert services
    unused = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in services
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not used[node.name]
    ]
    assert unused == []


def test_every_function_and_class_has_a_user():
    named = [ROOT / "daplatform" / name for name in ("settings.py", "celery.py", "urls.py")]
    paths = "".join(path.read_text(encoding="utf-8") for path in named)
    vulture = Vulture(ignore_decorators=DECORATORS, ignore_names=NAMES)
    vulture.scavenge([str(path) for path in sources()])
    unused = [
        f"{item.filename.relative_to(ROOT)}: {item.name}"
        for item in vulture.get_unused_code(min_confidence=60)
        if item.typ in ("function", "class")
        and item.filename.is_relative_to(ROOT)
        and item.filename.relative_to(ROOT).parts[0] in APPS
        and not is_props(item.filename)
        and item.name not in LIBRARY
        and item.name not in paths  # named there by its path
    ]
    assert unused == []
