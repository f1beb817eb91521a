"""Whatever can be listed can be searched, sorted and downloaded, in campaigns of every kind."""

from __future__ import annotations

from collections.abc import Iterator

from django.forms import ChoiceField, Form
from django.test import Client
from django.urls import reverse

from analysis.forms import AnnotatorsForm, CaptionsForm, ChoicesForm, PairForm
from analysis.presenting.downloads import formats
from analysis.services.downloads import DOWNLOADS
from analysis.services.keys import key_create
from analysis.views.evaluation import EvaluationForm
from hits.models import Campaign
from tests.access.kinds import of_every_kind
from tests.access.test_hostile_questions import problem_in

# The pages that ask something, and the file of what such a page lists.
ASKING: dict[str, tuple[type[Form], str]] = {
    "annotator-list": (AnnotatorsForm, "annotators"),
    "caption-list": (CaptionsForm, "captions"),
    "pair": (PairForm, "pair"),
    "ranking": (ChoicesForm, ""),
    "evaluation": (EvaluationForm, "points"),
}


def choices_of(form: type[Form], campaign: Campaign) -> dict[str, list[str]]:
    """What may be chosen in each field; where it depends on the campaign, its systems."""
    systems = list(campaign.systems.values_list("name", flat=True)) or [""]
    offered = {"system": systems, "first": systems, "second": systems[::-1], "q": ["a", "zz", "("]}
    return {
        name: offered.get(name) or [str(value) for value, _ in field.choices]
        for name, field in form.base_fields.items()
        if name in offered or isinstance(field, ChoiceField)
    }


def questions(form: type[Form], campaign: Campaign) -> Iterator[dict[str, str]]:
    """Something in each field alone, then each choice of each beside those of the others."""
    choices = choices_of(form, campaign)
    yield from ({name: values[0]} for name, values in choices.items())
    for turn in range(max(len(values) for values in choices.values())):
        yield {name: values[turn % len(values)] for name, values in choices.items()}


def faults(client: Client, asked: list[tuple[str, dict[str, str]]]) -> dict[str, str]:
    client.raise_request_exception = False
    answers = {f"{address} {query}": client.get(address, query) for address, query in asked}
    return {said: fault for said, answer in answers.items() if (fault := problem_in(answer))}


@of_every_kind
def test_every_list_can_be_searched_and_sorted(campaign, things, clients):
    asked = []
    for page, (form, file) in ASKING.items():
        addresses = [reverse(f"analysis:{page}", args=[campaign.slug])]
        if file:
            addresses.append(reverse("analysis:download", args=[campaign.slug, file, "parquet"]))
        asked += [(at, query) for at in addresses for query in questions(form, campaign)]
    assert faults(clients["organiser"], asked) == {}


@of_every_kind
def test_every_list_can_be_downloaded_in_every_format(campaign, things, clients):
    subjects = {"hit": things["hit"], "video": things["video"]}
    subjects |= dict.fromkeys(("answers", "pairs"), things["pseudonym"])
    asked = []
    for name in DOWNLOADS:
        args = [campaign.slug, name, *([subjects[name]] if name in subjects else [])]
        address = "analysis:download-of" if name in subjects else "analysis:download"
        asked += [(reverse(address, args=[*args, format]), {}) for format in formats()]
    assert faults(clients["organiser"], asked) == {}


@of_every_kind
def test_the_api_tells_of_every_campaign(campaign, things, organiser):
    key = key_create(owner=organiser, name="for this test")
    client = Client(headers={"Authorization": f"Bearer {key}"})
    listed = client.get(reverse("api:campaigns")).json()
    assert [row["slug"] for row in listed] == [campaign.slug]
    assert client.get(reverse("api:campaign", args=[campaign.slug])).json() in listed
    result = client.get(reverse("api:result", args=[campaign.slug]))
    assert result.status_code in (200, 202)  # 202: being made
    assert len(result.json()["systems"]) == campaign.results.count() * len(result.json()["systems"])
