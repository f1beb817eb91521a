"""POST /rate/save: what is saved, and what is refused with a sentence and changes nothing."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import replace

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.models import Assignment, Rating
from annotations.selectors.work import session_of
from annotations.services.ratings import MAX_REVISIONS
from annotations.tokens import Entry, Receipt, entry_sign, receipt_sign, session_sign
from tests.annotations.person import EVIDENCE, Person, body, invite, link
from tests.factories import make_campaign, make_hit


def receipt_at(person, position=0, served_at=None):
    """A receipt as the server would have signed it then, for a video of four seconds."""
    receipt = Receipt(position, served_at or timezone.now(), 4000)
    return receipt_sign(receipt, assignment=person.assignment.pk)


def test_it_saves_a_rating_with_everything_analysis_wants(anna, campaign):
    before = timezone.now()
    response = anna.save(0, 73)
    assert response.status_code == 200
    rating = Rating.objects.get()
    item = anna.assignment.hit.items.get(position=0)
    assert (rating.score, rating.fluency, rating.position, rating.revision) == (73, None, 0, 1)
    assert rating.campaign == campaign
    assert (rating.item, rating.caption, rating.kind) == (item, item.caption, "system")
    assert rating.annotator == anna.assignment.annotator
    assert before <= rating.created_at <= timezone.now()
    assert {f"client_{name}": value for name, value in EVIDENCE.items()}.items() <= (
        vars(rating).items()
    )


def test_degraded_and_repeated_items_carry_their_original(anna):
    anna.save_all()
    items = list(anna.assignment.hit.items.order_by("position"))
    kinds = list(Rating.objects.order_by("position").values_list("kind", "original_id"))
    assert kinds == [(item.kind, item.original_id) for item in items]
    assert sum(original is not None for _, original in kinds) == 2


def test_it_answers_with_the_next_item_to_fetch_and_no_other(anna):
    answer = anna.save(0).json()
    assert (answer["position"], answer["revision"], answer["done"]) == (0, 1, 1)
    assert [item["position"] for item in answer["items"]] == [2]


def test_the_same_post_twice_is_saved_once(anna):
    post = body(anna.items[0]["receipt"], 61)
    first, second = (anna.post("/rate/save", post) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert {key: first.json()[key] for key in ("position", "revision", "done")} == {
        key: second.json()[key] for key in ("position", "revision", "done")
    }
    assert Rating.objects.count() == 1


def test_a_replayed_post_cannot_change_what_was_saved(anna):
    key = str(uuid.uuid4())
    anna.save(0, 61, key=key)
    assert anna.save(0, 99, key=key).status_code == 200
    assert Rating.objects.get().score == 61


def test_a_change_of_mind_is_a_new_revision_and_all_are_kept(anna):
    for score in (10, 20, 30):
        assert anna.save(0, score).status_code == 200
    revisions = Rating.objects.order_by("revision").values_list("revision", "score")
    assert list(revisions) == [(1, 10), (2, 20), (3, 30)]
    item = anna.get("/rate/item?position=0").json()["items"][0]
    assert item["answer"] == {"score": 30, "fluency": None}


def test_a_change_of_mind_tells_how_far_the_work_is(anna):
    for position in range(3):
        anna.save(position)
    assert anna.save(0, 99).json()["done"] == 3


def test_ratings_cannot_be_edited_not_even_past_the_services(anna):
    anna.save(0)
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        Rating.objects.update(score=1)


def test_fluency_is_asked_for_where_the_campaign_wants_it(db):
    campaign = make_campaign(asks_fluency=True)
    make_hit(campaign)
    person = Person(link(invite(campaign)))
    refused = person.save(0, 50)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-post")
    assert "other questions" in refused.json()["error"]
    assert person.save(0, 50, fluency=70).status_code == 200
    assert Rating.objects.get().fluency == 70


def test_fluency_is_refused_where_it_was_not_asked_for(anna):
    assert anna.save(0, 50, fluency=70).status_code == 400
    assert not Rating.objects.exists()


# When the video could have been watched (four seconds in these campaigns)


@pytest.mark.parametrize(
    ("server_seconds", "client_ms", "unwatched"),
    [(10, 9000, False), (10, 2000, True), (2, 9000, True), (4, 4000, False), (3600, 4000, False)],
)
def test_a_rating_faster_than_its_video_is_kept_and_flagged(
    anna, server_seconds, client_ms, unwatched
):
    """With the clock stopped: a busy machine would make two seconds four."""
    evidence = EVIDENCE | {"elapsed_ms": client_ms}
    with time_machine.travel(timezone.now(), tick=False):
        served = timezone.now() - dt.timedelta(seconds=server_seconds)
        receipt = receipt_at(anna, served_at=served)
        assert anna.post("/rate/save", body(receipt, evidence=evidence)).status_code == 200
    assert Rating.objects.get().is_unwatched is unwatched


def test_changing_ones_mind_needs_no_second_watching(anna):
    early = timezone.now() - dt.timedelta(seconds=60)
    receipt = receipt_at(anna, served_at=early)
    anna.post("/rate/save", body(receipt))
    anna.save(0, 80, evidence=EVIDENCE | {"elapsed_ms": 500})
    assert list(Rating.objects.values_list("is_unwatched", flat=True)) == [False, False]


def test_a_video_of_unknown_length_flags_nobody(anna, campaign):
    campaign.videos.update(duration=None)
    anna.reload()
    anna.save(0, evidence=EVIDENCE | {"elapsed_ms": 0})
    assert Rating.objects.get().is_unwatched is False


# What is refused


def refused(response, status, code):
    """The page gets a sentence it can show, and nothing was saved."""
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.json()["error"].endswith((".", "!"))
    return True


@pytest.mark.parametrize("score", [-1, 101, 50.5, "50", None, True])
def test_it_refuses_a_score_that_is_no_whole_number_from_0_to_100(anna, score):
    assert refused(anna.save(0, score), 400, "invalid-post")
    assert not Rating.objects.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"x"'])
def test_it_refuses_a_body_that_is_no_rating(anna, content):
    assert refused(anna.post("/rate/save", content), 400, "invalid-post")


def test_it_refuses_a_megabyte_without_reading_it(anna):
    post = body(anna.items[0]["receipt"]) | {"padding": "x" * 1_000_000}
    assert refused(anna.post("/rate/save", post), 413, "too-large")
    assert not Rating.objects.exists()


def test_it_refuses_an_item_of_somebody_elses_assignment(anna, campaign):
    make_hit(campaign)
    ben = Person(link(invite(campaign, "Ben")))
    response = anna.post("/rate/save", body(ben.items[0]["receipt"]))
    assert refused(response, 404, "unknown-item")
    assert not Rating.objects.exists()


def test_it_refuses_a_receipt_that_was_made_up(anna):
    receipt = anna.items[0]["receipt"].replace("0.", "3.", 1)
    assert refused(anna.post("/rate/save", body(receipt)), 404, "unknown-item")


def test_it_refuses_a_caption_whose_turn_has_not_come(anna):
    response = anna.save(1)
    assert refused(response, 409, "out-of-order")
    assert "Caption 1 comes first" in response.json()["error"]
    assert not Rating.objects.exists()


def test_it_refuses_a_position_the_hit_does_not_have(anna):
    receipt = receipt_at(anna, position=6)
    assert refused(anna.post("/rate/save", body(receipt)), 409, "out-of-order")


@pytest.mark.parametrize("damage", ["", "x", "é"])
def test_it_refuses_a_tampered_token(anna, damage):
    anna.token = anna.token[:-1] + damage if damage else ""
    assert refused(anna.post("/rate/save", body("r")), 403, "link-refused")


def test_it_refuses_the_token_of_an_entry_link(anna, campaign):
    anna.token = entry_sign(Entry(campaign=campaign.pk, crowd="mturk"))
    assert refused(anna.post("/rate/save", body("r")), 403, "link-refused")


def test_a_caption_has_so_many_ratings_at_most_and_the_last_counts(anna, monkeypatch):
    monkeypatch.setattr("annotations.services.ratings.MAX_REVISIONS", 2)
    assert [anna.save(0, score).status_code for score in (10, 20)] == [200, 200]
    response = anna.save(0, 30)
    assert refused(response, 409, "too-many-changes")
    assert "Caption 1 was rated 2 times" in response.json()["error"]
    assert list(Rating.objects.values_list("revision", "score")) == [(1, 10), (2, 20)]
    assert anna.get("/rate/item?position=0").json()["items"][0]["answer"]["score"] == 20
    assert anna.save(1).status_code == 200


def test_so_many_ratings_fit_into_their_column(db):
    _, most = connection.ops.integer_field_range("PositiveSmallIntegerField")
    assert most is None or most >= MAX_REVISIONS


def test_it_refuses_a_turn_at_an_assignment_that_is_gone(anna):
    turn = replace(session_of(anna.assignment), assignment=10**6)
    receipt = receipt_sign(Receipt(0, timezone.now(), 4000), assignment=10**6)
    anna.token = session_sign(turn)
    assert refused(anna.post("/rate/save", body(receipt)), 403, "link-refused")


def test_it_refuses_a_turn_of_another_annotator(anna):
    anna.token = session_sign(replace(session_of(anna.assignment), annotator=999))
    assert refused(anna.save(0), 403, "link-refused")


def test_it_refuses_ratings_after_submission(anna):
    anna.save_all()
    anna.submit()
    assert refused(anna.save(0, 99), 410, "work-closed")
    assert Rating.objects.filter(position=0).count() == 1


def test_it_refuses_ratings_of_work_that_was_given_back(anna):
    anna.save(0)
    anna.post("/rate/return", {})
    assert refused(anna.save(1), 410, "work-closed")
    assert Rating.objects.count() == 1


def test_a_replay_after_submission_still_finds_its_rating(anna):
    """The answer to the last post may get lost; asking again must not look like a fault."""
    key = str(uuid.uuid4())
    anna.save(0, 61, key=key)
    anna.reload()
    anna.save_all()
    anna.submit()
    assert anna.save(0, 61, key=key).status_code == 200


def test_it_refuses_ratings_when_the_time_has_run_out(anna):
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=181)):
        assert refused(anna.save(0), 410, "work-closed")
    assert not Rating.objects.exists()
    assert anna.assignment.state == Assignment.State.ACTIVE  # the sweep decides about that


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
def test_it_refuses_posts_from_other_origins(anna, origin):
    response = anna.post("/rate/save", body(anna.items[0]["receipt"]), Origin=origin)
    assert refused(response, 403, "link-refused")
    assert not Rating.objects.exists()


def test_the_public_address_is_an_origin_too(anna, settings):
    settings.PUBLIC_URL = "https://rate.example"
    post = body(anna.items[0]["receipt"])
    assert anna.post("/rate/save", post, Origin="https://rate.example").status_code == 200


@pytest.mark.parametrize("path", ["/rate/save", "/rate/submit", "/rate/return"])
def test_looking_changes_nothing(anna, path):
    assert anna.get(path).status_code == 405


def test_no_answer_sets_a_cookie(anna):
    anna.save_all()
    anna.submit()
    assert not anna.client.cookies
