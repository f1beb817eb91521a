"""Error spans, kinds of errors, and questions of a campaign's own: saved, refused, counted."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from annotations.models import Mark, Rating
from hits.services.campaigns import campaign_update
from hits.services.composing import batch_compose
from tests.annotations.person import Person, body, invite, link
from tests.factories import make_campaign
from tests.pages import body as content_of
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
OWN = {
    "comment": True,
    "errors": {"categories": ["who", "what"], "severities": {"slight": 0.5, "grave": 10.0}},
    "sliders": [
        {"name": "detail", "text": "How much does it tell?", "high": 10, "step": 5,
         "ends": ["nothing", "everything"]},
        {"name": "score", "text": "How good is it?", "levels": ["bad", "poor", "fair", "good"]},
    ],
}  # fmt: skip


def person_in(protocol, **fields):
    sizes = {"videos": 10, "systems": 2, "hit_size": 20, "pairs": 2, "repeats": 2}
    campaign = make_campaign(protocol=protocol, **(sizes | fields))
    batch_compose(campaign=campaign)
    return campaign, Person(link(invite(campaign)))


def say(person, position, **answers):
    whole = body(person.items[position]["receipt"])
    whole = {name: value for name, value in whole.items() if name not in ("score", "fluency")}
    response = person.post("/rate/save", whole | {"answers": answers})
    if response.status_code == 200:
        person.keep(response.json()["items"])
    return response


def words(person, position=0):
    return [word for sentence in person.items[position]["sentences"] for word in sentence]


def test_errors_are_minor_or_major_and_what_is_missing_is_marked_past_the_end():
    _, person = person_in("esa")
    item, found = person.items[0], words(person)
    assert len(person.items) == 2  # one caption a page, and the next
    assert found[-1] == [len(item["text"]) + 1, len(item["text"]) + 10]
    marks = [[*found[1], "minor"], [*found[2], "major"], [*found[-1], "major"]]
    assert say(person, 0, marks=marks, score=40).status_code == 200
    assert Rating.objects.get().score == 40
    assert list(Mark.objects.values_list("label", flat=True)) == ["minor", "major", "major"]


@pytest.mark.parametrize(
    ("protocol", "marks", "score", "said"),
    [
        ("esa", [[0, 1, "wrong"]], 40, "cannot be read"),
        ("esa", [[0, 1, "person/minor"]], 40, "cannot be read"),
        ("mqm", [[0, 1, "minor"]], 40, "cannot be read"),
        ("mqm", [[0, 1, "colour/minor"]], 40, "cannot be read"),
        ("esa", [[0, 500, "minor"]], 40, "begins and ends with a word"),
        ("esa", [[0, 1, "minor"], [0, 1, "major"]], 40, "overlap"),
        ("esa", [], 101, "from 0 to 100"),
        ("esa", [], None, "from 0 to 100"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_saved(protocol, marks, score, said):
    _, person = person_in(protocol)
    refused = say(person, 0, marks=marks, score=score)
    assert refused.status_code == 400
    assert said in refused.json()["error"]
    assert not Rating.objects.exists()
    assert not Mark.objects.exists()


def test_a_campaign_asks_questions_of_its_own():
    _, person = person_in("mqm", questions=OWN)
    given = {"marks": [[*words(person)[0], "who/grave"]], "score": 40, "detail": 5}
    remark = {"text": "It is short.", "ticks": []}
    assert say(person, 0, **given, comment=remark).status_code == 200
    assert Rating.objects.get().answers == given | {"comment": remark}
    nothing = {"text": "", "ticks": []}
    assert say(person, 1, marks=[], score=0, detail=0, comment=nothing).status_code == 200
    for wrong, said in (
        ({"detail": 7}, "in steps of 5"),
        ({"detail": 15}, "from 0 to 10"),
        ({"marks": [[*words(person)[0], "person/minor"]]}, "cannot be read"),
        ({"comment": {"text": "x" * 501, "ticks": []}}, "too long"),
        ({"other": 1}, "other questions"),
    ):
        refused = say(
            person, 2, **({"marks": [], "score": 1, "detail": 0, "comment": nothing} | wrong)
        )
        assert (refused.status_code, said in refused.json()["error"]) == (400, True), wrong
    assert Rating.objects.count() == 2


def test_numbers_without_a_column_are_kept_together():
    _, person = person_in("direct", questions={"sliders": OWN["sliders"][:1]})
    assert say(person, 0, score=3, detail=10).status_code == 200
    assert Rating.objects.get().answers == {"score": 3, "detail": 10}
    assert person.save(1).status_code == 400  # the score alone


def test_the_page_shows_labels_levels_and_words_as_text(client):
    hostile = "<b onclick=x>act</b>"
    campaign = make_campaign(
        protocol="mqm", questions=OWN | {"errors": {"categories": [hostile]}}, hit_size=20, pairs=2,
        repeats=2, videos=10,
    )  # fmt: skip
    batch = batch_compose(campaign=campaign)
    client.force_login(campaign.owner)
    hit = batch.hits.first()
    page = client.get(reverse("annotations:hit-preview", args=[campaign.slug, hit.pk]))
    text = markup(page)
    assert hostile not in text
    assert "&lt;b onclick=x&gt;act" in text
    for said in ("How much does it tell?", 'step="5"', "<li>poor</li>", "How serious is it?"):
        assert said in text
    assert "How well does the caption describe the video?" not in text


def test_kinds_of_errors_are_counted_by_system_and_every_answer_is_a_file(client):
    campaign, person = person_in("mqm", questions=OWN)
    for position in range(20):
        found = words(person, position)
        marks = [[*found[1], "who/slight"], [*found[-1], "what/grave"]]
        nothing = {"text": "", "ticks": []}
        given = say(person, position, marks=marks, score=50, detail=5, comment=nothing)
        assert given.status_code == 200
    assert person.submit().status_code == 200
    client.force_login(campaign.owner)
    page = client.get(reverse("analysis:factuality", args=[campaign.slug]))
    for row in page.context["kinds"]:
        assert row.counts == {"who/slight": 1, "who/grave": 0, "what/slight": 0, "what/grave": 1}
        assert row.score == -10.5
    assert "Kinds of errors by system" in shown(page)
    errors = {row["level"]: (row["units"], row["wrong"]) for row in page.context["errors"]}
    assert errors["paragraph"][0] == errors["paragraph"][1]  # below 100
    file = client.get(reverse("analysis:download", args=[campaign.slug, "questions", "csv"]))
    rows = list(csv.DictReader(io.StringIO(content_of(file).decode())))
    assert len(rows) == 20 * 5
    assert {row["value"] for row in rows if row["question"] == "marks"} == {
        "who/slight",
        "what/grave",
    }
    assert {row["value"] for row in rows if row["question"] == "detail"} == {"5"}


def test_a_file_of_questions_is_for_campaigns_that_ask_some(client):
    campaign = make_campaign()
    client.force_login(campaign.owner)
    address = reverse("analysis:download", args=[campaign.slug, "questions", "csv"])
    assert client.get(address).status_code == 404


def test_a_draft_takes_another_protocol_and_its_sizes(db):
    campaign = make_campaign(videos=10)
    changed = campaign_update(campaign=campaign, protocol="mqm")
    assert (changed.hit_size, changed.pairs, changed.repeats) == (50, 5, 5)
