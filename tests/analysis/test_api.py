"""The API: keys, what they open, and the document that describes it."""

from __future__ import annotations

from typing import get_args

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from analysis.api import ChoicesIn
from analysis.forms import ChoicesForm
from analysis.models import ApiKey, Result
from analysis.services.keys import key_create, key_owner
from daplatform.jobs.tasks import job_run_task
from tests.factories import make_annotator, make_campaign, make_hit, make_ratings, make_user
from tests.pages import markup

pytestmark = pytest.mark.django_db


def ask(key: str, address: str):
    return Client().get(address, headers={"Authorization": f"Bearer {key}"})


@pytest.fixture
def campaign(organiser, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(
        job_run_task, "apply_async_on_commit", lambda args, **options: job_run_task(*args)
    )
    return make_campaign(owner=organiser)


def test_the_document_describes_every_address():
    document = Client().get("/api/openapi.json").json()
    lists = ("captions", "ratings", "scores", "result", "evaluation")
    lists += ("sets", "comparison", "description", "factuality", "marks", "answers", "written")
    assert set(document["paths"]) == {
        "/api/campaigns", "/api/campaigns/{slug}", "/api/signed",
        *(f"/api/campaigns/{{slug}}/{name}" for name in lists),
    }  # fmt: skip
    assert document["info"]["title"] == "DA Platform"


def test_a_person_can_read_it_without_anybody_elses_server():
    page = markup(Client().get("/api/"))
    assert "https://" not in page.partition("<main")[2]
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-init.js"):
        assert finders.find(f"ninja/{name}"), name
        assert f"ninja/{name.partition('.')[0]}" in page


def test_a_key_opens_what_its_owner_may_see(campaign, organiser, stranger):
    key, other = key_create(owner=organiser, name="mine"), key_create(owner=stranger, name="other")
    assert [row["slug"] for row in ask(key, "/api/campaigns").json()] == [campaign.slug]
    assert ask(other, "/api/campaigns").json() == []
    assert ask(key, f"/api/campaigns/{campaign.slug}").json()["state"] == "draft"
    assert ask(other, f"/api/campaigns/{campaign.slug}").status_code == 404


@pytest.mark.parametrize("key", ["", "da_wrong", "da_" + "x" * 5000])
def test_without_a_key_nothing_opens(campaign, key):
    assert ask(key, "/api/campaigns").status_code == 401


def test_a_key_dies_with_its_owners_account(organiser):
    key = key_create(owner=organiser, name="mine")
    organiser.is_active = False
    organiser.save()
    assert key_owner(key=key) is None


def test_only_a_digest_is_kept(organiser):
    key = key_create(owner=organiser, name="mine")
    assert key not in str(ApiKey.objects.values().get())
    assert key_owner(key=key) == organiser
    assert ApiKey.objects.get().used_at is not None


def test_asking_for_a_result_has_it_made(campaign, organiser):
    key = key_create(owner=organiser, name="mine")
    address = f"/api/campaigns/{campaign.slug}/result"
    assert ask(key, address).json()["systems"] == []
    make_ratings(make_hit(campaign), make_annotator(), [1, 2, 3, 4, 5, 6])
    begun = ask(key, address)
    assert begun.status_code == 202
    assert int(begun["Retry-After"]) > 0
    assert begun.json()["is_current"] is False
    done = ask(key, address)
    assert done.status_code == 200
    assert "Retry-After" not in done
    answer = done.json()
    assert answer["is_current"] is True
    assert "nothing to rank" in answer["problem"]


def test_lists_come_in_parts(campaign, organiser, stranger):
    key = key_create(owner=organiser, name="mine")
    address = f"/api/campaigns/{campaign.slug}/captions"
    whole = ask(key, f"{address}?limit=1000").json()
    assert (whole["count"], whole["next"]) == (len(whole["items"]), None)
    found, offset = [], 0
    while offset is not None:
        part = ask(key, f"{address}?limit=5&offset={offset}").json()
        found, offset = found + part["items"], part["next"]
    assert found == whole["items"]
    clip = {"whole", "start", "end", "part"}
    assert {"video", "system", "role", "text"} | clip == set(found[0])
    for wrong in ("limit=0", "limit=1001", "offset=-1"):
        assert ask(key, f"{address}?{wrong}").status_code == 422
    other = key_create(owner=stranger, name="other")
    rated = ("captions", "ratings", "scores", "result", "evaluation")
    for name in (*rated, "factuality", "marks", "answers", "written"):
        assert ask(other, f"/api/campaigns/{campaign.slug}/{name}").status_code == 404


def test_ratings_come_under_pseudonyms(campaign, organiser):
    key = key_create(owner=organiser, name="mine")
    address = f"/api/campaigns/{campaign.slug}/ratings"
    assert ask(key, address).json() == {"count": 0, "next": None, "items": []}
    annotator = make_annotator()
    make_ratings(make_hit(campaign), annotator, [1, 2, 3, 4, 5, 6])
    answer = ask(key, f"{address}?limit=4").json()
    assert (answer["count"], answer["next"]) == (6, 4)
    rest = ask(key, f"{address}?limit=4&offset={answer['next']}").json()
    assert rest["next"] is None
    rows = answer["items"] + rest["items"]
    assert sorted(row["score"] for row in rows) == [1, 2, 3, 4, 5, 6]
    assert {row["annotator"] for row in rows} == {annotator.pseudonym}


@pytest.mark.parametrize(
    ("choice", "there_are"),
    [
        ("annotators=some", "'passed', 'all'"),
        ("test=tea", "'t' or 'wilcoxon'"),
        ("basis=none", "'all' or 'captions'"),
        ("resample=video", "'caption' or 'annotator'"),
        ("alpha=0.0501", "choose one of 0.05, 0.01, 0.001, 0.1"),
        ("alpha=5", "choose one of"),
        ("alpha=0", "choose one of"),
        ("alpha=nan", "choose one of"),
        ("quality_alpha=0.2", "choose one of"),
        ("min_pairs=3", "choose one of 0, 5, 10, 20"),
        (
            "tset=t",
            "there are annotators, test, basis, resample, runs, alpha, quality_alpha, min_pairs",
        ),
        ("seed=8", "there are annotators"),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_starts_nothing(
    campaign, organiser, choice, there_are
):
    make_ratings(make_hit(campaign), make_annotator(), [1, 2, 3, 4, 5, 6])
    key = key_create(owner=organiser, name="mine")
    response = ask(key, f"/api/campaigns/{campaign.slug}/result?{choice}")
    assert response.status_code == 422
    assert there_are in response.json()["detail"][0]["msg"]
    assert not Result.objects.exists()


def test_the_api_and_the_page_offer_the_same_choices(campaign, organiser):
    for name, field in ChoicesIn.model_fields.items():
        page = {value for value, _ in ChoicesForm().fields[name].choices}
        enum = (field.json_schema_extra or {}).get("enum") or get_args(field.annotation)
        assert {"" if value is None else str(value) for value in enum} == page, name


@pytest.mark.parametrize("address", ["ranking/", "annotators/", "captions/", "agreement/"])
def test_a_page_asked_for_another_level_says_which_there_are(
    campaign, organiser, client_of, address
):
    make_ratings(make_hit(campaign), make_annotator(), [1, 2, 3, 4, 5, 6])
    response = client_of(organiser).get(f"/campaigns/{campaign.slug}/{address}?alpha=0.0501")
    assert response.status_code == 400
    assert "0.001" in markup(response)
    assert not Result.objects.exists()


def test_strangers_have_no_keys_page(client):
    assert client.get(reverse("key-list")).status_code == 302


def test_the_page_of_keys_asks_little(organiser, client_of, django_assert_max_num_queries):
    for number in range(5):
        key_create(owner=organiser, name=f"script {number}")
    client = client_of(organiser)
    with django_assert_max_num_queries(6):
        assert client.get(reverse("key-list")).status_code == 200


def test_a_person_makes_and_withdraws_their_keys(organiser, client_of):
    client = client_of(organiser)
    page = markup(client.post(reverse("key-list"), {"name": "nightly script"}))
    key = page.partition("<code>")[2].partition("</code>")[0]
    assert key_owner(key=key) == organiser
    assert key not in markup(client.get(reverse("key-list")))
    client.post(reverse("key-delete", args=[ApiKey.objects.get().pk]))
    assert key_owner(key=key) is None


def test_nobody_withdraws_anothers_key(organiser, client_of):
    key_create(owner=organiser, name="mine")
    address = reverse("key-delete", args=[ApiKey.objects.get().pk])
    assert client_of(make_user("organisers")).post(address).status_code == 404
    assert Client().post(address).status_code == 302
    assert ApiKey.objects.count() == 1
