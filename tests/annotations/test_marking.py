"""Factuality: words are marked, a level is chosen, and both are saved or neither."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.urls import reverse

from annotations.models import Mark, Rating
from hits.services.composing import batch_compose
from tests.annotations.person import Person, body, invite, link
from tests.factories import make_campaign, make_user

pytestmark = pytest.mark.django_db
# Words of "A system-0 caption that tells what clip00 shows.", counted from 0.
WRONG = ((1, 1), (3, 4))


@pytest.fixture
def campaign(db):
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0
    )
    batch_compose(campaign=made)
    return made


@pytest.fixture
def person(campaign):
    return Person(link(invite(campaign)))


def marks_at(person, position, runs):
    """Marks from the first to the last word of each run."""
    [words] = person.items[position]["sentences"]
    return [[words[first][0], words[last][1], "wrong"] for first, last in runs]


def judge(person, position, marks=(), score=5):
    whole = body(person.items[position]["receipt"])
    whole = {name: value for name, value in whole.items() if name not in ("score", "fluency")}
    given = {"answers": {"marks": list(marks) if marks == () else marks, "score": score}}
    response = person.post("/rate/save", whole | given)
    if response.status_code == 200:
        person.keep(response.json()["items"])
    return response


def test_items_say_where_their_words_stand(person):
    item = person.items[0]
    [words] = item["sentences"]
    assert [item["text"][start:end] for start, end in words] == item["text"].strip(".").split()


def test_marks_are_rows_of_their_own_and_come_back(person):
    wrong = marks_at(person, 0, WRONG)
    assert judge(person, 0, wrong, 3).status_code == 200
    rating = Rating.objects.get()
    assert (rating.score, rating.answers) == (3, {"marks": wrong, "score": 3})
    rows = Mark.objects.values_list("rating", "question", "start", "end", "label")
    assert list(rows) == [(rating.pk, "marks", *mark) for mark in wrong]
    items = person.get("/rate/item?position=0").json()["items"]
    assert items[0]["answer"] == {"marks": wrong, "score": 3}


def test_a_change_keeps_the_marks_of_before(person):
    judge(person, 0, marks_at(person, 0, WRONG), 3)
    assert judge(person, 0, marks_at(person, 0, WRONG[:1]), 4).json()["revision"] == 2
    counts = [rating.marks.count() for rating in Rating.objects.order_by("revision")]
    assert counts == [2, 1]


def test_a_mark_never_changes(person):
    judge(person, 0, marks_at(person, 0, WRONG), 3)
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        Mark.objects.update(start=0)
    assert not Mark.objects.filter(start=0).exists()


def test_dying_between_rating_and_marks_saves_neither(person, monkeypatch):
    def die(*args):
        raise SystemExit

    monkeypatch.setattr(QuerySet, "bulk_create", die)
    with pytest.raises(SystemExit):
        judge(person, 0, marks_at(person, 0, WRONG), 3)
    monkeypatch.undo()
    assert not Rating.objects.exists()
    assert judge(person, 0, marks_at(person, 0, WRONG), 3).json()["revision"] == 1
    assert Mark.objects.count() == 2


def test_the_admin_shows_marks_and_changes_none(person, client):
    judge(person, 0, marks_at(person, 0, WRONG), 3)
    client.force_login(make_user(is_staff=True, is_superuser=True))
    for name in ("mark", "rating"):
        assert client.get(reverse(f"admin:annotations_{name}_changelist")).status_code == 200
    change = reverse("admin:annotations_mark_change", args=[Mark.objects.first().pk])
    assert (client.get(change).status_code, client.post(change).status_code) == (200, 403)


def test_nothing_marked_is_an_answer(person):
    assert judge(person, 0).status_code == 200
    assert not Mark.objects.exists()


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ([[0, 10_000, "wrong"]], "begins and ends with a word"),
        ([[-2, 1, "wrong"]], "begins and ends with a word"),
        ([[3, 10, "wrong"]], "begins and ends with a word"),
        ([[10, 2, "wrong"]], "begins and ends with a word"),
        ([[2, 10, "odd"]], "cannot be read"),
        ([[2, 10]], "cannot be read"),
        ([[2.0, 10, "wrong"]], "cannot be read"),
        ([[True, 10, "wrong"]], "cannot be read"),
        ({}, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_marks_that_are_none_are_refused_with_the_reason(person, marks, said):
    response = judge(person, 0, marks)
    assert (response.status_code, response.json()["code"]) == (400, "invalid-post")
    assert said in response.json()["error"]
    assert not Rating.objects.exists()
    assert not Mark.objects.exists()


@pytest.mark.parametrize("runs", [((0, 1), (1, 1)), ((3, 4), (1, 1))])
def test_marks_that_overlap_or_stand_out_of_order_are_refused(person, runs):
    response = judge(person, 0, marks_at(person, 0, runs))
    assert "do not overlap" in response.json()["error"]
    assert not Rating.objects.exists()


@pytest.mark.parametrize("score", [0, 6, True, "5", None])
def test_a_level_outside_the_scale_is_refused(person, score):
    response = judge(person, 0, marks_at(person, 0, WRONG), score)
    assert "from 1 to 5" in response.json()["error"]
    assert not Mark.objects.exists()
