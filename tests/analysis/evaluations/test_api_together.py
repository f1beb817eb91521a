"""Several campaigns, two, and a campaign's data for scripts; each is found by its signature."""

from __future__ import annotations

import pytest
from django.test import Client

from analysis.models import Description, MetricEvaluation, Result
from analysis.selectors.evaluations import evaluation_makers
from analysis.services.keys import key_create
from daplatform.jobs.services import job_run
from tests.analysis.evaluations.conftest import score
from tests.analysis.pages.conftest import rated_campaign
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking():
    def ask_as(user):
        key = key_create(owner=user, name="mine")
        return lambda address, **query: Client().get(
            f"/api/{address}", query, headers={"Authorization": f"Bearer {key}"}
        )

    return ask_as


@pytest.fixture
def ask(asking, organiser):
    return asking(organiser)


@pytest.fixture
def other(organiser, tmp_path, scored):
    folder = tmp_path / "other"
    folder.mkdir()
    second = rated_campaign(organiser, folder, name="Another year")
    score(second, cider=4.0, bleu4=20.0)
    return second


def test_an_evaluation_over_several_campaigns_has_an_address(ask, asking, scored, other, analyst):
    address = f"campaigns/{scored.slug}/sets"
    begun = ask(address, together=[other.slug], left_out=[other.slug])
    assert (begun.status_code, begun["Retry-After"]) == (202, "5")
    row = MetricEvaluation.objects.get()
    assert (row.choices["sets"], row.choices["left_out"]) == ([other.slug], [other.slug])
    job_run(row)
    done = ask(address, together=[other.slug], left_out=[other.slug])
    assert done.status_code == 200
    content = done.json()
    assert content["campaigns"] == [scored.slug, other.slug]
    assert {line["set"] for line in content["sets"]} == {scored.slug, other.slug, "mean"}
    assert content["williams"]
    row.refresh_from_db()
    assert f'"{content["signature"]}"'.encode() in evaluation_makers(row)["sets.json"]()
    found = ask("signed", signature=row.signature).json()
    assert (found["kind"], found["sets"]["sets"]) == ("sets", content["sets"])
    scored.colleagues.add(analyst)
    theirs = asking(analyst)
    assert theirs("signed", signature=row.signature).status_code == 404  # not of every campaign
    assert theirs(address, together=[other.slug]).status_code == 404
    other.colleagues.add(analyst)
    assert theirs("signed", signature=row.signature).status_code == 200


def test_a_description_has_an_address(ask, scored):
    assert ask(f"campaigns/{scored.slug}/description").status_code == 202
    row = Description.objects.get()
    job_run(row)
    done = ask(f"campaigns/{scored.slug}/description")
    assert done.status_code == 200
    assert done.json()["tables"]["texts"][0]["captions"] > 0
    row.refresh_from_db()
    found = ask("signed", signature=row.signature).json()
    assert found["kind"] == "description"
    assert found["description"]["tables"] == done.json()["tables"]


def test_two_campaigns_are_compared(ask, scored, other, stranger):
    address = f"campaigns/{scored.slug}/comparison"
    assert ask(address, other=other.slug, alpha="0.01").status_code == 202
    for row in Result.objects.all():
        assert row.choices["alpha"] == 0.01
        job_run(row)
    done = ask(address, other=other.slug, alpha="0.01")
    assert done.status_code == 200
    content = done.json()
    assert len({*content["signatures"]}) == 2
    assert content["pairs"]
    assert content["correlations"]
    assert ask(address).status_code == 422
    assert ask(address, other=make_campaign(owner=stranger).slug).status_code == 404
