"""Files of two kinds at once, and files and addresses that lead elsewhere."""

from __future__ import annotations

import io
import socket
import zipfile
from pathlib import Path

import pytest
from django.urls import reverse

from daplatform.tables import Kind
from hits.importing.reading import read_campaign
from hits.services.importing import campaign_import
from tests.hits.importing_material import kinds, write_folder, write_video

PAGE = b"<!DOCTYPE html><html><script>alert(1)</script></html>"


def a_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("evil.html", PAGE)
    return packed.getvalue()


def write_campaign(folder: Path, content: bytes, name: str = "1.html") -> Path:
    """A sound campaign of two videos, the first of which has this content."""
    write_video(folder / "2.mp4")
    (folder / name).write_bytes(content)
    return write_folder(folder, {"videos.csv": f"video,path\nv1,{name}\nv2,2.mp4\n"})


@pytest.mark.parametrize("other", [PAGE, a_zip()], ids=["page", "zip"])
def test_a_video_that_is_something_else_as_well_is_handed_out_as_a_video(
    tmp_path, other, organiser, client_of
):
    both = write_video(tmp_path / "whole.mp4").read_bytes() + other
    reading = read_campaign(write_campaign(tmp_path / "campaign", both))
    campaign = campaign_import(reading=reading, owner=organiser)

    video = campaign.videos.get(name="v1")
    answer = client_of(organiser).get(reverse("hits:video-file", args=[campaign.slug, video.pk]))

    assert video.file.name.endswith(".mp4")
    assert answer["Content-Type"] == "video/mp4"
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("other", [PAGE, a_zip()], ids=["page", "zip"])
def test_what_only_ends_like_a_video_is_refused(tmp_path, other):
    content = other + write_video(tmp_path / "whole.mp4").read_bytes()
    reading = read_campaign(write_campaign(tmp_path / "campaign", content, "1.mp4"))
    assert kinds(reading) == [Kind.UNREADABLE_VIDEO]


@pytest.fixture
def listener():
    """An address on this machine; nobody must come there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server
        with pytest.raises(BlockingIOError):
            server.accept()


def test_the_server_goes_to_no_address_that_somebody_gave(tmp_path, listener, organiser, client_of):
    place = f"http://127.0.0.1:{listener.getsockname()[1]}/1.mp4"
    videos = f"video,url\nv1,{place}\nv2,{place}?2\n"
    folder = write_folder(tmp_path / "campaign", {"videos.csv": videos})
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    client, video = client_of(organiser), campaign.videos.first()
    for name in ("video-detail", "video-file", "video-poster"):
        client.get(reverse(f"hits:{name}", args=[campaign.slug, video.pk]))


@pytest.mark.parametrize(
    "lure",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{place}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile {place}\n",
        "<MPD><Period><BaseURL>{place}</BaseURL></Period></MPD>",
        "v=0\nm=video 5004 RTP/AVP 96\nc=IN IP4 127.0.0.1\na=control:{place}\n",
        "[playlist]\nFile1={place}\n",
    ],
    ids=["hls", "concat", "dash", "sdp", "pls"],
)
def test_a_file_that_names_an_address_is_no_video(tmp_path, listener, lure):
    place = f"http://127.0.0.1:{listener.getsockname()[1]}/1.mp4"
    content = lure.format(place=place).encode()
    reading = read_campaign(write_campaign(tmp_path / "campaign", content, "1.mp4"))
    assert kinds(reading) == [Kind.UNREADABLE_VIDEO]


def test_a_file_that_names_another_file_is_no_video(tmp_path):
    lure = b"ffconcat version 1.0\nfile 2.mp4\n"
    reading = read_campaign(write_campaign(tmp_path / "campaign", lure, "1.mp4"))
    assert kinds(reading) == [Kind.UNREADABLE_VIDEO]
