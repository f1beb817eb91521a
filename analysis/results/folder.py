"""A folder of results: every file written, or none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path


class ResultFolder:
    """A folder that changes at once: files are gathered beside it and moved in at the end.

    Results of an earlier run are replaced, so that one signature holds for the whole folder; what
    is not ``known`` as a name of theirs is left alone. Without known names all of it is ours.
    """

    def __init__(self, folder: Path, known: Collection[str] | None = None) -> None:
        self.folder = folder
        self.known = known

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
        known = {file.name for file in self.folder.iterdir()} if self.known is None else self.known
        for name in set(known) - written:
            (self.folder / name).unlink(missing_ok=True)
        for name in sorted(written):
            (self.part / name).replace(self.folder / name)


def write_files(
    folder: Path, files: Mapping[str, Callable[[], bytes]], names: Iterable[str]
) -> None:
    """Files of these names, each made by what makes it."""
    for name in names:
        (folder / name).write_bytes(files[name]())
