"""Results in the platform: made by a worker, shown without computing, kept by signature."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.models import Result
from analysis.reading import read_ratings
from analysis.results.settings import Settings
from analysis.selectors.results import result_summary, result_systems
from analysis.services.requests import result_key, result_request
from analysis.services.results import KEPT, result_folder
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import Campaign
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.factories import make_annotator, make_campaign, make_ratings
from tests.folders import make_folder
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db
CHOICES = Settings()


@pytest.fixture
def private_results(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def campaign(private_results, organiser, tmp_path) -> Campaign:
    """Two HITs, two people each: the ranking is known, and so is who passes."""
    folder = make_folder(tmp_path / "campaign", videos=20, systems=6)
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    for hit in batch_compose(campaign=campaign).hits.all():
        items = list(hit.items.select_related("caption__system").order_by("position"))
        for offset in (0, 3):
            make_ratings(hit, make_annotator(), [score(item) + offset for item in items])
    return campaign


def score(item) -> int:
    """A degraded caption is bad, a system the better the higher its number."""
    if item.kind == "degraded":
        return 10 + item.position % 7
    name = item.caption.system.name
    quality = int(name[-1]) * 8 if name.startswith("system") else 60
    return 25 + quality + item.position % 5


@pytest.fixture
def ready(campaign) -> Result:
    result = result_request(campaign=campaign, choices=CHOICES)
    assert result is not None
    job_run(result)
    result.refresh_from_db()
    return result


def page_of(client, campaign, **query):
    return client.get(reverse("analysis:ranking", args=[campaign.slug]), query)


def test_a_result_ranks_the_systems_and_is_signed(ready):
    assert ready.status == Result.Status.DONE
    assert [row["system"] for row in result_systems(ready)][:2] == ["human-b", "system-5"]
    assert "test:t" in ready.signature
    assert "planned_captions:20|" in ready.signature
    assert result_summary(ready).counts.annotators_passed == 4


def test_the_same_ratings_and_choices_are_one_row(campaign):
    first = result_request(campaign=campaign, choices=CHOICES)
    assert result_request(campaign=campaign, choices=CHOICES).pk == first.pk
    assert result_request(campaign=campaign, choices=Settings(alpha=0.01)).pk != first.pk


def test_computing_twice_gives_the_same_bytes(ready):
    before = {path.name: path.read_bytes() for path in result_folder(ready).iterdir()}
    signature = ready.signature
    Result.objects.all().again()
    job_run(ready)
    job_run(ready)
    ready.refresh_from_db()
    assert ready.signature == signature
    assert {path.name: path.read_bytes() for path in result_folder(ready).iterdir()} == before


def test_the_files_are_those_of_the_command_line(ready, campaign, client_of, organiser, tmp_path):
    client = client_of(organiser)
    ratings = client.get(reverse("analysis:download", args=[campaign.slug, "ratings", "csv"]))
    (tmp_path / "ratings.csv").write_bytes(body(ratings))
    call_command(
        "analyse",
        str(tmp_path / "ratings.csv"),
        "--out",
        str(tmp_path / "out"),
        stdout=io.StringIO(),
    )
    for name in ("systems.csv", "significance.csv", "captions.csv"):
        address = reverse("analysis:result-file", args=[campaign.slug, ready.pk, name])
        page = b"".join(client.get(address).streaming_content)
        assert page == (tmp_path / "out" / name).read_bytes(), name


def test_ratings_are_exported_under_pseudonyms_and_can_be_read_again(
    campaign, client_of, organiser, tmp_path
):
    response = client_of(organiser).get(
        reverse("analysis:download", args=[campaign.slug, "ratings", "parquet"])
    )
    path = tmp_path / "ratings.parquet"
    path.write_bytes(body(response))
    ratings = read_ratings(path).ratings
    assert len(ratings) == 400
    assert all(name.startswith("a") for name in ratings.annotators)


def test_a_new_rating_makes_the_old_result_stale_and_the_page_says_so(
    ready, campaign, client_of, organiser, woken
):
    hit = campaign.batches.get().hits.first()
    make_ratings(hit, make_annotator(), [50] * 100)
    page = page_of(client_of(organiser), campaign)
    assert "a newer result is being computed" in shown(page)
    assert "human-b" in shown(page)
    assert woken == [("results", Result.objects.get(status="waiting").pk)]


def test_the_page_computes_nothing_and_asks_little(
    ready, campaign, client_of, organiser, django_assert_max_num_queries
):
    client = client_of(organiser)
    with django_assert_max_num_queries(13):
        page = page_of(client, campaign)
    assert page.status_code == 200
    assert "How far to trust it" in shown(page)


def test_without_ratings_the_page_says_what_to_do(client_of, organiser, private_results):
    page = page_of(client_of(organiser), make_campaign(owner=organiser))
    assert "No ratings yet" in shown(page)


def test_what_cannot_be_ranked_is_said_in_a_sentence(client_of, organiser, private_results, woken):
    from tests.factories import make_hit

    campaign = make_campaign(owner=organiser)
    make_ratings(make_hit(campaign), make_annotator(), [1, 2, 3, 4, 5, 6])
    result = result_request(campaign=campaign, choices=CHOICES)
    job_run(result)
    page = page_of(client_of(organiser), campaign)
    assert "nothing to rank" in shown(page)


def test_choices_change_the_result(campaign, client_of, organiser, woken):
    page_of(client_of(organiser), campaign, annotators="all", test="wilcoxon", alpha="0.01")
    wanted = Result.objects.get()
    assert wanted.choices["keep_all_annotators"] is True
    assert (wanted.choices["test"], wanted.choices["alpha"]) == ("wilcoxon", 0.01)


def test_quality_control_has_a_level_and_a_minimum_of_its_own(
    campaign, client_of, organiser, woken
):
    page_of(client_of(organiser), campaign, quality_alpha="0.001", min_pairs="10")
    wanted = Result.objects.get().choices
    assert (wanted["quality_alpha"], wanted["minimum_pairs"]) == (0.001, 10)
    assert wanted["alpha"] == CHOICES.alpha


def test_choices_that_make_no_sense_are_refused(campaign, client_of, organiser):
    assert page_of(client_of(organiser), campaign, test="tea-leaves").status_code == 400
    assert not Result.objects.exists()


def test_a_result_that_reviewing_overtook_is_shown_until_it_is_made_anew(
    ready, campaign, client_of, organiser, woken
):
    Result.objects.update(evidence="another time")
    content = markup(page_of(client_of(organiser), campaign))
    assert "a newer result is being computed" in content
    assert "has the highest score" in content or "leads with" in content
    assert woken == [("results", ready.pk)]
    address = reverse("analysis:result-file", args=[campaign.slug, ready.pk, "systems.csv"])
    assert client_of(organiser).get(address).status_code == 200
    job_run(ready)
    assert "being computed" not in shown(page_of(client_of(organiser), campaign))


def test_only_the_latest_results_are_kept(campaign):
    hit = campaign.batches.get().hits.first()
    for _ in range(KEPT + 2):
        job_run(result_request(campaign=campaign, choices=CHOICES))
        make_ratings(hit, make_annotator(), [50] * 100)
    assert Result.objects.count() == KEPT
    assert len(list(result_folder(Result.objects.first()).parent.iterdir())) == KEPT


def test_a_fault_of_ours_is_tried_again_after_a_while(campaign, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("analysis.services.results.analyse", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            job_run(result_request(campaign=campaign, choices=CHOICES))
    failed = result_request(campaign=campaign, choices=CHOICES)
    assert failed.status == Result.Status.FAILED
    Result.objects.update(finished_at=failed.finished_at - timedelta(hours=1))
    again = result_request(campaign=campaign, choices=CHOICES)
    assert (again.pk, again.status, again.problem) == (failed.pk, "waiting", "")


@pytest.mark.parametrize("name", ["../../../etc/passwd", "nothing.csv", "systems.exe"])
def test_only_files_of_the_result_are_handed_out(ready, campaign, client_of, organiser, name):
    address = (
        reverse("analysis:result-file", args=[campaign.slug, ready.pk, "x"]).removesuffix("x")
        + name
    )
    assert client_of(organiser).get(address).status_code == 404


def test_an_analyst_it_is_shared_with_may_look(ready, campaign, client_of, analyst):
    campaign.colleagues.add(analyst)
    assert page_of(client_of(analyst), campaign).status_code == 200


def test_strangers_are_refused(ready, campaign, client_of, stranger, client):
    addresses = [
        reverse("analysis:ranking", args=[campaign.slug]),
        reverse("analysis:download", args=[campaign.slug, "ratings", "csv"]),
        reverse("analysis:result-file", args=[campaign.slug, ready.pk, "systems.csv"]),
    ]
    for address in addresses:
        assert client_of(stranger).get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_the_csv_is_the_table_of_the_page(ready, campaign, client_of, organiser):
    address = reverse("analysis:result-file", args=[campaign.slug, ready.pk, "systems.csv"])
    content = b"".join(client_of(organiser).get(address).streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["system"] for row in rows] == [row["system"] for row in result_systems(ready)]
    assert ready.choices_key == result_key(CHOICES)


def test_a_page_that_waits_does_not_ask_again_and_again(campaign, client_of, organiser, woken):
    client = client_of(organiser)
    address = reverse("analysis:ranking", args=[campaign.slug])
    client.get(address)
    for _ in range(3):
        assert "being computed" in shown(client.get(address, headers={"HX-Request": "true"}))
    assert len(woken) == 1
