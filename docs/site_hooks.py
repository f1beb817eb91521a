"""What the documentation site makes of files that are no pages: notebooks, the README, the API.

MkDocs calls these functions (mkdocs.yml, `hooks`).
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files

HERE = Path(__file__).parent
ROOT = HERE.parent
# Pages that lie beside docs/ in the repository, where readers of the repository look for them.
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "vulnerabilities.md",
}
# Packages whose modules have pages of their own, with what each is.
PACKAGES = {
    "analysis.stats": "Statistics: pure functions of arrays.",
    "analysis.metrics": "Metrics: how captions are scored, and what a metric is made of.",
    "analysis.evaluation": "Evaluation: metrics held against people.",
}
LINK = re.compile(r"(!?\[[^\]]*\])\((?![a-z]+:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each of them."""
    pages = {page: _moved((ROOT / file).read_text("utf-8"), "") for file, page in BESIDE.items()}
    for path in sorted((HERE / "notebooks").glob("*.ipynb")):
        pages[f"notebooks/{path.stem}.md"] = notebook_page(path)
    for package, about in PACKAGES.items():
        pages[f"api/{package.rpartition('.')[2]}.md"] = api_page(package, about)
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of pages under docs/ that lead out of it."""
    if page.file.generated_by:
        return markdown
    return _moved(markdown, posixpath.dirname(f"docs/{page.file.src_uri}"))


def _moved(text: str, folder: str) -> str:
    """The text with links as they are on the site; a file that is no page there is only named."""

    def target(match: re.Match[str]) -> str:
        told, path, anchor = (
            match[1],
            posixpath.normpath(posixpath.join(folder, match[2])),
            match[3],
        )
        if not (ROOT / path).exists():
            return match[0]  # broken, which MkDocs tells
        if path not in BESIDE and not path.startswith("docs/"):
            return told[1:-1]
        page = BESIDE.get(path, path.removeprefix("docs/")).replace(".ipynb", ".md")
        here = folder.removeprefix("docs").strip("/") or "."
        return f"{told}({posixpath.relpath(page, here)}{anchor or ''})"

    return LINK.sub(target, text)


def notebook_page(path: Path) -> str:
    """Its texts, its code and what that shows."""
    parts = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            plain = data.get("text/plain", output.get("text", ""))
            parts.append(data.get("text/html") or f"```text\n{plain}\n```")
    return "\n\n".join(parts) + "\n"


def api_page(package: str, about: str) -> str:
    """Every module of a package and of those below it, as its docstrings have it."""
    folder = ROOT / package.replace(".", "/")
    modules = sorted(
        path.relative_to(ROOT)
        .with_suffix("")
        .as_posix()
        .replace("/", ".")
        .removesuffix(".__init__")
        for path in folder.rglob("*.py")
    )
    body = "\n\n".join(f"::: {module}" for module in modules)
    return f"# `{package}`\n\n{about}\n\n{body}\n"
