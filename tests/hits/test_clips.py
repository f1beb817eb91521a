"""Clips of long videos: imported, refused with the reason, shown, scored and written as files."""

from __future__ import annotations

import csv

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.selectors.metric_material import run_material
from analysis.selectors.metric_scores import files_write
from analysis.services.keys import key_create
from analysis.services.metric_runs import metric_run_request
from annotations.models import Rating
from daplatform.errors import DomainError
from daplatform.jobs.services import job_finish
from hits.importing.reading import read_campaign
from hits.models import Clip, HitItem, Rendition, Video
from hits.services.campaigns import campaign_delete, campaign_duplicate
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.analysis.test_api import ask
from tests.annotations.person import Person, invite, link
from tests.clips import make_clip
from tests.factories import make_user
from tests.hits.importing_material import read_with, write_folder
from tests.pages import markup

pytestmark = pytest.mark.django_db
TOML = 'name = "Cooking"\ncontrol = "human-a"\n[hits]\nsize = 10\npairs = 2\nrepeats = 1\n'
HEADER = "video,system,caption,start,end,part\n"
CAPTIONS = HEADER + (
    "v1,alpha,somebody cuts an onion,0,2,1\nv1,alpha,somebody fries it,1.5,4,2\n"
    "v1,beta,an onion,0,2,1\nv1,beta,a pan,1.5,4,2\n"
    "v2,alpha,a cat,,,\nv2,beta,a dog,,,\n"
)
REFERENCES = (
    "video,source,caption,start,end\n"
    "v1,human-a,Somebody cuts an onion.,0,2\nv1,human-a,It is fried in a pan.,1.5,4\n"
    "v1,human-b,A kitchen.,,\nv2,human-a,A cat sleeps there.,,\n"
)
FILES = {
    "campaign.toml": TOML,
    "videos.csv": "video,path\nv1,v1.mp4\nv2,v2.mp4\n",
    "captions.csv": CAPTIONS,
    "references.csv": REFERENCES,
}


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "campaign"
    root.mkdir()
    for number, name in enumerate(("v1", "v2")):
        make_clip(root / f"{name}.mp4", seconds=4, shade=number)
    return write_folder(root, FILES)


@pytest.fixture
def campaign(folder):
    reading = read_campaign(folder)
    assert reading.is_sound, [str(fault) for fault in reading.faults]
    return campaign_import(reading=reading, owner=make_user("organisers"))


def test_every_clip_is_a_video_that_shares_the_file_of_the_whole(campaign):
    shown = {video.name: video for video in campaign.videos.all()}
    assert set(shown) == {"v1", "v1 (0–2 s)", "v1 (1.5–4 s)", "v2"}  # v1 has a reference
    assert len({shown[name].file.name for name in shown if name.startswith("v1")}) == 1
    assert [shown[name].duration for name in ("v1 (0–2 s)", "v1 (1.5–4 s)", "v2")] == [2, 2.5, 4]
    clips = Clip.objects.values_list("whole", "part", "start", "end")
    assert list(clips) == [("v1", "1", 0, 2), ("v1", "2", 1.5, 4)]
    assert not Rendition.objects.exists()


def test_a_whole_that_nothing_is_said_of_is_not_shown(folder):
    told = REFERENCES.replace("v1,human-b,A kitchen.,,\n", "")
    reading = read_campaign(write_folder(folder, FILES | {"references.csv": told}))
    assert [video.name for video in reading.videos] == ["v2", "v1 (0–2 s)", "v1 (1.5–4 s)"]
    assert reading.is_sound
    assert not [fault for fault in reading.faults if "alpha" in str(fault)]  # nothing is missing
    campaign = campaign_import(reading=reading, owner=make_user("organisers"))
    texts = dict(Video.objects.values_list("name", "captions__text"))
    assert "onion" in texts["v1 (0–2 s)"] + texts["v1 (1.5–4 s)"] + "onion"
    caption = campaign.videos.get(name="v1 (1.5–4 s)").captions.get(system__name="beta")
    assert caption.text == "a pan"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("v1,alpha,late,3,2,9", "no times"),
        ("v1,alpha,late,2,2,9", "no times"),
        ("v1,alpha,late,-1,2,9", "no times"),
        ("v1,alpha,late,x,2,9", "no times"),
        ("v1,alpha,late,,2,9", "no times"),
        ("v1,alpha,late,,,9", "no times"),
        ("v1,alpha,late,0,inf,9", "no times"),
        ("v1,alpha,late,3,5,9", "ends at 5 s"),
        ("v1,alpha,late,0,3,1", "is 0–2 s elsewhere"),
        ("v1,alpha,again,0,2,1", "has a caption for video"),
        ("v7,alpha,late,0,2,9", "is not in the list of videos"),
    ],
)
def test_times_that_cannot_be_are_faults_of_their_row(folder, row, reason):
    reading = read_campaign(write_folder(folder, FILES | {"captions.csv": f"{CAPTIONS}{row}\n"}))
    [fault] = [fault for fault in reading.faults if fault.severity == "error"]
    assert reason in str(fault)
    assert (fault.where.file, fault.where.line) == ("captions.csv", 8)
    assert fault.remedy


def test_clips_of_addresses_are_taken_at_their_word(tmp_path):
    captions = HEADER + "v1,alpha,a man,0,2,\nv2,alpha,a dog,5,900,\n"
    reading = read_with(tmp_path, {"captions.csv": captions, "campaign.toml": TOML})
    assert reading.is_sound
    assert {video.seconds for video in reading.videos if video.clip} == {2, 895}


def test_people_are_handed_the_seconds_and_receipts_count_them(campaign):
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign)))
    shown = {}
    while person.work["done"] < person.work["total"]:
        position = person.work["done"]
        shown[position] = person.items[position].get("clip")
        assert person.save(position).status_code == 200
        person.work["done"] += 1
    mine = HitItem.objects.filter(hit=person.assignment.hit)
    of = mine.values_list("position", "caption__video__clip__start")
    assert {at: clip and clip[0] for at, clip in shown.items()} == dict(of)
    assert {2.0, 4.0, None} >= {clip and clip[1] for clip in shown.values()}
    assert Rating.objects.filter(is_unwatched=True).exists()  # sooner than the clip takes


def test_metrics_meet_the_references_of_the_clip_and_a_caption_is_the_mean(campaign, tmp_path):
    with pytest.raises(DomainError, match="in the middle of the whole video"):
        metric_run_request(campaign=campaign, metrics=["clip_image"])
    run = metric_run_request(campaign=campaign, metrics=["rougel"])
    material = run_material(run)
    assert material.batch.references["v1 (0–2 s)"] == ["Somebody cuts an onion."]
    # Half of the first one's seconds lie in the second clip, which is more than two fifths.
    both = ["Somebody cuts an onion.", "It is fried in a pan."]
    assert material.batch.references["v1 (1.5–4 s)"] == both
    assert material.batch.files["v1 (0–2 s)"].span == (0, 2)
    assert set(material.batch.corpus) == {"v1", "v2"}
    job_finish(run)
    files_write(campaign, tmp_path)
    ours = scores(tmp_path / "scores.csv")
    assert set(ours) == {("v1", "alpha"), ("v1", "beta"), ("v2", "alpha"), ("v2", "beta")}
    call_command(
        "score", str(tmp_path / "captions.csv"), references=tmp_path / "references.csv",
        metrics=["rougel"], out=tmp_path / "again.csv",
    )  # fmt: skip
    assert scores(tmp_path / "again.csv") == ours


def scores(path):
    with path.open(newline="") as file:
        return {(row["video"], row["system"]): row["value"] for row in csv.DictReader(file)}


def test_the_api_says_which_seconds_a_caption_is_about(campaign):
    key = key_create(owner=campaign.owner, name="mine")
    found = ask(key, f"/api/campaigns/{campaign.slug}/captions").json()["items"]
    told = {(row["video"], row["whole"], row["start"], row["part"]) for row in found}
    assert ("v1 (1.5–4 s)", "v1", 1.5, "2") in told
    assert ("v2", None, None, None) in told


def test_pages_of_members_play_the_seconds_of_a_clip(campaign, client):
    client.force_login(campaign.owner)
    for name, fragment in (("v1 (1.5–4 s)", "#t=1.5,4"), ("v2", "")):
        video = campaign.videos.get(name=name)
        page = client.get(reverse("hits:video-detail", args=[campaign.slug, video.pk]))
        file = reverse("hits:video-file", args=[campaign.slug, video.pk])
        assert f'src="{file}{fragment}"' in markup(page)


def test_a_copy_has_the_clips_and_the_file_stays_as_long_as_one_needs_it(campaign):
    copy = campaign_duplicate(campaign=campaign, owner=campaign.owner)
    assert Clip.objects.filter(video__campaign=copy).count() == 2
    file = copy.videos.get(name="v1 (0–2 s)").file
    campaign_delete(campaign=campaign)
    assert file.storage.exists(file.name)
    campaign_delete(campaign=copy)
    assert not file.storage.exists(file.name)
