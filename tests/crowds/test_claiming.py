"""Taking work when many want it at once, and keeping people and programs apart."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.errors import NothingToTake
from annotations.models import Annotator, Assignment, Rating
from annotations.services.assignments import (
    annotator_identify,
    assignments_expire,
    assignments_open_for,
    batches_open,
)
from annotations.tasks import assignments_expire_task
from annotations.tokens import Group, since
from crowds.invite.group_links import annotator_join, group_link_offer
from crowds.invite.invitations import annotators_simulate
from crowds.models import Invitation
from crowds.services.visits import assignment_claim
from daplatform.errors import DomainError
from hits.models import Campaign
from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign, make_hit
from tests.pages import shown


def person(campaign, name="Anna"):
    return annotator_identify(crowd="invite", external_id=f"{campaign.pk}:{name}")


def test_opening_a_batch_makes_the_campaigns_number_of_assignments_once(campaign):
    campaign.assignments = 3
    campaign.save()
    batch = campaign.batches.get()
    for _ in range(2):
        assignments_open_for(batch=batch)
    assert list(Assignment.objects.values_list("slot", "state")) == [
        (1, "open"),
        (2, "open"),
        (3, "open"),
    ]
    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.LIVE


def test_a_campaign_without_hits_cannot_be_opened(db):
    with pytest.raises(DomainError, match="Compose the HITs first"):
        batches_open(campaign=make_campaign())


def test_work_not_finished_in_time_can_be_taken_by_another(campaign):
    anna = Person(link(invite(campaign)))
    anna.save(0)
    later = timezone.now() + dt.timedelta(minutes=181)
    taken = assignment_claim(campaign=campaign, annotator=person(campaign, "Ben"), now=later)
    assert anna.assignment.state == Assignment.State.EXPIRED
    assert (taken.hit, taken.slot) == (anna.assignment.hit, 1)
    assert Rating.objects.get().assignment == anna.assignment  # what was rated is kept


def test_an_expired_assignment_says_so_kindly(anna):
    assignments_expire(now=timezone.now() + dt.timedelta(minutes=181))
    response = anna.client.get(anna.page_path)
    assert response.status_code == 410
    assert "run out" in shown(response)


def test_the_sweep_run_twice_changes_nothing_more(anna):
    Assignment.objects.filter(state="active").update(expires_at=timezone.now())
    for _ in range(2):
        assignments_expire_task()
    states = Counter(Assignment.objects.values_list("state", flat=True))
    assert states == {"expired": 1, "open": 1}


def test_the_sweep_leaves_work_in_time_alone(anna):
    assert assignments_expire(now=timezone.now()) == 0
    assert anna.assignment.state == Assignment.State.ACTIVE


def test_work_given_back_is_free_for_another_and_keeps_its_ratings(anna, campaign):
    anna.save(0)
    for _ in range(2):
        assert anna.post("/rate/return", {}).status_code == 200
    assert anna.assignment.state == Assignment.State.RETURNED
    ben = Person(link(invite(campaign, "Ben")))
    assert ben.work["done"] == 0
    assert Rating.objects.count() == 1
    assert anna.client.get(anna.page_path).status_code == 410


def test_submitted_work_cannot_be_given_back(anna):
    anna.save_all()
    anna.submit()
    response = anna.post("/rate/return", {})
    assert (response.status_code, response.json()["code"]) == (410, "work-closed")
    assert anna.assignment.state == Assignment.State.SUBMITTED


def test_the_database_itself_refuses_one_person_twice_at_a_hit(anna):
    mine = anna.assignment
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            campaign=mine.campaign, hit=mine.hit, slot=2, annotator=mine.annotator,
            state="active", claimed_at=mine.claimed_at, expires_at=mine.expires_at,
        )  # fmt: skip


# People and programs


def test_simulated_annotators_are_marked_for_good(campaign):
    simulated = annotators_simulate(campaign=campaign, names=["1"])[0].annotator
    assert simulated.is_simulated
    assert simulated.pseudonym.startswith("sim-")


def test_simulated_annotators_cannot_join_a_campaign_people_work_on(campaign, anna):
    make_hit(campaign)
    batches_open(campaign=campaign)
    simulated = annotators_simulate(campaign=campaign, names=["1"])[0].annotator
    with pytest.raises(NothingToTake, match="simulated annotators may not join"):
        assignment_claim(campaign=campaign, annotator=simulated)


def test_people_cannot_join_a_campaign_filled_by_simulated_annotators(campaign):
    make_hit(campaign)
    batches_open(campaign=campaign)
    simulated = annotators_simulate(campaign=campaign, names=["1"])[0].annotator
    assignment_claim(campaign=campaign, annotator=simulated)
    ben = Person(link(invite(campaign, "Ben")))
    assert ben.entered.status_code == 409
    assert "simulated" in shown(ben.entered)


def test_in_the_demo_both_may_work_side_by_side(db):
    campaign = make_campaign(is_demo=True)
    make_hit(campaign)
    make_hit(campaign)
    batches_open(campaign=campaign)
    simulated = annotators_simulate(campaign=campaign, names=["1"])[0].annotator
    assignment_claim(campaign=campaign, annotator=simulated)
    assert Person(link(invite(campaign))).entered.status_code == 302


# Many at once


def at_once(count, message):
    """Run `act(number)` in that many threads that start together; answers or errors."""
    barrier = threading.Barrier(count)

    def one(number):
        try:
            barrier.wait()
            return message(number)
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_fifty_people_racing_for_ten_assignments_get_ten():
    campaign = make_campaign()
    for _ in range(5):
        make_hit(campaign)
    campaign.assignments = 2
    campaign.save()
    batches_open(campaign=campaign)
    people = [person(campaign, f"P{number}") for number in range(50)]
    results = at_once(50, lambda n: assignment_claim(campaign=campaign, annotator=people[n]))
    taken = {result.pk for result in results if isinstance(result, Assignment)}
    assert len(taken) == 10
    assert sum(isinstance(result, NothingToTake) for result in results) == 40
    assert Assignment.objects.filter(state="active").count() == 10


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_one_person_in_many_tabs_gets_one_assignment():
    campaign = make_campaign()
    for _ in range(4):
        make_hit(campaign)
    batches_open(campaign=campaign)
    anna = person(campaign)
    results = at_once(8, lambda _: assignment_claim(campaign=campaign, annotator=anna))
    assert len({result.pk for result in results}) == 1
    assert Assignment.objects.filter(state="active").count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "joined"), [("Anna", 1), ("Anna {}", 3)])
def test_of_many_who_join_at_once_as_many_are_let_in_as_may(name, joined):
    """One under each name, and no more than three."""
    campaign = make_campaign()
    make_hit(campaign)
    batches_open(campaign=campaign)
    link = group_link_offer(campaign=campaign, people=3, by=None)
    group = Group(campaign.pk, link.version, since(campaign.created_at))
    results = at_once(8, lambda number: annotator_join(group=group, name=name.format(number)))
    assert sum(isinstance(result, DomainError) for result in results) == 8 - joined
    assert Invitation.objects.count() == joined


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_one_person_first_seen_in_many_requests_is_one_annotator():
    results = at_once(8, lambda _: annotator_identify(crowd="mturk", external_id="W1"))
    assert len({result.pk for result in results}) == 1
    assert Annotator.objects.count() == 1
