"""All captions of a video on one page, for protocols that show one caption by themselves."""

from __future__ import annotations

import datetime as dt
from itertools import groupby

import pytest

from analysis.results.settings import Settings
from analysis.services.requests import result_request
from annotations.models import Rating
from annotations.services.assignments import batches_open
from daplatform.errors import DomainError
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import HitItem
from hits.protocols import protocol_named, protocols
from hits.services.campaigns import campaign_update
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from rehearsal.people.personas import Persona
from rehearsal.people.work import crowd_invite, worker_rate_hit
from tests.annotations.person import EVIDENCE, Person, invite, link
from tests.factories import make_campaign
from tests.folders import make_folder
from tests.hits.test_importing_settings import read
from tests.pages import text_of

TOGETHER = '{"together": true}'


@pytest.fixture
def campaign(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    made = make_campaign(
        videos=4,
        questions={"together": True},
        hit_size=13,
        pairs=1,
        repeats=0,
        must_watch=False,
    )
    batch_compose(campaign=made)
    return made


@pytest.mark.parametrize("name", [name for name, each in protocols().items() if not each.writes])
def test_it_changes_what_a_page_shows_and_nothing_that_is_asked(name):
    plain, together = protocol_named(name), protocol_named(name, own=TOGETHER)
    assert together.whole_video
    assert together.is_side_by_side
    assert together.questions == plain.questions
    assert together.hits.repeats == 0
    assert not together.has_own


def test_where_captions_are_written_there_is_nothing_to_put_together():
    assert protocol_named("describe", own=TOGETHER) == protocol_named("describe")


def test_a_page_has_all_captions_of_its_video_and_each_is_saved(campaign):
    person = Person(link(invite(campaign)))
    pages = {tuple(item["page"]) for item in person.items.values()}
    assert all(stop - start in (3, 4) for start, stop in pages)
    for position in range(person.work["total"]):
        page = person.items[position]["page"]
        media = {person.items[at]["media"] for at in range(*page)}
        assert len(media) == 1, "one video for all of the page"
        assert person.save(position, position).status_code == 200
    assert person.submit().status_code == 200
    assert Rating.objects.count() == person.work["total"]


def test_a_hidden_control_is_a_caption_of_another_video(campaign):
    items = HitItem.objects.filter(hit__batch__campaign=campaign).order_by("hit", "position")
    assert {item.kind for item in items} == {"system", "degraded"}
    control = items.get(kind="degraded")
    assert control.caption.video.name not in control.text
    videos = [video for video, _ in groupby(item.caption.video_id for item in items)]
    assert len(videos) == len(set(videos)), "a video stands on one page only"


def test_where_errors_are_marked_the_control_is_a_damaged_copy(db):
    made = make_campaign(
        protocol="esa", questions={"together": True}, hit_size=14, pairs=1, repeats=0
    )
    batch_compose(campaign=made)
    control = HitItem.objects.get(hit__batch__campaign=made, kind="degraded")
    assert control.words_replaced
    person = Person(link(invite(made)))
    first = person.items[0]
    assert first["page"][1] > 1
    answers = {"marks": [[*first["sentences"][0][0], "major"]], "score": 30}
    post = {
        "receipt": first["receipt"],
        "key": "8b1f7c3e-1111-4222-8333-444455556666",
        "answers": answers,
        "evidence": EVIDENCE,
    }
    assert person.post("/rate/save", post).status_code == 200
    assert Rating.objects.get().marks.count() == 1


def test_the_page_speaks_of_captions_and_lays_them_out_in_columns(campaign):
    person = Person(link(invite(campaign)))
    html = text_of(person.client.get(person.page_path))
    assert 'class="side-by-side"' in html
    assert "Read</strong> the captions that then appear" in html
    assert "come more than once" not in html
    assert len(person.work["practice"]) == 3


def test_simulated_people_rate_it_and_it_is_ranked(campaign):
    batches_open(campaign=campaign)
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    people = crowd_invite(campaign=campaign, personas=[Persona("honest")], seed=7, start=start)
    assert worker_rate_hit(campaign=campaign, worker=people[0], seed=7)
    result = result_request(campaign=campaign, choices=Settings())
    job_run(result)
    result.refresh_from_db()
    assert result.signature


def test_repeats_are_refused_in_the_plan_and_another_protocol_brings_none(campaign):
    campaign.batches.all().delete()
    with pytest.raises(DomainError, match="Repeats per HIT must be 0"):
        campaign_update(campaign=campaign, repeats=1)
    changed = campaign_update(campaign=campaign, protocol="mqm")
    assert (changed.repeats, changed.asked.whole_video) == (0, True)


def test_repeats_in_the_file_are_refused(tmp_path):
    _, faults = read(tmp_path, "together = true\n[hits]\nrepeats = 10")
    assert "Repeats per HIT must be 0" in " ".join(map(str, faults))


@pytest.mark.django_db
def test_a_folder_says_it_and_gets_hits_without_repeats(tmp_path, organiser, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = make_folder(tmp_path / "made", videos=4, systems=2)
    path = folder / "campaign.toml"
    path.write_text(f"together = true\n{path.read_text()}".replace("repeats = ", "# repeats = "))
    reading = read_campaign(folder)
    assert [str(fault) for fault in reading.faults if fault.is_error] == []
    campaign = campaign_import(reading=reading, owner=organiser)
    assert (campaign.repeats, campaign.asked.is_side_by_side) == (0, True)
