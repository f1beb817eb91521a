"""Turning a launch takes as many queries of twelve HITs as of three, to look and to do."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Assignment
from annotations.tokens import entry_read
from crowds.models import (
    AuditEntry,
    Launch,
    LedgerEntry,
    OutboxMessage,
    Policy,
    Publication,
    PublishedHit,
    Submission,
)
from crowds.registry import connect
from crowds.selectors import entry, offering
from crowds.selectors.money import campaign_sums
from crowds.selectors.overview import launch_open_work
from crowds.services.launch_actions import launch_action_preview
from crowds.services.launches import (
    launch_close,
    launch_pause,
    launch_publish_again,
    launch_resume,
)
from crowds.services.money import money_left
from crowds.services.outbox import outbox_run
from crowds.services.restoring import restore_recognise
from crowds.services.topups import launch_extend, launch_top_up
from hits.models import Hit
from tests.crowd import launch
from tests.factories import make_annotator, make_campaign, make_hit


def launched(hits: int) -> Launch:
    """So many HITs for two people each; of each HIT one is left out."""
    campaign = make_campaign(assignments=2)
    batch = make_hit(campaign).batch
    Hit.objects.bulk_create(Hit(batch=batch, number=number) for number in range(2, hits + 1))
    made = launch(campaign)
    outbox_run(crowd="mturk")
    now = timezone.now()
    for place in PublishedHit.objects.filter(publication__launch=made):
        turn = Assignment.objects.get(hit=place.hit_id, slot=1)
        turn.annotator, turn.state = make_annotator(), Assignment.State.SUBMITTED
        turn.claimed_at = turn.expires_at = turn.submitted_at = now
        turn.save()
        Submission.objects.create(
            crowd="mturk",
            external_id=f"turn-{turn.pk}",
            publication=place.publication,
            annotator=turn.annotator,
            assignment=turn,
            status=Submission.Status.SUBMITTED,
            submitted_at=now,
            pay=Submission.Pay.PAY,
            decided_at=now,
            use=False,
        )
    return made


def refused(made: Launch) -> None:
    OutboxMessage.objects.update(state=OutboxMessage.State.FAILED, ended_at=timezone.now())
    made.publications.update(status=Publication.Status.CLOSED)


def paused(made: Launch) -> None:
    launch_pause(launch=made, by=made.launched_by)


ACTIONS = {
    "pause": (launch_pause, {}, None),
    "resume": (launch_resume, {}, paused),
    "close": (launch_close, {}, None),
    "publish again": (launch_publish_again, {}, refused),
    "top up": (launch_top_up, {}, None),
    "extend within places": (launch_extend, {"people": 1}, None),
    "extend beyond places": (launch_extend, {"people": 8}, None),
    "extend for days": (launch_extend, {"days": 9}, None),
}


def state(made: Launch) -> tuple[object, ...]:
    """What an action may change."""
    campaign = made.batch.campaign
    kinds = (OutboxMessage, PublishedHit, Publication, Assignment, AuditEntry)
    return campaign_sums(campaign).total, *(kind.objects.count() for kind in kinds)


@pytest.mark.parametrize("name", ACTIONS)
def test_it_asks_no_more_of_many_hits_and_does_what_it_said(db, market, name):
    service, wishes, before = ACTIONS[name]
    taken = []
    for hits in (3, 9):  # more places would not fit into one statement of SQLite
        made = launched(hits)
        if before:
            before(made)
        asked = {"launch": Launch.objects.get(pk=made.pk), "by": made.launched_by} | wishes
        old = state(made)
        with CaptureQueriesContext(connection) as looking:
            effect = launch_action_preview(service=service, **asked)
        assert state(made) == old
        assert not effect.obstacle
        with CaptureQueriesContext(connection) as doing:
            service(**asked)
        assert effect.left - money_left(made.batch.campaign) == effect.cost
        assert launch_open_work(made).open - effect.places.open == effect.asked
        taken.append((len(looking), len(doing)))
    assert taken[0] == taken[1]


def test_launching_asks_no_more_of_many_hits(db, market):
    restore_recognise()  # which the very first launch does
    taken = []
    for hits in (3, 12):
        campaign = make_campaign(assignments=2)
        batch = make_hit(campaign).batch
        Hit.objects.bulk_create(Hit(batch=batch, number=number) for number in range(2, hits + 1))
        with CaptureQueriesContext(connection) as queries:
            launch(campaign)
        taken.append(len(queries))
    assert taken[0] == taken[1]


def test_a_hit_gets_one_link_when_it_is_launched_and_none_for_its_price(
    db, market, monkeypatch, settings
):
    signed = []
    sign = entry.entry_sign
    monkeypatch.setattr(entry, "entry_sign", lambda link: signed.append(link.hit) or sign(link))
    campaign = make_campaign(assignments=20)  # more than twice what a place holds
    batch = make_hit(campaign).batch
    Hit.objects.bulk_create(Hit(batch=batch, number=number) for number in range(2, 7))
    choices = offering.Choices(crowd="mturk", reward=Decimal("0.99"))
    estimate = offering.launch_estimate(batch=batch, choices=choices, gateway=connect("mturk"))
    assert (estimate.hits, estimate.publications) == (6, 18)
    assert len(signed) == 1  # somebody's, to ask what one costs
    signed.clear()
    launch(campaign)
    assert sorted(signed) == sorted(batch.hits.values_list("pk", flat=True))
    assert campaign_sums(campaign).total == estimate.price.total
    for place in PublishedHit.objects.all():
        token = place.url.rstrip("/").rpartition("/")[2]
        assert place.url == settings.PUBLIC_URL + reverse("crowds:enter", args=[token])
        assert entry_read(token).hit == place.hit_id


def test_more_people_than_a_place_holds_are_cut_as_a_launch_cuts_them(db, market):
    made = launched(1)
    launch_extend(launch=made, by=made.launched_by, people=20)
    assert [place.people for place in PublishedHit.objects.order_by("pk")] == [2, 9, 9, 2]
    publication = made.publications.latest("pk")
    assert (publication.priced_people, publication.fee) == (2, Decimal("0.40"))


def test_what_is_left_after_thousands_of_small_amounts_is_known_to_the_cent(db):
    campaign = make_campaign()
    Policy.objects.create(campaign=campaign, budget=Decimal("3571.19"))
    LedgerEntry.objects.bulk_create(
        LedgerEntry(campaign=campaign, kind="committed", amount=Decimal("1.19"), reason="offer")
        for _ in range(3_000)
    )
    assert money_left(campaign) == Decimal("1.19")
