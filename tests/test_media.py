"""Stored files over HTTP: ranges (RFC 9110), validators, content types, and buckets."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404, HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from daplatform.media import BLOCK, allow_media, requested_range, stored_file
from tests.pages import body

CONTENT = bytes(range(256)) * 2


@pytest.fixture
def clip():
    """A stored file as a FileField gives it."""
    name = default_storage.save("clip.mp4", ContentFile(CONTENT))
    return SimpleNamespace(name=name, path=default_storage.path(name))


def get(file, method="GET", **headers):
    names = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return stored_file(RequestFactory().generic(method, "/", **names), file)


def test_it_sends_the_whole_file_and_says_that_ranges_are_understood(clip):
    response = get(clip)
    assert response.status_code == 200
    assert body(response) == CONTENT
    assert response["Content-Length"] == "512"
    assert response["Content-Type"] == "video/mp4"
    assert response["Accept-Ranges"] == "bytes"
    assert "private" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=500-", 500, 511),
        ("bytes=-12", 500, 511),
        ("bytes=-9999", 0, 511),
        ("bytes=400-9999", 400, 511),
    ],
)
def test_it_sends_the_part_that_was_asked_for(clip, header, first, last):
    response = get(clip, range=header)
    assert response.status_code == 206
    assert body(response) == CONTENT[first : last + 1]
    assert response["Content-Range"] == f"bytes {first}-{last}/512"
    assert response["Content-Length"] == str(last + 1 - first)


@pytest.mark.parametrize("header", ["bytes=512-", "bytes=9999-10000", "bytes=-0"])
def test_it_refuses_a_range_beyond_the_end_and_tells_the_size(clip, header):
    response = get(clip, range=header)
    assert response.status_code == 416
    assert response["Content-Range"] == "bytes */512"
    assert body(response) == b""


@pytest.mark.parametrize(
    "header", ["bytes=5-2", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,5-6", "bytes=٣-٤"]
)
def test_it_sends_everything_when_the_range_cannot_be_followed(clip, header):
    response = get(clip, range=header)
    assert response.status_code == 200
    assert body(response) == CONTENT


def test_it_answers_head_without_a_body_and_ignores_its_range(clip):
    response = get(clip, "HEAD", range="bytes=0-1")
    assert response.status_code == 200
    assert response["Content-Length"] == "512"
    assert body(response) == b""


@pytest.mark.parametrize("validator", ["ETag", "Last-Modified"])
def test_it_sends_the_part_if_the_file_is_still_the_same(clip, validator):
    response = get(clip, range="bytes=0-9", if_range=get(clip)[validator])
    assert response.status_code == 206


def test_it_sends_everything_if_the_file_has_changed_meanwhile(clip):
    response = get(clip, range="bytes=0-9", if_range='"of-an-older-file"')
    assert response.status_code == 200
    assert body(response) == CONTENT


def test_it_says_not_modified_to_whoever_has_the_file(clip):
    etag = get(clip)["ETag"]
    response = get(clip, if_none_match=etag, range="bytes=0-9")
    assert response.status_code == 304
    assert response["ETag"] == etag


def test_it_makes_the_tag_from_the_digest_where_one_is_known(clip):
    response = stored_file(RequestFactory().get("/"), clip, digest="abc")
    assert response["ETag"] == '"abc"'


def test_a_file_of_another_type_is_a_download_and_never_a_page():
    name = default_storage.save("page.html", ContentFile(b"<script>"))
    response = get(SimpleNamespace(name=name, path=default_storage.path(name)))
    assert response["Content-Type"] == "application/octet-stream"


def test_a_file_that_is_gone_is_not_found(clip):
    default_storage.delete(clip.name)
    with pytest.raises(Http404):
        get(clip)


def test_a_video_without_a_file_is_not_found():
    with pytest.raises(Http404):
        get(None)


def test_it_sends_the_reader_to_the_signed_link_of_a_bucket():
    class InBucket:
        url = "https://bucket.example/clip.mp4?signature=x"

        @property
        def path(self):
            raise NotImplementedError

    response = get(InBucket())
    assert response.status_code == 302
    assert response.url == InBucket.url
    assert response["Cache-Control"] == "no-store"


@given(size=st.integers(0, 10 * BLOCK), first=st.integers(0), last=st.integers(0))
def test_a_range_lies_inside_the_file_whatever_is_asked(size, first, last):
    part = requested_range(f"bytes={first}-{last}", size)
    if part:
        assert part.start == first
        assert part.stop == min(last + 1, size)


@given(st.text(max_size=40), st.integers(0, 1000))
def test_any_header_is_understood_or_ignored(header, size):
    part = requested_range(header, size)
    assert part is None or part.stop <= size or not part


def test_a_page_may_play_from_the_videos_own_origins_only():
    response = allow_media(
        RequestFactory().get("/"),
        HttpResponse(),
        [
            "https://videos.example/a.mp4",
            "https://videos.example/b.mp4",
            "https://u:p@Other.example:8443/c.mp4",
            "https://evil.example;script-src */d.mp4",
            "javascript:alert(1)",
        ],
    )
    origins = ["https://other.example:8443", "https://videos.example"]
    assert response._csp_update == {"media-src": origins, "img-src": origins}
