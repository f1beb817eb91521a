"""Describing: people write a sentence about a video, and no caption is shown to them."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from annotations.models import Rating
from hits.models import Campaign
from hits.services.composing import batch_compose
from tests.annotations.person import Person, body, invite, link
from tests.factories import make_campaign, make_user, to_describe
from tests.pages import markup

pytestmark = pytest.mark.django_db
SENTENCE = {"text": "A dog runs along a beach.", "ticks": ["who", "what", "where"]}


@pytest.fixture
def campaign(db):
    made = to_describe(make_campaign(videos=3))
    batch_compose(campaign=made)
    return made


@pytest.fixture
def person(campaign):
    return Person(link(invite(campaign)))


def write(person, position, caption=SENTENCE, **changes):
    whole = body(person.items[position]["receipt"]) | {"answers": {"caption": caption}}
    whole = {name: value for name, value in whole.items() if name not in ("score", "fluency")}
    response = person.post("/rate/save", whole | changes)
    if response.status_code == 200:
        person.keep(response.json()["items"])
    return response


def test_a_page_shows_a_video_and_no_caption(person, campaign):
    page = markup(person.client.get(person.page_path))
    assert "Describe the video in one sentence." in page
    assert "A system-0 caption" not in page
    assert {item["text"] for item in person.items.values()} == {""}


def test_a_sentence_is_saved_with_its_ticks_and_comes_back(person):
    assert write(person, 0).status_code == 200
    rating = Rating.objects.get()
    assert (rating.score, rating.fluency, rating.answers) == (None, None, {"caption": SENTENCE})
    [item] = person.get("/rate/item?position=0").json()["items"]
    assert item["answer"] == {"caption": SENTENCE}


def test_a_change_is_another_revision(person):
    write(person, 0)
    changed = SENTENCE | {"text": "A brown dog runs along a beach."}
    assert write(person, 0, changed).json()["revision"] == 2
    assert person.reload()["done"] == 1
    assert Rating.objects.latest("revision").answers == {"caption": changed}


def test_the_whole_work_is_handed_in(person):
    for position in range(3):
        assert write(person, position).status_code == 200
    assert person.submit().status_code == 200
    assert person.assignment.state == "submitted"


@pytest.mark.parametrize(
    ("caption", "said"),
    [
        ("A dog.", "Write a sentence"),
        (None, "Write a sentence"),
        ({"text": "A dog."}, "Write a sentence"),
        ({"text": "   ", "ticks": []}, "in one line"),
        ({"text": "A dog\nruns.", "ticks": []}, "in one line"),
        ({"text": "A \x00 dog.", "ticks": []}, "in one line"),
        ({"text": 7, "ticks": []}, "in one line"),
        ({"text": "a" * 501, "ticks": []}, "500 characters at most"),
        ({"text": "A dog.", "ticks": ["why"]}, "Tick each hint once"),
        ({"text": "A dog.", "ticks": ["who", "who"]}, "Tick each hint once"),
        ({"text": "A dog.", "ticks": "who"}, "Tick each hint once"),
    ],
)
def test_what_is_no_sentence_is_refused_with_the_reason(person, caption, said):
    response = write(person, 0, caption)
    assert (response.status_code, response.json()["code"]) == (400, "invalid-post")
    assert said in response.json()["error"]
    assert not Rating.objects.exists()


@pytest.mark.parametrize("answers", [{}, {"score": 5}, {"caption": SENTENCE, "score": 5}])
def test_other_questions_are_refused(person, answers):
    response = write(person, 0, answers=answers)
    assert response.status_code == 400
    assert "other questions" in response.json()["error"]


@pytest.mark.parametrize("answers", [[], "x", None, 5])
def test_answers_of_another_shape_are_refused(person, answers):
    assert write(person, 0, answers=answers).status_code == 400
    assert not Rating.objects.exists()


def test_a_number_is_no_answer_here_and_a_sentence_none_elsewhere(person):
    assert person.save(0, 50).status_code == 400
    other = make_campaign(owner=make_user("organisers"), videos=4)
    Campaign.objects.filter(pk=other.pk).update(hit_size=10, pairs=1, repeats=1)
    other.refresh_from_db()
    batch_compose(campaign=other)
    assert write(Person(link(invite(other))), 0).status_code == 400
    assert not Rating.objects.exists()


def test_the_database_holds_no_rating_without_an_answer(person):
    write(person, 0)
    rating = Rating.objects.get()
    rating.pk, rating.revision, rating.answers = None, 2, None
    rating.key = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(IntegrityError), transaction.atomic():
        rating.save(force_insert=True)


def test_two_people_at_a_hit_are_different_people(campaign):
    anna, ben = (Person(link(invite(campaign, name))) for name in ("Anna", "Ben"))
    assert anna.assignment.hit == ben.assignment.hit
    assert {anna.assignment.slot, ben.assignment.slot} == {1, 2}
    assert Person(link(invite(campaign, "Cleo"))).entered.status_code != 302
