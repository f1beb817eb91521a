"""How large the code is, and how far a page reaches into it.

    python -m benchmarks.house [--closure analysis.views.results]

Prints modules and lines of each app, modules with exactly one importer, and the import closure of a
page: every module of ours that is read before it can be shown, as Python reads them (imports on top
of modules, but those inside functions and for types only). Nothing is imported to find out.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ("daplatform", "hits", "annotations", "crowds", "analysis", "rehearsal")
PAGE = "analysis.views.results"
SMALL = 70  # lines


def modules() -> dict[str, Path]:
    """Every module of the apps by name, but for migrations."""
    found = {}
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "migrations" not in parts:
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Modules of ours that a module imports when it is read."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {name for node in top_level(tree) for name in named(node) if name in known}


def top_level(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports outside functions, and not for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from top_level(node)


def named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """All that may be a module in an import, packages above it included."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def closure(start: str, graph: dict[str, set[str]]) -> set[str]:
    """Modules that are read with one, itself included."""
    reached, ahead = set(), [start]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += graph[name]
    return reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--closure", default=PAGE, help="the module of the page")
    wanted = parser.parse_args().closure
    known = modules()
    lines = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()
    }
    graph = {name: imports(path, known) - {name} for name, path in known.items()}
    for app in APPS:
        own = [name for name in known if name.split(".")[0] == app]
        if own:
            print(f"{app:12} {len(own):4} modules {sum(lines[name] for name in own):7,} lines")
    print(f"{'all':12} {len(known):4} modules {sum(lines.values()):7,} lines")
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    importers = Counter(name for reached in graph.values() for name in reached - packages)
    single = [name for name, count in importers.items() if count == 1]
    small = sum(lines[name] < SMALL for name in single)
    print(f"exactly one importer: {len(single)} modules, {small} of them under {SMALL} lines")
    reached = closure(wanted, graph)
    rooms = {name.rpartition(".")[0] for name in reached if "." in name}
    print(f"closure of {wanted}: {len(reached)} modules in {len(rooms)} packages")
    by_package = Counter(".".join(name.split(".")[:2]) for name in reached)
    for name, count in by_package.most_common(12):
        print(f"    {name:28} {count}")


if __name__ == "__main__":
    main()
