"""A batch from launch to close: our rows, boto3 over HTTP, the marketplace, simulated workers."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.models import Annotator, Assignment, Rating
from crowds.models import OutboxMessage, Submission
from crowds.selectors.money import campaign_sums
from crowds.services.launches import launch_close
from crowds.services.outbox import outbox_run
from crowds.services.reconciling import launch_reconcile
from crowds.services.reviews import submissions_pay, submissions_refuse
from crowds.services.submissions import launch_sync
from hits.models import Campaign
from hits.services.composing import batch_compose
from rehearsal.mturk.faults import Fault, Trouble
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from tests.crowd import launch
from tests.factories import make_campaign, make_hit
from tests.rehearsal.mturk.market import KEYS


@pytest.fixture
def server(settings, live_server):
    """The marketplace, with the platform pointed at it."""
    with running(MarketService(), KEYS) as server:
        settings.PUBLIC_URL = live_server.url
        settings.MTURK_ENDPOINT_URL = server.origin
        settings.MTURK_ACCESS_KEY_ID = KEYS.access
        settings.MTURK_SECRET_ACCESS_KEY = KEYS.secret
        settings.MTURK_SUBMIT_ORIGINS = [server.origin]
        yield server
    # SQLite empties tables row by row, and rows of a live campaign do not go.
    Campaign.objects.update(state=Campaign.State.DRAFT)


def simulate(campaign, server, annotators: int) -> str:
    out = io.StringIO()
    call_command(
        "simulate_crowd",
        campaign.slug,
        f"--annotators={annotators}",
        f"--through-marketplace={server.origin}",
        stdout=out,
    )
    return out.getvalue()


def run_acts() -> None:
    """Until everything is done, not waiting for what failed for the moment."""
    for _ in range(8):
        outbox_run(crowd="mturk")
        OutboxMessage.objects.exclude(state="done").update(next_try_at=timezone.now())
    assert not OutboxMessage.objects.exclude(state="done").exists()


def held_against(campaign, server) -> None:
    """Our ledger and the marketplace's books, to the cent."""
    sums, account = campaign_sums(campaign), server.service.market.account
    assert sums.spent == account.paid
    assert sums.outstanding == account.held


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_twenty_hits_and_sixty_workers_through_every_trouble(server, impatient_botocore):
    shape = {"hit_size": 10, "pairs": 2, "repeats": 1}
    campaign = make_campaign(videos=20, systems=4, assignments=3, max_hits_per_annotator=1, **shape)
    batch_compose(campaign=campaign)
    assert campaign.batches.get().hits.count() == 20
    for skip, trouble in enumerate(Trouble):
        server.faults.add(Fault(trouble, "CreateHITWithHITType", times=4, skip=skip, seconds=0))
    made = launch(campaign, reward=Decimal("0.50"))
    run_acts()
    market = server.service.market
    assert len(market.hits) == 20
    held_against(campaign, server)

    for trouble in (Trouble.TWICE, Trouble.SLOW):
        server.faults.add(Fault(trouble, "externalSubmit", times=3, seconds=0))
    assert "60 HITs rated by 60 simulated annotators" in simulate(campaign, server, 60)
    assert Rating.objects.count() == 600
    assert not Annotator.objects.filter(is_simulated=False).exists()

    for _ in range(2):
        launch_sync(launch=made)
    assert Submission.objects.filter(problem="", status="submitted").count() == 60
    refused, *paid = Submission.objects.order_by("pk")
    for trouble in Trouble:
        server.faults.add(Fault(trouble, "ApproveAssignment", times=4, skip=3, seconds=0))
    submissions_pay(campaign=campaign, submissions=paid, by=campaign.owner)
    submissions_refuse(
        campaign=campaign, submissions=[refused], reason="All the same.", by=campaign.owner
    )
    run_acts()
    assert market.account.paid == 59 * Decimal("0.60")
    held_against(campaign, server)
    launch_sync(launch=made, undecided=False)
    assert launch_reconcile(launch=made) == []

    launch_close(launch=made, by=campaign.owner)
    run_acts()
    assert all(hit.disposed for hit in market.hits.values())
    assert (market.account.held, campaign_sums(campaign).outstanding) == (0, 0)
    held_against(campaign, server)


@pytest.mark.django_db(transaction=True)
def test_simulated_workers_leave_other_peoples_hits_alone(server):
    mine, other = make_campaign(), make_campaign()
    for campaign in (mine, other):
        make_hit(campaign)
        launch(campaign)
    run_acts()
    assert "1 HITs rated" in simulate(mine, server, 3)
    assert Assignment.objects.filter(campaign=other).get().state == "open"


@pytest.mark.django_db(transaction=True)
def test_a_marketplace_that_is_not_there_is_told_in_a_sentence(server):
    campaign = make_campaign()
    make_hit(campaign)
    launch(campaign)
    with pytest.raises(CommandError, match="refused"):
        call_command(
            "simulate_crowd",
            campaign.slug,
            "--through-marketplace=http://localhost:9",
            annotators=1,
        )
