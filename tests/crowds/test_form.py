"""A campaign's form: asked once after consent, refused where wrong, read by members, erased."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotations.models import Assignment, FormAnswers
from tests.annotations.person import ORIGIN, Person, invite, link
from tests.factories import make_campaign, make_hit
from tests.hits.test_importing_settings import read
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db
LEVELS = ["it is my first language", "a <little>"]
FORM = [
    {"name": "english", "text": "How well do you speak English?", "kind": "choice",
     "choices": LEVELS},
    {"name": "town", "text": "Where do you live?", "kind": "text"},
]  # fmt: skip
RIGHT = {"form-english": LEVELS[1], "form-town": " Upper Examplebury "}


@pytest.fixture
def campaign(db):
    made = make_campaign(questions={"form": FORM}, consent="Take part?")
    make_hit(made)
    make_hit(made)
    return made


def start(path, **fields):
    return Client().post(path, {"consent": "yes"} | fields, headers={"Origin": ORIGIN})


def test_the_form_stands_after_consent_as_text(campaign):
    page = markup(Client().get(link(invite(campaign))))
    assert page.index("Take part?") < page.index("About you") < page.index("Where do you live?")
    assert "a &lt;little&gt;" in page
    assert "<little>" not in page


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"form-english": "fluently"}, "Choose one of the answers to “How well"),
        ({"form-english": ""}, "Choose one of the answers"),
        ({"form-town": "  "}, "Answer “Where do you live?”"),
        ({"form-town": "x" * 201}, "up to 200 characters"),
        ({"form-town": "two\nlines"}, "in one line"),
        ({"form-town": "nul\0"}, "in one line"),
    ],
)
def test_a_wrong_answer_is_refused_with_its_question_and_nothing_is_taken(campaign, changed, said):
    refused = start(link(invite(campaign)), **(RIGHT | changed))
    assert refused.status_code == 400
    assert said in shown(refused)
    assert not FormAnswers.objects.exists()
    assert not Assignment.objects.exclude(state="open").exists()


def test_without_consent_nothing_is_kept(campaign):
    answer = Client().post(link(invite(campaign)), RIGHT, headers={"Origin": ORIGIN})
    assert answer.status_code == 409
    assert not FormAnswers.objects.exists()


def test_it_is_asked_once_and_read_by_members(campaign, client):
    path = link(invite(campaign, "anna@example.org"))
    assert start(path, **RIGHT).status_code == 302
    said = FormAnswers.objects.get()
    assert said.answers == {"english": LEVELS[1], "town": "Upper Examplebury"}
    annotator = said.assignment.annotator
    person = Person(path)  # comes back to the same turn
    person.save_all()
    person.submit()
    assert "About you" not in shown(Client().get(path))
    assert start(path).status_code == 302
    assert FormAnswers.objects.count() == 1
    assert Assignment.objects.filter(annotator=annotator).count() == 2
    client.force_login(campaign.owner)
    page = client.get(
        reverse("analysis:annotator-detail", args=[campaign.slug, annotator.pseudonym])
    )
    assert "Upper Examplebury" in shown(page)
    file = client.get(reverse("analysis:download", args=[campaign.slug, "form", "csv"]))
    assert body(file).decode().splitlines() == [
        "annotator,english,town",
        f"{annotator.pseudonym},{LEVELS[1]},Upper Examplebury",
    ]


def test_a_person_who_is_erased_takes_their_answers_along(campaign):
    start(link(invite(campaign, "anna@example.org")), **RIGHT)
    pseudonym = Assignment.objects.exclude(annotator=None).get().annotator.pseudonym
    call_command("erase", annotator=pseudonym)
    assert not FormAnswers.objects.exists()


FIELD = '[[form]]\nname = "a"\ntext = "b"\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("form = 1", "at most 12 tables"),
        ("form = [1]", "with the keys name"),
        (FIELD * 2, "occurs twice"),
        (FIELD.replace('"a"', '"A"'), "small letters"),
        (FIELD.replace('"b"', "1"), "a text of up to"),
        (FIELD + 'kind = "number"', "choice or text"),
        (FIELD + 'kind = "choice"', "two to twenty"),
        (FIELD + 'kind = "choice"\nchoices = ["a", "a"]', "different choices"),
        (FIELD + 'choices = ["a", "b"]', "no choices"),
    ],
)
def test_a_form_that_cannot_be_asked_is_refused(tmp_path, content, said):
    settings, faults = read(tmp_path, content)
    assert said in " ".join(map(str, faults))
    assert settings.questions == {}


def test_after_a_refusal_the_form_is_there_with_what_was_typed(campaign):
    path = link(invite(campaign))
    refused = start(path, **(RIGHT | {"form-english": "", "form-town": 'Upper "Examplebury"'}))
    page = markup(refused)
    assert refused.status_code == 400
    assert refused.headers["Referrer-Policy"] == "same-origin"
    assert 'value="Upper &quot;Examplebury&quot;"' in page
    assert "checked" in page[page.index('name="consent"') :].partition(">")[0]
    again = start(path, **(RIGHT | {"form-town": "x" * 201}))
    assert f'value="{LEVELS[1]}" selected'.replace("<", "&lt;").replace(">", "&gt;") in markup(
        again
    )
    assert start(path, **RIGHT).status_code == 302
