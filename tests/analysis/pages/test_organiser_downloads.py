"""An organiser's lists as files: HITs, videos, the ledger, and who did what."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.services import organiser_downloads
from crowds.models import Launch, Submission
from tests.analysis.pages.conftest import HARM
from tests.analysis.pages.test_downloads import fetch
from tests.factories import make_user
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(campaign):
    """A launch that one piece of work was paid for, by somebody whose name is a formula."""
    batch = campaign.batches.get()
    launch = Launch.objects.create(
        batch=batch,
        crowd="invite",
        title="Rate",
        reward=1,
        currency="GBP",
        people=1,
        minutes_expected=30,
        launched_by=campaign.owner,
    )
    publication = launch.publications.create(reference="one", unit_reward=1, fee=0, priced_people=1)
    publication.published_hits.create(hit=batch.hits.first(), people=1, url="https://example.org/")
    turn = campaign.turns.order_by("hit__number", "pk").first()
    submission = Submission.objects.create(
        crowd="invite",
        external_id="W1",
        publication=publication,
        annotator=turn.annotator,
        assignment=turn,
        status="approved",
        submitted_at=timezone.now(),
    )
    booked = {"publication": publication, "amount": "1.19"}
    campaign.ledger.create(**booked, kind="committed", reason="offer")
    campaign.ledger.create(**booked, kind="paid", reason="work", submission=submission)
    campaign.ledger.create(kind="bonus", amount="0.50", reason="bonus", submission=submission)
    campaign.trail.create(person=campaign.owner, action="launched", detail=f"={HARM}")
    campaign.trail.create(action="-paid", detail="1 submission")
    return turn.annotator.pseudonym


def test_hits_say_how_many_assignments_are_done(page_of, campaign):
    turn = campaign.turns.order_by("hit__number").first()
    turn.state = "returned"
    turn.submitted_at = None
    turn.save()
    rows = fetch(page_of, campaign, "hits", "json")
    hits = campaign.batches.get().hits.count()
    assert [row["hit"] for row in rows] == list(range(1, hits + 1))
    status = [
        hit.assignments.exclude(state="returned").count()
        for hit in campaign.batches.get().hits.all()
    ]
    assert [row["assignments"] for row in rows] == [row["done"] for row in rows] == status


def test_hits_are_those_of_the_batch_on_the_page(page_of, campaign):
    page_of("download", campaign, "hits", "csv")
    assert fetch(page_of, campaign, "hits", "json", batch=9) == []
    answer = page_of("download", campaign, "hits", "csv", batch=1)
    assert f'filename="{campaign.slug}-hits-1.csv"' in answer["Content-Disposition"]


def test_videos_are_those_of_the_search(page_of, campaign):
    rows = fetch(page_of, campaign, "videos", "json", q="v00")
    assert [row["item"] for row in rows] == [f"v00{number}" for number in range(10)]
    assert all(row["captions"] == 8 for row in rows)


def test_the_ledger_is_told_in_words_newest_first(page_of, campaign, paid):
    rows = fetch(page_of, campaign, "ledger", "csv")
    assert [(row["for"], row["kind"], row["amount"], row["currency"]) for row in rows] == [
        (f"Bonus for {paid}, HIT 1-1", "Bonuses paid", "0.5", "GBP"),
        (f"Work by {paid}, HIT 1-1", "Rewards paid", "1.19", "GBP"),
        ("HIT 1-1", "Committed", "1.19", "GBP"),
    ]


def test_who_did_what_names_members_and_the_rules(page_of, campaign, paid, organiser):
    rows = fetch(page_of, campaign, "trail", "json")
    assert [(row["who"], row["what"]) for row in rows] == [
        ("automatic", "-paid"),
        (organiser.get_full_name() or organiser.username, "launched"),
    ]


@pytest.mark.parametrize("name", ["ledger", "trail"])
def test_no_cell_begins_like_a_formula(page_of, campaign, paid, name):
    campaign.owner.first_name = "=1+1"
    campaign.owner.save()
    for row in fetch(page_of, campaign, name, "csv"):
        assert not any(cell[:1] in ("=", "+", "-", "@") for cell in row.values()), row


@pytest.mark.parametrize("name", ["hits", "videos", "ledger", "trail"])
def test_pieces_make_the_same_file(page_of, campaign, paid, name, monkeypatch):
    def files() -> list[str]:
        return [str(fetch(page_of, campaign, name, format)) for format in ("csv", "parquet")]

    whole = files()
    monkeypatch.setattr(organiser_downloads, "PIECE", 1)
    assert files() == whole


@pytest.mark.parametrize("name", ["ledger", "trail"])
def test_those_who_may_only_look_get_none_of_the_money(campaign, paid, client_of, name):
    analyst = make_user("analysts")
    campaign.colleagues.add(analyst)
    address = reverse("analysis:download", args=[campaign.slug, name, "csv"])
    assert client_of(analyst).get(address).status_code == 403
    assert client_of(make_user()).get(address).status_code == 404


def test_what_comes_later_is_not_in_a_file_that_was_asked_for(campaign, paid):
    last = campaign.trail.latest("pk").pk
    campaign.trail.create(action="later")
    assert organiser_downloads.trail_download(campaign, last=last).rows == 2


@pytest.mark.parametrize(
    ("page", "files"),
    [
        ("hits:hit-list", ["hits"]),
        ("hits:video-list", ["videos"]),
        ("crowds:crowd", ["ledger", "trail"]),
    ],
)
def test_pages_link_to_their_files(campaign, paid, client_of, organiser, page, files):
    content = markup(client_of(organiser).get(reverse(page, args=[campaign.slug])))
    for name in files:
        assert reverse("analysis:download", args=[campaign.slug, name, "csv"]) in content
