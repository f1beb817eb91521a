"""Videos that browsers do not play are converted; the original is kept."""

from __future__ import annotations

import io
from pathlib import Path

import av
import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from PIL import Image

from analysis.models import MetricRun
from analysis.selectors.metric_material import run_material
from daplatform.errors import DomainError
from daplatform.jobs.services import job_run, kinds
from hits.importing.conversion import COPIES, Copy, convert_video
from hits.importing.reading import read_campaign
from hits.importing.sandbox import UnreadableVideo, video_poster
from hits.models import Campaign, Caption, Rendition
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.annotations.person import Person, invite, link
from tests.clips import make_clip, probe_video
from tests.folders import make_folder, write_table
from tests.hits.importing_material import write_video
from tests.pages import body, shown

PHONE = "Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile Safari/537.36"


def with_sound(path: Path) -> Path:
    """MPEG-4 part 2 and MP3, as cameras of twenty years ago wrote them."""
    with av.open(str(path), "w") as container:
        picture = container.add_stream("mpeg4", rate=10)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        sound = container.add_stream("libmp3lame", rate=44_100)
        sound.layout = "mono"
        for number in range(10):
            pixels = np.full((48, 64, 3), number * 20, np.uint8)
            container.mux(picture.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(picture.encode(None))
        tone = (8_000 * np.sin(np.arange(44_100) / 20)).astype(np.int16)[None]
        frame = av.AudioFrame.from_ndarray(tone, format="s16", layout="mono")
        frame.sample_rate, frame.pts = 44_100, 0
        resampler = av.AudioResampler("fltp", "mono", 44_100, 1152)
        for part in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(sound.encode(part))
        container.mux(sound.encode(None))
    return path


def converted(source: Path, copy: Copy = COPIES["web"]) -> Path:
    target = source.with_name("converted.mp4")
    convert_video(source, target, copy, lambda done, total: None)
    return target


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [
        ("old.avi", "mpeg4", "yuv420p"),
        ("new.mkv", "libx265", "yuv420p"),
        ("cut.mov", "prores_ks", "yuv422p10le"),
        ("disc.mpg", "mpeg2video", "yuv420p"),
        ("deep.mp4", "libx264", "yuv444p"),
    ],
)
def test_what_some_browser_does_not_play_is_converted(tmp_path, name, codec, pixels):
    source = make_clip(tmp_path / name, codec=codec, pixels=pixels, rate=25)
    assert probe_video(source).unplayable

    made = converted(source)

    facts, before = probe_video(made), probe_video(source)
    assert facts.unplayable == ""
    assert facts.duration == pytest.approx(before.duration, abs=0.1)
    assert (facts.width, facts.height) == (before.width, before.height)
    content = made.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")  # it plays while it loads


def test_sound_is_kept(tmp_path):
    made = converted(with_sound(tmp_path / "a.avi"))
    with av.open(str(made)) as container:
        names = {stream.type: stream.codec_context.name for stream in container.streams}
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert names == {"video": "h264", "audio": "aac"}
    assert samples == pytest.approx(48_000, rel=0.1)


@pytest.mark.parametrize("rotation", [90, -90])
def test_a_turned_video_is_made_upright(tmp_path, rotation):
    source = write_video(tmp_path / "a.mp4", rotation=rotation)
    made = converted(source)
    facts = probe_video(made)
    assert (facts.width, facts.height) == (48, 64)
    pictures = [
        Image.open(io.BytesIO(video_poster(path))).convert("RGB") for path in (source, made)
    ]
    before, after = (np.asarray(picture, float)[16].mean(axis=0) for picture in pictures)
    assert np.argmax(before) == np.argmax(after)  # the same half is at the top


def test_a_light_copy_is_smaller(tmp_path):
    source = make_clip(tmp_path / "a.mp4", size=(1280, 720))
    facts = probe_video(converted(source, COPIES["light"]))
    assert (facts.width, facts.height) == (854, 480)


def test_what_cannot_be_decoded_says_why(tmp_path):
    broken = tmp_path / "a.avi"
    broken.write_bytes(b"RIFF" + bytes(2_000))
    with pytest.raises(UnreadableVideo, match="cannot be decoded"):
        converted(broken)


@pytest.fixture
def folder(tmp_path) -> Path:
    """Seven clips, one of them in a format of twenty years ago."""
    root = make_folder(tmp_path / "campaign", videos=7, systems=2, clips=True)
    with_sound(root / "v000.avi")
    rows = [[f"v{number:03}", f"v{number:03}.mp4"] for number in range(1, 7)]
    write_table(root / "videos.csv", ["video", "path"], [["v000", "v000.avi"], *rows])
    toml = (root / "campaign.toml").read_text()
    (root / "campaign.toml").write_text(toml + "[hits]\nsize = 10\npairs = 1\nrepeats = 1\n")
    return root


@pytest.fixture
def campaign(settings, tmp_path, organiser, folder, woken) -> Campaign:
    settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path / "data", tmp_path / "media"
    settings.METRIC_STORE = tmp_path / "store"
    return campaign_import(reading=read_campaign(folder), owner=organiser)


@pytest.mark.django_db
def test_nobody_is_asked_before_every_video_plays(campaign, client_of, organiser):
    page = reverse("hits:video-list", args=[campaign.slug])
    rendition = Rendition.objects.get()
    assert rendition.source == campaign.videos.get(name="v000").file.name
    assert rendition.kind == "web"
    assert "0 of 1 done" in shown(client_of(organiser).get(page))
    with pytest.raises(DomainError, match="1 video is still being converted"):
        batch_compose(campaign=campaign)

    job_run(rendition)

    assert "1 of 1 done" in shown(client_of(organiser).get(page))
    assert batch_compose(campaign=campaign).hits.count() > 0


@pytest.mark.django_db
def test_annotators_get_the_copy_and_metrics_the_original(campaign, folder):
    original = (folder / "v000.avi").read_bytes()
    job_run(Rendition.objects.get())
    video = campaign.videos.get(name="v000")
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign)))
    items = list(person.assignment.hit.items.select_related("caption").order_by("position"))
    place = next(at for at, item in enumerate(items) if item.caption.video_id == video.pk)
    person.save_all()

    seen = body(Client().get(person.items[place]["media"]))

    assert seen == Rendition.objects.get().file.read()
    assert seen != original
    assert b"ftyp" in seen[:12]
    assert video.file.read() == original
    run = MetricRun.objects.create(
        campaign=campaign, metrics=["emscore"], choices={}, last_caption=10**9
    )
    assert run_material(run).stored["v000"] == video.file.name


@pytest.mark.django_db
def test_a_phone_gets_the_lighter_copy(campaign, client_of, organiser, tmp_path):
    video = campaign.videos.get(name="v001")
    light = Rendition.objects.create(source=video.file.name, kind="light")
    job_run(light)
    light.refresh_from_db()
    address = reverse("hits:video-file", args=[campaign.slug, video.pk])
    client = client_of(organiser)
    at_desk, at_phone = client.get(address), client.get(address, headers={"User-Agent": PHONE})
    assert body(at_phone) == light.file.read()
    assert body(at_desk) == video.file.read()
    assert at_desk["ETag"] != at_phone["ETag"]


def replace(name: str, content: bytes) -> None:
    default_storage.delete(name)
    default_storage.save(name, ContentFile(content))


@pytest.mark.django_db
def test_what_failed_is_named_and_can_be_retried(campaign, client_of, organiser, woken):
    rendition = Rendition.objects.get()
    whole = default_storage.open(rendition.source).read()
    replace(rendition.source, b"RIFF" + bytes(999))
    job_run(rendition)
    client = client_of(organiser)
    page = client.get(reverse("hits:video-list", args=[campaign.slug]))
    assert "This video cannot be converted" in shown(page)
    with pytest.raises(DomainError, match="could not be converted"):
        batch_compose(campaign=campaign)

    replace(rendition.source, whole)
    client.post(reverse("hits:video-convert", args=[campaign.slug]))

    assert ("renditions", rendition.pk) in woken
    job_run(rendition)
    rendition.refresh_from_db()
    assert rendition.status == "done"


@pytest.mark.django_db
def test_verify_notices_a_lost_copy_and_has_it_made_again(campaign, capsys):
    rendition = Rendition.objects.get()
    job_run(rendition)
    rendition.refresh_from_db()
    rendition.file.storage.delete(rendition.file.name)
    call_command("verify", repair=True)
    assert "Every converted copy of a video is there." in capsys.readouterr().out
    rendition.refresh_from_db()
    assert rendition.status == "waiting"


@pytest.mark.django_db
def test_a_heavy_file_gets_a_light_copy(settings, tmp_path, organiser, monkeypatch, woken):
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr("hits.importing.conversion.HEAVY_BYTES", 100)
    monkeypatch.setattr("hits.importing.conversion.HEAVY_BITS", 100)
    folder = make_folder(tmp_path / "heavy", videos=2, systems=1, clips=True)
    campaign_import(reading=read_campaign(folder), owner=organiser)
    assert [each.kind for each in Rendition.objects.all()] == ["light", "light"]


@pytest.mark.django_db
def test_copies_go_with_the_last_video_that_has_the_file(campaign):
    rendition = Rendition.objects.get()
    job_run(rendition)
    rendition.refresh_from_db()
    kind = kinds()["renditions"]
    kind.prune()
    assert default_storage.exists(rendition.file.name)

    Caption.objects.filter(video__campaign=campaign).delete()
    campaign.videos.all().delete()
    kind.prune()

    assert not Rendition.objects.exists()
    assert not default_storage.exists(rendition.file.name)
