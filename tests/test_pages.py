"""Tests look for words where words are, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from tests.pages import body, markup, shown

TESTS = Path(__file__).parent
TOKEN = '<input type="hidden" name="csrfmiddlewaretoken" value="aW1zQW1x">'
PAGE = HttpResponse(
    f"<head><title>Review</title></head><body title='W2'>{TOKEN}<script nonce='W3'>W4()</script>"
    "<p>W1 did <b>HIT</b>\n  7,</p><td>who’s</td><td>paid &amp; used</td></body>"
)


def test_what_is_shown_is_what_a_person_reads():
    assert shown(PAGE) == "W1 did HIT 7, who’s paid & used"


@pytest.mark.parametrize("word", ["W1", "HIT", "7", "paid & used", "did HIT"])
def test_words_are_found(word):
    assert word in shown(PAGE)


@pytest.mark.parametrize("word", ["W2", "W3", "W4", "W", "pai", "zQW1", "Review"])
def test_parts_of_words_and_what_nobody_sees_are_not(word):
    assert word not in shown(PAGE)


def test_the_markup_has_no_token():
    assert "csrfmiddlewaretoken" not in markup(PAGE)
    assert "<b>HIT</b> 7,</p>" in markup(PAGE)


def test_no_short_word_is_looked_for_in_markup():
    with pytest.raises(ValueError, match="'W1' may stand in any token"):
        assert "W1" not in markup(PAGE)


def test_a_file_is_read_whether_or_not_it_is_streamed():
    assert body(StreamingHttpResponse([b"a", b"b"])) == body(HttpResponse(b"ab")) == b"ab"


def looks_inside(source: str) -> Iterator[int]:
    """Lines in which a test takes what a response holds without asking `tests/pages.py`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr == "content":
            yield node.lineno
        if isinstance(node, ast.Compare) and is_text_of_answer(node.comparators[0]):
            yield node.lineno


def is_text_of_answer(node: ast.expr) -> bool:
    """`response.text` and `client.get(…).text`; of other things `.text` is a caption's."""
    if not (isinstance(node, ast.Attribute) and node.attr == "text"):
        return False
    asked = node.value.func if isinstance(node.value, ast.Call) else node.value
    name = asked.value if isinstance(asked, ast.Attribute) else asked
    return isinstance(name, ast.Name) and name.id in ("answer", "response", "client", "browser")


@pytest.mark.parametrize(
    "line",
    [
        'assert "W1" in response.content.decode()',
        "found = client.get(path).content",
        'assert b"W1" in page.content',
        'assert "W1" in response.text',
        'assert "W1" in client.post(path, data).text',
    ],
)
def test_the_search_knows_how_tests_look_inside(line):
    assert list(looks_inside(line)) == [1]


def test_no_test_looks_into_a_response_by_itself():
    found = {
        f"{path.relative_to(TESTS)}:{line}"
        for path in TESTS.rglob("*.py")
        if path.name != "pages.py"
        for line in looks_inside(path.read_text())
    }
    assert found == set()
