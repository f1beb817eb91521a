"""A campaign of images: imported, shown and scored as items of one frame."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from PIL import Image

from analysis.metrics.encoding.frames import UnreadableVideo, read_frames
from analysis.metrics.encoding.sampling import Sampling
from daplatform.media import allow_media
from hits.importing.reading import read_campaign
from hits.models import Rendition
from hits.services.importing import campaign_import
from tests.factories import make_hit
from tests.folders import make_folder, write_table
from tests.pages import markup

pytestmark = pytest.mark.django_db
FORMATS = {"v000": "jpg", "v001": "png", "v002": "webp"}


def picture(kind: str, *, size=(64, 48), colour=(200, 30, 30), **more) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, {"jpg": "JPEG"}.get(kind, kind.upper()), **more)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path):
    root = make_folder(tmp_path / "campaign", videos=3, systems=2)
    for number, (video, kind) in enumerate(FORMATS.items()):
        (root / f"{video}.{kind}").write_bytes(picture(kind, colour=(80 * number, 90, 120)))
    places = [[video, f"{video}.{kind}"] for video, kind in FORMATS.items()]
    write_table(root / "videos.csv", ["video", "path"], places)
    return root


@pytest.fixture
def campaign(folder, organiser):
    return campaign_import(reading=read_campaign(folder), owner=organiser)


def test_images_are_imported_beside_videos(campaign):
    found = {video.name: video for video in campaign.videos.all()}
    assert [found[name].codec for name in FORMATS] == ["jpeg", "png", "webp"]
    for video in found.values():
        assert video.is_image
        assert (video.width, video.height, video.duration) == (64, 48, 0)
        assert Image.open(video.poster.open()).size == (64, 48)
    assert not Rendition.objects.exists()  # nothing to convert


def animation() -> bytes:
    out = io.BytesIO()
    frames = [Image.new("RGB", (32, 32), (shade, 0, 0)) for shade in (0, 200)]
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], duration=100)
    return out.getvalue()


NO_IMAGES = {
    "words": (b"this is no picture at all", "cannot be decoded"),
    "half": (picture("jpg", size=(400, 300))[:700], "the image is incomplete"),
    "header": (b"\x89PNG\r\n\x1a\n and nothing else", "the image is incomplete"),
    "moving": (animation(), "it is an animation"),
}


@pytest.mark.parametrize("name", NO_IMAGES)
def test_what_is_no_image_is_refused_with_file_and_reason(folder, name):
    content, reason = NO_IMAGES[name]
    (folder / "v001.png").write_bytes(content)
    faults = [str(fault) for fault in read_campaign(folder).faults]
    assert len(faults) == 1
    assert "v001.png" in faults[0]
    assert reason in faults[0]
    with pytest.raises(UnreadableVideo, match=reason):
        list(read_frames(folder / "v001.png", Sampling.parse("uniform:4")))


def test_a_photograph_is_turned_as_its_camera_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # held upright: a quarter turn
    (tmp_path / "a.jpg").write_bytes(picture("jpg", size=(64, 48), exif=exif))
    (frame,) = read_frames(tmp_path / "a.jpg", Sampling.parse("fps:1"))
    assert (frame.seconds, frame.image.size, frame.image.mode) == (0.0, (48, 64), "RGB")


def test_pages_show_an_image_and_no_player(campaign, client, organiser):
    client.force_login(organiser)
    video = campaign.videos.first()
    page = markup(client.get(reverse("hits:video-detail", args=[campaign.slug, video.pk])))
    file = reverse("hits:video-file", args=[campaign.slug, video.pk])
    assert f'src="{file}"' in page
    assert "<video" not in page
    assert client.get(file)["Content-Type"] == "image/jpeg"


def test_an_address_that_ends_as_an_image_is_one(campaign, rf):
    video = campaign.videos.first()
    video.file, video.codec, video.url = "", "", "https://pictures.example/a.PNG?width=3"
    assert video.is_image
    from django.http import HttpResponse

    policy = allow_media(rf.get("/"), HttpResponse(), [video.url])._csp_update
    assert policy["img-src"] == ["https://pictures.example"]


def test_metrics_look_at_the_one_frame_there_is(campaign, folder, tmp_path, settings):
    settings.METRIC_MODELS = ["demo"]
    make_hit(campaign)
    scored = tmp_path / "scored"
    call_command("score_campaign", campaign.slug, "--metrics=clip_mean,clip_image,emscore",
                 "--model=demo", "--anyway", "--now", f"--out={scored}")  # fmt: skip
    from_rows = values(scored / "scores.csv")
    assert len(from_rows["clip_mean"]) == 9  # two systems and the hidden human one
    assert not np.isnan([*from_rows["emscore"].values()]).any()
    assert from_rows["clip_mean"] == pytest.approx(from_rows["clip_image"])

    call_command("score", str(folder / "captions.csv"), "--images", str(folder), "--model=demo",
                 "--anyway", "--metrics=clip_mean", f"--out={tmp_path / 'files.csv'}",
                 stderr=io.StringIO())  # fmt: skip
    for key, value in values(tmp_path / "files.csv")["clip_mean"].items():
        assert value == pytest.approx(from_rows["clip_mean"][key])


def test_a_broken_image_has_no_score_and_a_reason(folder, tmp_path, capsys):
    (folder / "v001.png").write_bytes(NO_IMAGES["half"][0])
    said = io.StringIO()
    with pytest.raises((SystemExit, CommandError)):
        call_command("score", str(folder / "captions.csv"), "--images", str(folder),
                     "--model=demo", "--anyway", "--metrics=clip_mean",
                     f"--out={tmp_path / 'files.csv'}", stderr=said)  # fmt: skip
    assert "the image is incomplete" in said.getvalue()


def values(path) -> dict[str, dict[tuple[str, str], float]]:
    found: dict[str, dict[tuple[str, str], float]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["video"], row["system"]
            found.setdefault(row["metric"], {})[key] = float(row["value"] or "nan")
    return found
