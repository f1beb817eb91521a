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
from benchmarks.printed import NEED_PAPERS, PAPERS, printed_table, year_beside

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
    if make in NEED_PAPERS and not (PUBLISHED.parent / PAPERS).is_dir():
        pytest.skip(
            f"the texts of the papers are not beside {PUBLISHED}: docs/{name} is not compared"
        )
    assert differing(page(name), make(PUBLISHED)) == []


@pytest.mark.slow
def test_a_year_of_the_tables_of_every_year_is_what_the_command_finds(settings, meteor_store):
    """All years take minutes: `make findings` compares them."""
    if not PUBLISHED.is_dir():
        pytest.skip(f"the published data is not at {PUBLISHED}: docs/papers.md is not compared")
    settings.METRIC_STORE = meteor_store
    told = stands(page("papers.md"))
    found = year_beside(PUBLISHED, "MA", "2016")
    shown = {name: column(told[name], "2016") for name in found}  # the metrics a table prints
    assert all(len(rows) >= 4 for rows in shown.values())
    assert shown == {name: {each: found[name][each] for each in shown[name]} for name in found}


def column(table: str, head: str) -> dict[str, str]:
    """Ours, below this head, by the first cell of the row."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: row[rows[0].index(head)].split(" / ")[-1] for row in rows[2:]}


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


def test_a_printed_table_is_read_from_the_text_of_its_paper():
    text = (
        "Words.\n\n\tVTT-16\tMean\nCider\t<b>0.8</b>\t-0.1\nRouge\t0.2\t0.3\n\n"
        "Table 1: r\n\n\tVTT-16\nCider\t0.5\n\nTable 2: r\n"
    )
    assert printed_table(text, 1) == {
        "cider": {"VTT-16": "0.8", "Mean": "-0.1"},
        "rouge": {"VTT-16": "0.2", "Mean": "0.3"},
    }
    assert printed_table(text, 2) == {"cider": {"VTT-16": "0.5"}}
