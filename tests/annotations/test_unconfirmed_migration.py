"""Turns of before, when strangers held places too: the migration tells them apart."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps

from annotations.migrations import __name__ as folder
from annotations.models import Assignment
from tests.annotations.crowd_people import arrive, finish, rate
from tests.annotations.person import Person, invite, link
from tests.crowd import launch, work

MIGRATION = import_module(f"{folder}.0005_unconfirmed_turns")


def test_only_turns_that_a_marketplace_has_named_keep_their_place(campaign, market):
    campaign.assignments = 3
    campaign.save()
    made = launch(campaign)
    work(made, market)
    hit = made.batch.hits.get()
    finish(market, "P1", hit, "W1")
    work(made, market)
    rate(arrive(hit, "S1", "invented"))
    # As it was before: the stranger had the second place.
    Assignment.objects.get(state="open", slot=2).delete()
    Assignment.objects.filter(slot=None).update(slot=2)
    MIGRATION.strangers_lose_their_slot(apps, None)
    turns = Assignment.objects.order_by("slot").values_list("state", "slot")
    assert set(turns) == {("submitted", 1), ("open", 2), ("open", 3), ("submitted", None)}
    MIGRATION.strangers_get_a_slot(apps, None)
    assert not Assignment.objects.filter(slot=None).exists()


def test_invited_people_keep_their_place(campaign):
    anna = Person(link(invite(campaign)))
    anna.save_all()
    anna.submit()
    launch(campaign, crowd="invite")
    MIGRATION.strangers_lose_their_slot(apps, None)
    assert anna.assignment.slot == 1
