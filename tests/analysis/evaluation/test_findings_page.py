"""The docs say what the commands compute, in tables and in sentences."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from benchmarks.demo_ranking import demo
from benchmarks.findings import (
    DOCS,
    NEED_NO_DATA,
    PAGES,
    TAKE_MINUTES,
    differing,
    stands,
    written,
)

PUBLISHED = Path(os.environ["DA_PUBLISHED"])
OF_PUBLISHED = [
    pytest.param(name, make, id=make.__name__)
    for name, makers in PAGES.items()
    for make in makers
    if make not in (*NEED_NO_DATA, *TAKE_MINUTES)
]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make"), OF_PUBLISHED)
def test_what_is_said_of_published_data_is_what_the_commands_find(name, make):
    if not PUBLISHED.is_dir():
        pytest.skip(f"the published data is not at {PUBLISHED}: docs/{name} is not compared")
    assert differing(page(name), make(PUBLISHED)) == []


@pytest.mark.slow
def test_what_is_said_of_the_demo_model_is_what_it_does():
    assert differing(page("metrics.md"), demo(Path())) == []


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.md")))
def test_no_table_of_correlations_is_written_by_hand(name):
    by_hand = [
        line
        for line in re.sub(r"<!--f:.*?<!--/f-->", "", page(name), flags=re.DOTALL).splitlines()
        if line.startswith("|") and len(re.findall(r"(?<![\d.])[−-]?\.\d\d", line)) > 1
    ]
    assert by_hand == []


@pytest.mark.parametrize("name", PAGES)
def test_marks_are_paired_and_none_is_named_twice(name):
    text = page(name)
    assert text.count("<!--f:") == text.count("<!--/f-->") == len(stands(text))


def test_a_table_and_a_number_are_replaced_between_their_marks():
    text = "It is <!--f:r-->.1<!--/f-->:\n<!--f:t-->\nold\nold\n<!--/f-->\nafter"
    made = {"r": ".2", "t": "| a |\n|---|"}
    assert differing(text, made) == ["r", "t"]
    new = written(text, made)
    assert new == "It is <!--f:r-->.2<!--/f-->:\n<!--f:t-->\n| a |\n|---|\n<!--/f-->\nafter"
    assert differing(new, made) == []
    assert differing(new, {**made, "other": "1"}) == ["other"]
