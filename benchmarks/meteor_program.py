"""METEOR's own Java program, as a second opinion on ours."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from analysis.metrics.families.meteor.files import find_files


def program_scores(
    captions: Sequence[str], references: Sequence[Sequence[str]], java: str = "java"
) -> list[float]:
    """The score of each caption; each must have as many references as the others."""
    with tempfile.TemporaryDirectory() as folder:
        said, told = Path(folder) / "said", Path(folder) / "told"
        said.write_text("".join(f"{_line(text)}\n" for text in captions))
        told.write_text("".join(f"{_line(text)}\n" for texts in references for text in texts))
        command = [java, "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(find_files().jar)]
        command += [str(said), str(told), "-l", "en", "-norm", "-r", str(len(references[0]))]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(value) for value in re.findall(r"^Segment \d+ score:\s+(\S+)", run.stdout, re.M)]


def _line(text: str) -> str:
    """A line break inside a text would shift all later answers."""
    return " ".join(text.split())
