"""After a restore, rows get numbers that lost rows had: no link of a lost one opens another's."""

from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client

from annotations.models import Assignment, Rating
from annotations.services.assignments import batches_open
from annotations.tokens import since
from crowds.invite.group_links import group_link_offer, join_address
from crowds.models import Invitation
from hits.models import Batch, Campaign
from tests.annotations.person import Person, crowd_link, invite, link

pytestmark = pytest.mark.django_db
LATER = dt.timedelta(microseconds=1)
TURK = "?assignmentId=3A&workerId=W1&turkSubmitTo=https://www.mturk.com"


def begin_anew(rows, field: str = "created_at") -> None:
    """As if the rows were lost, and others were made that got the same numbers."""
    for row in rows:
        setattr(row, field, getattr(row, field) + LATER)
        row.save()


def test_the_link_of_a_lost_hit_opens_no_other(campaign):
    batches_open(campaign=campaign)
    path = crowd_link(campaign, hit=campaign.batches.get().hits.get().pk) + TURK
    assert Client().get(path).status_code == 200
    begin_anew(Batch.objects.all())
    assert Client().get(path).status_code == 403
    assert Person(path).entered.status_code == 403
    assert not Assignment.objects.exclude(state="open").exists()


def test_the_link_of_a_lost_campaign_opens_no_other(campaign):
    batches_open(campaign=campaign)
    path = crowd_link(campaign) + TURK
    assert Client().get(path).status_code == 200
    begin_anew(Campaign.objects.all())
    assert Client().get(path).status_code == 403


def test_a_lost_invitation_lets_nobody_in(campaign):
    path = link(invite(campaign))
    assert Client().get(path).status_code == 200
    begin_anew(Invitation.objects.all())
    assert Client().get(path).status_code == 403


def test_the_group_link_of_a_lost_campaign_joins_no_other(campaign):
    batches_open(campaign=campaign)
    address = join_address(group_link_offer(campaign=campaign, people=3, by=None))
    path = "/rate/" + address.partition("/rate/")[2]
    assert Client().get(path).status_code == 200
    begin_anew(Campaign.objects.all())
    assert Client().get(path).status_code == 410


def test_a_page_left_open_does_not_rate_in_somebody_else_s_turn(anna):
    assert anna.save(0).status_code == 200
    begin_anew(Assignment.objects.filter(state="active"), "claimed_at")
    assert anna.save(1).status_code == 403
    assert anna.submit().status_code == 403
    assert Rating.objects.count() == 1


def test_a_moment_is_carried_to_the_microsecond():
    moment = dt.datetime(2026, 11, 17, 12, 0, 0, 1, tzinfo=dt.UTC)
    assert since(moment + LATER) - since(moment) == 1
