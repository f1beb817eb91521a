"""The recipes of CONTRIBUTING: a metric, a statistic and an export format are one file each.

The file is dropped into a folder that is taken for a part of the package: into the package's own,
tests that run beside this one would find it. Nothing else is told of it, and the commands have it.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from analysis.metrics import registry as metrics
from analysis.presenting import downloads
from analysis.results import registry as results

RATINGS = Path(__file__).parent.parent / "docs" / "notebooks" / "data" / "ratings.csv"
FOUND_ONCE = (
    *(metrics.family_modules, metrics._built_in, metrics.resources),
    *(results.findings, downloads.formats),
)
METRIC = '''
"""Captions by their number of words."""
import numpy as np
from analysis.metrics.registry import Family

def _score(batch, settings, context):
    return {"toy_words": np.array([float(len(text.split())) for text in batch.captions])}

FAMILIES = (
    Family(
        metrics={"toy_words": "how many words a caption has"},
        paper="nobody's",
        needs=frozenset(),
        settings=(),
        score=_score,
    ),
)
'''
STATISTIC = '''
"""The number of systems that were ranked."""
from dataclasses import dataclass
from analysis.presenting.document import Shown
from analysis.results.registry import Finding

@dataclass(frozen=True, slots=True)
class Toy:
    ranked: int

def compute(material):
    return Toy(len(material.analysis.ranking.order))

def show(found, context):
    return Shown(f"The toy counts {found.ranked} systems.")

FINDINGS = (
    Finding(name="toy", title="A toy", numbers=Toy, compute=compute, show=show),
)
'''
FORMAT = '''
"""Rows with bars between their cells."""
from analysis.presenting.downloads import Format
from analysis.presenting.exports import records

def write(stream, download):
    for piece in download.pieces():
        for row in records(piece):
            stream.write(("|".join(map(str, row.values())) + "\\n").encode())

FORMATS = (Format("bars", "Bars", "text/plain", write),)
'''


@pytest.fixture
def drop(tmp_path, monkeypatch) -> Iterator[Callable[[str, str], None]]:
    """Let a package hold one more file."""

    def drop(package: str, text: str) -> None:
        folder = tmp_path / "added"
        folder.mkdir()
        (folder / "toy.py").write_text(text, "utf-8")
        path = importlib.import_module(package).__path__
        monkeypatch.setattr(sys.modules[package], "__path__", [*path, str(folder)])
        forget()

    yield drop
    monkeypatch.undo()
    for name in [name for name in sys.modules if name.endswith(".toy")]:
        del sys.modules[name]
    forget()


def forget() -> None:
    for found in FOUND_ONCE:
        found.cache_clear()


def test_a_metric_is_one_file(drop, tmp_path):
    drop("analysis.metrics.families", METRIC)
    captions, scores = tmp_path / "captions.csv", tmp_path / "scores.csv"
    captions.write_text("video,system,caption\n1,ours,a dog runs along\n1,theirs,a dog\n")
    call_command("score", captions, metrics=["toy_words"], out=scores)
    assert scores.read_text().split() == [
        "video,system,metric,value",
        "1,ours,toy_words,4.0",
        "1,theirs,toy_words,2.0",
    ]


def test_a_statistic_is_one_file(drop, tmp_path):
    drop("analysis.results.findings", STATISTIC)
    call_command("analyse", RATINGS, out=tmp_path / "out", draws=20)
    ranked = len((tmp_path / "out" / "systems.csv").read_text().splitlines()) - 1
    record = json.loads((tmp_path / "out" / "report.json").read_text())
    assert record["trust"]["toy"] == {"ranked": ranked}
    report = (tmp_path / "out" / "report.html").read_text()
    assert "A toy" in report
    assert f"The toy counts {ranked} systems." in report


def test_an_export_format_is_one_file(drop, tmp_path):
    drop("analysis.presenting.formats", FORMAT)
    call_command("analyse", RATINGS, out=tmp_path / "out", draws=20, format="bars")
    first, *_ = (tmp_path / "out" / "systems.bars").read_text().splitlines()
    assert first.count("|") > 3
    assert not list((tmp_path / "out").glob("*.csv"))
