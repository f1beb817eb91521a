"""What METEOR itself reads, found in the pycocoevalcap package: no Java is needed to read it."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from analysis.metrics.registry import MetricUnavailable

_HOW = (
    "METEOR needs the word lists and paraphrases inside the Python package pycocoevalcap; "
    "requirements.txt has all that metrics need"
)


class Files(NamedTuple):
    """The authors' program, of which only the lists are read, and their table of paraphrases."""

    jar: Path
    paraphrases: Path

    def lines(self, name: str) -> list[str]:
        """A list inside the program's archive."""
        with zipfile.ZipFile(self.jar) as archive:
            return archive.read(name).decode("utf-8").splitlines()


def find_files() -> Files:
    """Where they are; a sentence says how to get them where they are not."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        home = Path(folder) / "meteor"
        files = Files(home / "meteor-1.5.jar", home / "data" / "paraphrase-en.gz")
        if files.jar.is_file() and files.paraphrases.is_file():
            return files
    raise MetricUnavailable(_HOW)


@cache
def digest(files: Files) -> str:
    """Tells one edition of the data from another, in signatures and in the table's name."""
    total = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:16]
