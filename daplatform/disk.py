"""Writing to a disk that may be full: whole files or none, and a sentence instead of a trace."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

NO_SPACE = "the server's disk is full"


def is_full(error: BaseException) -> bool:
    """Whether an error says that there is no space, or that no more of it may be used."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class WholeFileStorage(FileSystemStorage):
    """Media in a folder. What cannot be written to its end is not there at all."""

    def _save(self, name: str, content: File[bytes]) -> str:
        Path(self.location).mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".part-", dir=self.location)
        try:
            with open(handle, "wb") as target:
                for chunk in content.chunks():
                    target.write(chunk)
            kept: str = super()._save(name, _Written(part))  # type: ignore[misc]
            return kept
        finally:
            Path(part).unlink(missing_ok=True)


class _Written(File[bytes]):
    """A file that is on the right disk already, and only has to be moved to its place."""

    def __init__(self, path: str) -> None:
        super().__init__(None, name=os.path.basename(path))
        self.path = path

    def temporary_file_path(self) -> str:
        return self.path
