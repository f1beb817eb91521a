"""Texts and locations: what may be a caption, a name, a path or an address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daplatform.tables import Faults, Kind, Where, quoted, suggestion
from hits.importing.locations import check_address, find_file, path_problem
from hits.importing.texts import check_caption, check_name, check_prose, is_odd

HERE = Where("captions.csv", 2, "caption")


def caption_faults(text: str) -> list[Kind]:
    faults = Faults()
    check_caption(text, 50, HERE, faults)
    return [fault.kind for fault in faults]


@pytest.mark.parametrize("text", ["", " ", "\t", "\u00a0\u2003", "\u200b\u200d", "\u2060 \u200b"])
def test_it_refuses_a_caption_nobody_could_see(text):
    assert caption_faults(text) == [Kind.EMPTY_CAPTION]


@pytest.mark.parametrize("mark", ["\0", "\x07", "\t", "\n", "\x85", "\u2028", "\u202e", "\ufeff"])
def test_it_refuses_control_characters(mark):
    assert caption_faults(f"a man{mark} rides") == [Kind.CONTROL_CHARACTER]


def test_it_refuses_half_a_surrogate_pair():
    assert caption_faults("a \ud83d face") == [Kind.CONTROL_CHARACTER]


@pytest.mark.parametrize(
    "text", ["Ein Café – „schön“", "一只狗在跑", "می‌دود", "👩‍👩‍👧 smile", "a\u00a0man", "x" * 50]
)
def test_it_accepts_every_language(text):
    assert caption_faults(text) == []


def test_it_refuses_an_over_long_caption():
    assert caption_faults("x" * 51) == [Kind.LONG_TEXT]


def test_it_warns_of_letters_lost_before():
    assert caption_faults("caf\ufffd") == [Kind.LOST_CHARACTER]
    assert is_odd("caf\ufffd", 50)


@given(st.text(max_size=60))
def test_the_quick_look_misses_nothing_the_close_look_finds(text):
    assert is_odd(text, 50) or caption_faults(text) == []


def test_the_quick_look_lets_ordinary_captions_pass():
    assert not is_odd("A man rides a horse, slowly.", 50)


@pytest.mark.parametrize("name", ["", " v1", "v1 ", "v\n1", "x" * 21])
def test_it_refuses_such_names(name):
    assert not check_name(name, 20, HERE, Faults())


def test_prose_may_have_paragraphs_but_no_bells():
    faults = Faults()
    check_prose("One.\n\n\tTwo.", 100, HERE, faults)
    assert faults.errors == 0
    check_prose("One.\a", 100, HERE, faults)
    assert faults.errors == 1


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_a_quotation_is_short_and_printable(text):
    assert quoted(text, 30).isprintable()
    assert "\n" not in quoted(text)
    quoted(text).encode()


def test_it_suggests_the_nearest_word_whatever_its_case():
    assert suggestion("Humann-B", ["human-a", "human-b"]) == "Did you mean 'human-b'?"
    assert suggestion("redundancy", ["seed", "size"]) == ""


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a.mp4",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//example.org/a.mp4",
        "example.org/a.mp4",
        "https://",
        "https:///a.mp4",
        "https://user:secret@example.org/a.mp4",
        "https://example.org/a b.mp4",
        "https://example.org/\na.mp4",
        "https://[::1/a.mp4",
        "https://example.org:port/",
        "https://example.org\\@evil.org/",
        "https://example.org/" + "x" * 2000,
        "",
    ],
)
def test_it_refuses_what_a_browser_should_not_be_sent_to(url):
    faults = Faults()
    assert not check_address(url, 2000, HERE, faults)
    assert [fault.kind for fault in faults] == [Kind.ADDRESS]


@pytest.mark.parametrize(
    "url", ["https://example.org/a.mp4?x=1&y=2", "http://127.0.0.1:8000/ä.webm", "HTTPS://A.B/c"]
)
def test_it_accepts_http_addresses(url):
    assert check_address(url, 2000, HERE, Faults())


@pytest.mark.parametrize(
    "path",
    ["", " ", "/etc/passwd", "../a.mp4", "a/../../b.mp4", "a\\b.mp4", "C:/a.mp4", "a\0.mp4", "a\n"],
)
def test_it_refuses_paths_that_leave_the_folder(path, tmp_path):
    assert path_problem(path)
    with pytest.raises(ValueError, match="relative"):
        find_file(tmp_path, path, HERE, Faults())


def test_it_finds_a_file_inside_the_folder(tmp_path):
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "ä b.mp4").touch()
    assert find_file(tmp_path, "clips/ä b.mp4", HERE, Faults()) == tmp_path / "clips" / "ä b.mp4"


@pytest.mark.parametrize("path", ["link.mp4", "linked/real.mp4"])
def test_it_refuses_links_anywhere_on_the_way(path, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "real.mp4").touch()
    (tmp_path / "link.mp4").symlink_to(tmp_path / "real" / "real.mp4")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    faults = Faults()

    assert find_file(tmp_path, path, HERE, faults) is None
    assert [fault.kind for fault in faults] == [Kind.LINK]


@pytest.mark.parametrize("path", ["absent.mp4", "x" * 300, "file/below", "."])
def test_it_reports_files_that_are_not_there(path, tmp_path):
    (tmp_path / "file").touch()
    faults = Faults()

    assert find_file(tmp_path, path, HERE, faults) is None
    assert [fault.kind for fault in faults] == [Kind.MISSING_VIDEO]
