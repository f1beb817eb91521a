from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from analysis.presenting import document
from analysis.presenting.document import element, markup
from analysis.results import settings
from analysis.results.files import report_html, significance_picture
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
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
def summary(analysis):
    return summarise(analysis, notes=["Read as CSV."], splits=20, draws=10)


@pytest.fixture(scope="module")
def page(summary):
    return Page(report_html(summary, title="Demo campaign"))


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
    titles = [tag for tag, _ in page.tags if tag == "title"]
    assert len(titles) == 1 + len(drawings)  # and the document's own


def test_colours_are_the_document_s_so_that_dark_and_print_have_their_own(summary):
    html = report_html(summary, title="Demo campaign")
    drawn = html[html.index("<body") :]
    assert 'fill="var(--one)"' in drawn
    assert not re.findall(r'(?:fill|stroke)="#\w+"', drawn)


def test_without_what_draws_charts_the_report_says_so_and_has_the_tables(summary, monkeypatch):
    monkeypatch.setattr(document, "can_draw", lambda: False)
    page = Page(report_html(summary, title="Demo campaign"))
    assert page.count("svg") == 0
    assert "vl-convert-python" in page.text
    assert page.count("table") >= 8


def test_a_picture_stands_alone(summary):
    made = significance_picture(summary)
    assert made.startswith("<svg")
    assert "--one:" in made


def test_numbers_are_those_of_the_analysis(page, analysis):
    best = analysis.ranking.order[0]
    assert f"{analysis.systems.z[best]:.3f}".replace("-", "−") in page.text
    assert f"{analysis.systems.ratings[best]:,}" in page.text


def test_nothing_undefined_leaks_as_nan(page):
    assert not re.search(r"\b(nan|None|inf)\b", page.text)


def test_hostile_names_stay_text(analysis):
    labels = {"systems": (*analysis.ratings.systems[:-1], HOSTILE)}
    labels["annotators"] = (*analysis.ratings.annotators[:-1], HOSTILE)
    hostile = dataclasses.replace(analysis, ratings=dataclasses.replace(analysis.ratings, **labels))
    page = Page(report_html(summarise(hostile, splits=5, draws=5), title=HOSTILE))
    assert not {tag for tag, _ in page.tags} & {"script", "img"}
    assert page.text.count(HOSTILE) > 10


def test_without_trust_it_says_that_this_part_is_missing(analysis, monkeypatch):
    monkeypatch.setattr(settings, "QUICK_RATINGS", 10)
    page = Page(report_html(summarise(analysis), title="Short"))
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
    page = Page(report_html(summarise(analysed(**crowd), splits=3, draws=3), title="Poor"))
    assert "How it was computed" in page.text
    assert not re.search(r"\b(nan|None|inf)\b", page.text)


def test_a_large_crowd_s_table_is_cut_and_says_so():
    large = analysed(annotators=520, videos=20)
    page = Page(report_html(summarise(large, splits=2, draws=2), title="Large"))
    assert "and 20 more, in the files beside this report" in page.text


def test_the_same_numbers_give_the_same_report(summary):
    first, second = (report_html(summary, title="Same") for _ in range(2))
    assert first == second
    assert first.startswith("<!doctype html>")


def test_text_between_elements_keeps_its_place():
    made = element("p", "one ", element("b", "two"), " three ", None, element("i", "four"), "!")
    assert markup(made) == "<p>one <b>two</b> three <i>four</i>!</p>"
