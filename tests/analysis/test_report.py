from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from analysis.figures import nice_ticks
from analysis.markup import element, markup
from analysis.pipeline import Settings, analyse
from analysis.report import report_html, write_report
from analysis.trust import assess_trust
from benchmarks.crowd import simulate

HOSTILE = "<script>alert(1)</script>\"'&<img src=//x.example>"
VOID = {"meta", "br", "img", "hr", "link", "input"}


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails where a tag is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data + " "

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)


def analysed(**crowd):
    return analyse(simulate(**crowd), Settings(draws=20))


@pytest.fixture(scope="module")
def analysis():
    return analysed(annotators=20, systems=5, videos=30, clickers=0.2, seed=6)


@pytest.fixture(scope="module")
def trust(analysis):
    return assess_trust(analysis, splits=20, draws=10)


@pytest.fixture(scope="module")
def page(analysis, trust):
    return Page(report_html(analysis, trust=trust, title="Demo campaign", notes=["Read as CSV."]))


def test_it_is_one_file_that_loads_nothing_and_runs_nothing(page):
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object"}
    addresses = {"src", "href", "srcset", "action", "data"}
    assert not any(addresses & set(attributes) for _, attributes in page.tags)
    policies = [a for tag, a in page.tags if tag == "meta" and "http-equiv" in a]
    assert policies[0]["content"].startswith("default-src 'none'")


def test_it_has_the_charts_with_their_tables_and_the_signature(page, analysis):
    assert page.count("svg") == 5
    assert page.count("table") >= 8
    assert str(analysis.signature) in page.text
    assert "Demo campaign" in page.text
    assert "Read as CSV." in page.text
    for code in analysis.ranking.order:
        assert analysis.ratings.systems[code] in page.text


def test_every_drawing_says_in_words_what_it_is(page):
    drawings = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert all(drawing["role"] == "img" for drawing in drawings)
    assert page.text.count("Mean z score of each system") == 1


def test_numbers_are_those_of_the_analysis(page, analysis):
    best = analysis.ranking.order[0]
    assert f"{analysis.systems.z[best]:.3f}".replace("-", "−") in page.text
    assert f"{analysis.systems.ratings[best]:,}" in page.text


def test_nothing_undefined_leaks_as_nan(page):
    assert not re.search(r"\b(nan|None|inf)\b", page.text)


def test_hostile_names_stay_text(analysis, trust):
    labels = {"systems": (*analysis.ratings.systems[:-1], HOSTILE)}
    labels["annotators"] = (*analysis.ratings.annotators[:-1], HOSTILE)
    hostile = dataclasses.replace(analysis, ratings=dataclasses.replace(analysis.ratings, **labels))
    page = Page(report_html(hostile, trust=trust, title=HOSTILE))
    assert not {tag for tag, _ in page.tags} & {"script", "img"}
    assert page.text.count(HOSTILE) > 10


def test_without_trust_it_says_that_this_part_is_missing(analysis):
    page = Page(report_html(analysis, title="Short"))
    assert "were not computed" in page.text
    assert page.count("svg") == 4


@pytest.mark.parametrize(
    "crowd",
    [
        {"annotators": 2, "clickers": 1.0},
        {"annotators": 1, "systems": 2},
        {"annotators": 3, "systems": 1, "videos": 70},
    ],
    ids=["nobody passes", "one annotator", "one system"],
)
def test_poor_crowds_have_a_report_too(crowd):
    analysis = analysed(**crowd)
    page = Page(
        report_html(analysis, trust=assess_trust(analysis, splits=3, draws=3), title="Poor")
    )
    assert "How it was computed" in page.text
    assert not re.search(r"\b(nan|None|inf)\b", page.text)


def test_a_large_crowd_s_table_is_cut_and_says_so():
    page = Page(report_html(analysed(annotators=520, videos=20), title="Large"))
    assert "and 20 more, in the files beside this report" in page.text


def test_the_same_analysis_gives_the_same_bytes(analysis, trust, tmp_path):
    for name in ("one.html", "two.html"):
        write_report(analysis, tmp_path / name, trust=trust)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert (tmp_path / "one.html").read_bytes().startswith(b"<!doctype html>")


def test_text_between_elements_keeps_its_place():
    made = element("p", "one ", element("b", "two"), " three ", None, element("i", "four"), "!")
    assert markup(made) == "<p>one <b>two</b> three <i>four</i>!</p>"


@pytest.mark.parametrize(
    ("low", "high"), [(-0.43, 0.31), (0, 0), (3, 3.0001), (-1e6, 1e6), (0.998, 1.0)]
)
def test_ticks_are_few_round_and_around_the_values(low, high):
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(set(ticks))
