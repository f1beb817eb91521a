"""Attention checks: hidden in HITs, out of every result, reported beside the person."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from analysis.selectors.attention import attention_by_person, checks_answered
from analysis.services.keys import key_create
from analysis.services.snapshots import snapshot_holds, snapshot_refresh
from annotations.models import Rating
from annotations.services.assignments import batches_open
from crowds.services.reviews import video_send_back
from daplatform.verification import hits_of_another_size, unanswered_work
from hits.models import Hit, HitItem
from hits.services.composing import batch_compose
from rehearsal.people.personas import Persona
from rehearsal.people.work import crowd_invite, worker_rate_hit
from tests.analysis.pages.conftest import compute
from tests.annotations.person import Person, invite, link
from tests.annotations.person import body as rating_body
from tests.factories import make_campaign, make_hit
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db
TOLD = "This is a <check>: move the scale to the left end."
CHECKS = [{"text": TOLD, "expect": {"score": [0, 10]}}]


@pytest.fixture
def campaign(db):
    made = make_campaign(
        videos=8,
        questions={"attention": CHECKS},
        hit_size=10,
        pairs=1,
        repeats=1,
        must_watch=False,
        minutes_allowed=60,
    )
    batch_compose(campaign=made)
    return made


def rated(campaign, name, score):
    """One person does one HIT, answering every check with the score."""
    person = Person(link(invite(campaign, name)))
    for position in range(person.work["total"]):
        is_check = person.items[position]["text"] == TOLD
        assert person.save(position, score if is_check else 40 + position).status_code == 200
    assert person.submit().status_code == 200
    return person


def test_every_hit_has_the_check_besides_its_captions_and_nothing_tells_it_apart(campaign):
    for hit in Hit.objects.filter(batch__campaign=campaign):
        assert hit.items.count() == 11
        assert hit.items.get(kind="attention").text == TOLD
    person = Person(link(invite(campaign)))
    assert person.work["total"] == 11
    assert {frozenset(item) for item in person.items.values()} == {
        frozenset(["position", "page", "text", "media", "isImage", "receipt", "answer", "pad"])
    }
    assert not list(hits_of_another_size())


def test_checks_count_in_no_result_and_are_reported(campaign, client):
    attentive, hasty = rated(campaign, "Anna", 3), rated(campaign, "Ben", 70)
    names = [each.assignment.annotator.pseudonym for each in (attentive, hasty)]
    assert Rating.objects.filter(kind="attention").count() == 2
    columns = snapshot_refresh(campaign=campaign).read()
    assert len(columns["id"]) == 20
    assert not np.any(np.isin(columns["id"], Rating.objects.filter(kind="attention").values("pk")))
    assert snapshot_holds(campaign)
    assert not list(unanswered_work())
    found = attention_by_person(campaign)
    assert [found[name].words for name in names] == ["1 of 1", "0 of 1"]
    assert [each.missed for each in checks_answered(campaign)] in [
        [(), ("score",)],
        [("score",), ()],
    ]
    client.force_login(campaign.owner)
    page = client.get(reverse("analysis:annotator-detail", args=[campaign.slug, names[1]]))
    assert "This is a &lt;check&gt;" in markup(page)
    assert "score 70" in shown(page)
    assert "missed" in shown(page)
    file = client.get(reverse("analysis:download", args=[campaign.slug, "attention", "csv"]))
    lines = body(file).decode().splitlines()
    assert lines[0] == "annotator,hit,position,text,answer,passed"
    assert {(line.split(",")[0], line[-1]) for line in lines[1:]} == {
        (names[0], "1"),
        (names[1], "0"),
    }


def test_the_last_answer_to_a_check_counts(campaign):
    person = rated(campaign, "Anna", 70)
    again = Person(link(invite(campaign, "Carl")))
    for position in range(11):
        assert again.save(position, 70).status_code == 200
    check = next(at for at, item in again.items.items() if item["text"] == TOLD)
    assert again.save(check, 5).status_code == 200
    found = attention_by_person(campaign)
    assert found[again.assignment.annotator.pseudonym].words == "1 of 1"
    assert found[person.assignment.annotator.pseudonym].words == "0 of 1"


def test_the_list_of_annotators_its_file_and_the_api_have_the_counts(campaign, client):
    people = [rated(campaign, "Anna", 3), rated(campaign, "Ben", 70)]
    attentive, hasty = (each.assignment.annotator.pseudonym for each in people)
    compute(campaign)
    client.force_login(campaign.owner)
    page = client.get(reverse("analysis:annotator-list", args=[campaign.slug]))
    assert "Checks passed" in shown(page)
    assert "1 of 1" in shown(page)
    only = client.get(
        reverse("analysis:annotator-list", args=[campaign.slug]), {"show": "inattentive"}
    )
    assert hasty in shown(only)
    assert attentive not in shown(only)
    file = client.get(reverse("analysis:download", args=[campaign.slug, "annotators", "csv"]))
    head, *rows = body(file).decode().splitlines()
    at = head.split(",").index("attention_passed")
    assert {row.split(",")[0]: row.split(",")[at] for row in rows} == {attentive: "1", hasty: "0"}
    key = key_create(owner=campaign.owner, name="mine")
    answer = Client().get(
        f"/api/campaigns/{campaign.slug}/result", headers={"Authorization": f"Bearer {key}"}
    )
    told = {row["annotator"]: row["attention_passed"] for row in answer.json()["annotators"]}
    assert told == {attentive: 1, hasty: 0}


def test_a_video_sent_back_opens_its_caption_and_not_a_check_that_shows_it(db):
    marked = [{"text": TOLD, "expect": {"score": 1}}]
    made = make_campaign(protocol="esa", questions={"attention": marked}, must_watch=False)
    hit = make_hit(made)
    caption = hit.items.get(position=3).caption
    hit.items.get(position=2).delete()
    HitItem.objects.create(
        hit=hit, position=2, kind="attention", caption=caption, degraded_text=TOLD
    )
    person = Person(link(invite(made)))
    for position in range(6):
        given = {"score": None, "fluency": None, "answers": {"score": 1, "marks": []}}
        post = rating_body(person.items[position]["receipt"], **given)
        post = {name: value for name, value in post.items() if value is not None}
        assert person.post("/rate/save", post).status_code == 200
        person.reload()
    person.submit()
    video_send_back(assignment=person.assignment, video=caption.video, remark="Again?")
    assert [each["position"] for each in person.reload()["sentBack"]] == [3]


def test_a_stranger_gets_no_file_of_checks(campaign):
    address = reverse("analysis:download", args=[campaign.slug, "attention", "csv"])
    assert Client().get(address).status_code in (302, 403, 404)


def test_a_campaign_without_checks_has_no_file_of_them(client):
    plain = make_campaign()
    client.force_login(plain.owner)
    address = reverse("analysis:download", args=[plain.slug, "attention", "csv"])
    assert client.get(address).status_code == 404


def test_honest_simulated_people_do_as_a_check_says(campaign):
    batches_open(campaign=campaign)
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    people = crowd_invite(
        campaign=campaign, personas=[Persona("honest"), Persona("constant")], seed=7, start=start
    )
    for worker in people:
        worker_rate_hit(campaign=campaign, worker=worker, seed=7)
    found = attention_by_person(campaign)
    assert [found[each.annotator.pseudonym].passed for each in people] == [1, 0]
