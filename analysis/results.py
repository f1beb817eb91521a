"""A folder of results: every file written, or none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.exports import FORMATS, TABLES, report_json
from analysis.latex import ranking_table, significance_matrix
from analysis.pipeline import Analysis

if TYPE_CHECKING:
    from analysis.trust import Trust

ADJUSTED = {"": "p", "-holm": "p_holm", "-bh": "p_bh"}
"""How p is adjusted for many tests, by what is added to the names of files."""


def result_files(
    analysis: Analysis,
    *,
    format: str = "csv",
    latex: bool = False,
    notes: Sequence[str] = (),
    trust: Trust | None = None,
) -> dict[str, bytes]:
    """Content of every file but the report page, by name."""
    signature = str(analysis.signature)
    write = FORMATS[format]
    files = {
        f"{name}.{format}": write(table(analysis), signature) for name, table in TABLES.items()
    }
    files["report.json"] = report_json(analysis, notes, trust)
    files["signature.txt"] = f"{signature}\n".encode()
    if latex:
        files["ranking.tex"] = ranking_table(analysis).encode()
        files |= {
            f"significance{which}.tex": significance_matrix(analysis, p).encode()
            for which, p in ADJUSTED.items()
        }
    return files


def known_names() -> set[str]:
    """Every file name an analysis may write."""
    tables = {f"{name}.{format}" for name in TABLES for format in FORMATS}
    adjusted = {
        f"{name}{which}.{kind}"
        for name, kind in (("report", "html"), ("significance", "tex"), ("significance", "svg"))
        for which in ADJUSTED
    }
    return {*tables, *adjusted, "ranking.tex", "report.json", "signature.txt"}


class ResultFolder:
    """A folder that changes at once: files are gathered beside it and moved in at the end.

    Results of an earlier run are replaced, so that one signature holds for the whole folder;
    other people's files in it are left alone.
    """

    def __init__(self, folder: Path, known: Collection[str] | None = None) -> None:
        self.folder = folder
        self.known = known_names() if known is None else set(known)

    def __enter__(self) -> Path:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file, not a folder")
        name = f".{self.folder.name}-"
        self.part = Path(tempfile.mkdtemp(prefix=name, dir=self.folder.parent))
        return self.part

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            if kind is None:
                self._move_in()
        finally:
            shutil.rmtree(self.part, ignore_errors=True)

    def _move_in(self) -> None:
        if not self.folder.exists():
            self.part.chmod(0o755)  # mkdtemp's folder is its owner's alone
            self.part.rename(self.folder)
            return
        written = {file.name for file in self.part.iterdir()}
        for name in self.known - written:
            (self.folder / name).unlink(missing_ok=True)
        for name in sorted(written):
            (self.part / name).replace(self.folder / name)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)
