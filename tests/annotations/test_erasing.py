"""People can be forgotten; what they rated stays, and says the same."""

from __future__ import annotations

import datetime as dt
import io

import pytest
from django.core import serializers
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations import models
from annotations.models import Annotator, Arrival, Assignment, Invitation, Rating
from annotations.services.erasing import campaigns_retire
from hits.models import Campaign
from tests.annotations.person import Person, invite, link

WORDS = "My name is Anna Example"


def everything() -> str:
    """All that is stored of people, as text."""
    tables = [Annotator, Arrival, Assignment, Invitation, Rating]
    tables += [models.AnnotatorIdentity, models.Submission]
    rows = [row for table in tables for row in table.objects.all()]
    return serializers.serialize("json", rows)


@pytest.fixture
def anna(campaign):
    person = Person(link(invite(campaign, "anna@example.org")))
    person.save_all()
    person.submit(comment=WORDS)
    return person.assignment.annotator


def close(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")


def erase(**options: str) -> None:
    call_command("erase", stdout=io.StringIO(), **options)


def test_one_person_can_be_forgotten(campaign, anna):
    before = list(Rating.objects.values())
    assert "anna@example.org" in everything()
    erase(annotator=anna.pseudonym)
    assert "anna@example.org" not in everything()
    assert WORDS not in everything()
    assert list(Rating.objects.values()) == before


def test_a_whole_campaign_can_be_forgotten(campaign, anna):
    close(campaign)
    erase(campaign=campaign.slug)
    assert "anna@example.org" not in everything()
    assert WORDS not in everything()
    assert Rating.objects.exists()


def test_an_open_campaign_still_needs_to_know_its_people(campaign, anna):
    with pytest.raises(CommandError, match="Close the campaign first"):
        erase(campaign=campaign.slug)
    assert "anna@example.org" in everything()


@pytest.mark.parametrize("options", [{"annotator": "nobody"}, {"campaign": "nothing"}])
def test_it_says_who_or_what_is_not_there(db, options):
    with pytest.raises(CommandError, match=r"nobody|nothing"):
        erase(**options)


def test_campaigns_are_forgotten_after_the_time_that_is_set(campaign, anna):
    close(campaign)
    soon = timezone.now() + dt.timedelta(days=29)
    later = timezone.now() + dt.timedelta(days=31)
    assert campaigns_retire(now=later, days=0) == []
    assert campaigns_retire(now=soon, days=30) == []
    assert campaigns_retire(now=later, days=30) == [campaign]
    assert campaigns_retire(now=later, days=30) == []
    assert "anna@example.org" not in everything()
