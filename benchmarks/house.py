"""How large the code is, how far a page reaches into it, and how many files a flow goes through.

    python -m benchmarks.house [--closure analysis.views.results]

Prints modules and lines of each app, modules with exactly one importer, and the import closure of a
page: every module of ours that is read before it can be shown, as Python reads them (imports on top
of modules, but those inside functions and for types only). For each flow of docs/architecture.md it
prints the files with code that its functions name, one after the other, and how often one of these
files names another app's: its models, which are everybody's words, and what is not a model. Nothing
is imported to find out.
"""

from __future__ import annotations

import argparse
import ast
import re
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


class Names:
    """What the code of every module names, for a reader who follows it from file to file."""

    def __init__(self, known: dict[str, Path]) -> None:
        self.known = known
        trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in known.items()}
        self.defined = {name: dict(definitions(tree)) for name, tree in trees.items()}
        self.imported = {name: dict(bindings(top_level(tree))) for name, tree in trees.items()}

    def reached(self, starts: list[tuple[str, str]]) -> dict[str, set[str]]:
        """Modules with code on the way from some functions, each with those it names."""
        edges: dict[str, set[str]] = {}
        seen, ahead = set(starts), list(starts)
        while ahead:
            module, name = ahead.pop()
            found = edges.setdefault(module, set())
            for target in set(self._named(module, self.defined[module][name])):
                if target[0] != module:
                    found.add(target[0])
                if target not in seen:
                    seen.add(target)
                    ahead.append(target)
        return edges

    def _named(self, module: str, node: ast.AST) -> Iterator[tuple[str, str]]:
        inner = [each for each in ast.walk(node) if isinstance(each, ast.Import | ast.ImportFrom)]
        imported = self.imported[module] | dict(bindings(inner))
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                target = self._found(module, each.id, imported)
            elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
                origin = ".".join(imported.get(each.value.id, ("",)))
                target = self._found(origin, each.attr) if origin in self.known else None
            else:
                continue
            if target is not None:
                yield target

    def _found(
        self, module: str, name: str, imported: dict[str, tuple[str, str]] | None = None
    ) -> tuple[str, str] | None:
        """Where a name that a module uses is defined, through packages that pass it on."""
        imported = self.imported[module] if imported is None else imported
        if name in imported:
            origin, original = imported[name]
            return self._found(origin, original) if origin in self.known else None
        return (module, name) if name in self.defined[module] else None


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for each in (each for target in targets for each in ast.walk(target)):
                if isinstance(each, ast.Name):
                    yield each.id, node


def bindings(
    nodes: Iterator[ast.Import | ast.ImportFrom] | list[ast.Import | ast.ImportFrom],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """What each imported name stands for: a module, and a name in it."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, (node.module or "", alias.name)


def flows(names: Names) -> Iterator[tuple[str, dict[str, set[str]]]]:
    """The flows of docs/architecture.md, each with the modules on its way."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, chapter = text.split("## Four flows", 1)
    for section in chapter.split("\n## ", 1)[0].split("\n### ")[1:]:
        cited = re.findall(r"`([\w/]+)\.py::(\w+)`", section)
        starts = [(path.replace("/", "."), name) for path, name in cited]
        yield section.partition("\n")[0], names.reached(starts)


def crossings(edges: dict[str, set[str]]) -> tuple[int, int]:
    """Into other apps' models, and into anything else of theirs; daplatform is everybody's."""
    pairs = [(one, other) for one, others in edges.items() for other in others]
    apps = [(one.split(".")[0], other.split(".")) for one, other in pairs]
    other = [to[1] for app, to in apps if "daplatform" not in (app, to[0]) and app != to[0]]
    models = sum(part in ("models", "protocols") for part in other)
    return models, len(other) - models


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
    for title, edges in flows(Names(known)):
        models, others = crossings(edges)
        print(f"{title}: {len(edges)} files, {others} crossings between apps (models: {models})")


if __name__ == "__main__":
    main()
