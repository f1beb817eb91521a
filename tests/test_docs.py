"""The documentation as a site: every link leads somewhere, nothing is fetched from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FETCHED = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//[^\s>]+")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Built with every warning a failure."""
    folder = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_of_the_docs_is_on_it(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert len(pages) > 10
    assert {page for page in pages if (site / page / "index.html").is_file()} == pages


def test_it_tells_the_functions_of_statistics_metrics_and_evaluation(site):
    for page, name in {
        "stats": "analysis.stats.dependent.williams",
        "metrics": "analysis.metrics.registry",
        "evaluation": "analysis.evaluation.pipeline.evaluate_metrics",
        "notebooks": "analysis.notebooks.evaluate",
    }.items():
        assert f'id="{name}' in (site / "api" / page / "index.html").read_text("utf-8"), name


def test_notebooks_are_pages_with_what_they_show(site):
    page = (site / "notebooks" / "analyst" / "index.html").read_text("utf-8")
    assert "<table" in page
    assert "analyse" in page


def test_it_needs_no_network(site):
    fetched = {
        (path.name, found)
        for path in site.rglob("*.html")
        for found in FETCHED.findall(path.read_text("utf-8"))
    }
    assert not fetched
