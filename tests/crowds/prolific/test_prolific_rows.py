"""A campaign on Prolific from launch to close: our rows, the stand-in's, and the money in both."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.test import Client as Browser

from annotations.models import Annotator, Assignment
from annotations.selectors.work import session_of
from annotations.services.assignments import annotator_identify, assignment_submit
from crowds.models import Arrival, LedgerEntry, OutboxMessage, Submission
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.money import campaign_sums
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch, launch_close, policy_update
from crowds.services.outbox import outbox_run
from crowds.services.reconciling import launch_reconcile
from crowds.services.reviews import submission_bonus, submissions_pay, submissions_refuse
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from crowds.services.visits import assignment_claim
from rehearsal.prolific import Fault
from rehearsal.prolific.server import sent_to
from tests.annotations.person import Person
from tests.factories import make_campaign, make_hit, make_hit_like, make_rating
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
PEOPLE = 3


@pytest.fixture
def campaign(settings, stand_in):
    settings.PROLIFIC_URL = stand_in.address
    settings.PROLIFIC_TOKEN = stand_in.market.token
    settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_PROJECT = "workspace", "project"
    campaign = make_campaign(assignments=PEOPLE, hit_size=6, pairs=2, repeats=1)
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("1000.00"))
    return campaign


@pytest.fixture
def make_batch(campaign):
    def make(hits):
        first = make_hit(campaign)
        for number in range(2, hits + 1):
            make_hit_like(first, number=number)
        return first.batch

    return make


@pytest.fixture
def launch(campaign, make_batch):
    def launch(hits=2):
        choices = Choices(crowd="prolific", reward=Decimal("5.00"))
        made = batch_launch(batch=make_batch(hits), choices=choices, by=campaign.owner)
        run()
        return made

    return launch


def run():
    """Everything that is due, as a worker would carry it out."""
    while outbox_run(crowd="prolific"):
        pass


def study_of(market):
    (study,) = market.studies.values()
    return study


def rate(market, name, launch, *, finishes=True):
    """Somebody of the crowd takes a place, rates a whole HIT and comes back."""
    one = market.begin(study_of(market).id, name)
    hit = int(one.address.rpartition("place=hit-")[2])
    assignment = assignment_claim(
        campaign=launch.batch.campaign,
        annotator=annotator_identify(crowd="prolific", external_id=name),
        hit=hit,
        crowd="prolific",
        external_id=one.id,
    )
    if finishes:
        for item in assignment.hit.items.all():
            make_rating(assignment, item, 50)
        assignment_submit(session=session_of(assignment))
    market.complete(one.id, study_of(market).fields["completion_codes"][0]["code"])
    return one


def thank(submission):
    campaign = submission.publication.launch.batch.campaign
    submission_bonus(
        campaign=campaign,
        submission=submission,
        amount=Decimal("1.25"),
        reason="Thank you",
        once="thanks",
        by=campaign.owner,
    )


def test_20_hits_and_60_people_end_with_equal_books(campaign, launch, market):
    before = market.total_balance
    batch = launch(hits=20)
    for number in range(60):
        rate(market, f"person{number:02}", batch)
    assert launch_sync(launch=batch) == 60
    submissions = list(Submission.objects.order_by("pk"))
    assert {row.problem for row in submissions} == {""}

    owner = campaign.owner
    submissions_refuse(
        campaign=campaign,
        submissions=submissions[:1],
        reason="All captions were rated within a second, before the video could be watched. " * 2,
        category="TOO_QUICKLY",
        by=owner,
    )
    submissions_pay(campaign=campaign, submissions=submissions[1:], by=owner)
    thank(submissions[5])
    run()
    assert launch_sync(launch=batch, undecided=False) == 60
    launch_close(launch=batch, by=owner)
    run()

    assert not OutboxMessage.objects.exclude(state=OutboxMessage.State.DONE).exists()
    assert study_of(market).status == "COMPLETED"
    assert launch_reconcile(launch=batch) == []
    sums = campaign_sums(campaign)
    assert sums.total * 100 == before - market.total_balance
    paid = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.PAID)
    assert paid.count() == 59


def test_somebody_comes_by_prolific_s_address_rates_and_goes_back(launch, market):
    batch = launch()
    one = market.begin(study_of(market).id, "anna")
    address = urlsplit(sent_to(one))
    person = Person(f"{address.path}?{address.query}")
    assert person.entered.status_code == 302
    assignment = Assignment.objects.get(arrival__external_id=one.id)
    assert assignment.arrival.return_to.startswith(f"{market_site(batch)}/submissions/complete?cc=")
    assert assignment.annotator.identity.external_id == "anna"


def market_site(launch):
    return launch.publications.get().address.partition("/researcher")[0]


def test_a_forged_submission_is_found_out(campaign, launch, market):
    batch = launch()
    rate(market, "anna", batch)
    assignment = Assignment.objects.get(state=Assignment.State.SUBMITTED)
    identity = assignment.annotator.identity
    identity.external_id = "somebody else"
    identity.save()
    launch_sync(launch=batch)
    assert Submission.objects.get().problem == Submission.Problem.FORGED


@pytest.mark.parametrize("fault", [Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.ERROR_AFTER])
def test_a_bonus_in_doubt_waits_for_a_person(campaign, launch, market, stand_in, fault):
    batch = launch()
    rate(market, "anna", batch)
    launch_sync(launch=batch)
    stand_in.faults.plan(fault, "POST .*/pay/")
    thank(Submission.objects.get())
    run()
    OutboxMessage.objects.update(next_try_at=batch.created_at)
    run()
    assert (
        OutboxMessage.objects.get(kind=OutboxMessage.Kind.BONUS).state == OutboxMessage.State.ASKING
    )
    assert sum(call.endswith("/pay/") for call in stand_in.calls) == 1


def test_what_fell_out_is_asked_for_again(campaign, launch, market):
    batch = launch(hits=1)
    for number in range(PEOPLE):
        rate(market, f"person{number}", batch, finishes=number > 0)
    launch_sync(launch=batch)
    submissions_refuse(
        campaign=campaign,
        submissions=Submission.objects.filter(problem=Submission.Problem.UNFINISHED),
        reason="Nothing was rated, although the completion code was given in at Prolific. " * 2,
        category="NO_DATA",
        by=campaign.owner,
    )
    run()
    launch_top_up(launch=batch, by=campaign.owner)
    run()
    assert study_of(market).places == PEOPLE + 1
    assert market.begin(study_of(market).id, "carl")


def arrive(one, **forged):
    """Open the HIT's address, with words in it changed, and press Start."""
    address = urlsplit(sent_to(one))
    query = {**dict(parse_qsl(address.query)), **forged}
    return Person(f"{address.path}?{urlencode(query)}").entered


@pytest.mark.parametrize(
    ("forged", "sentence"),
    [
        ({"SESSION_ID": "made-up"}, "Prolific did not send you here."),
        ({"PROLIFIC_PID": "bert"}, "Prolific sent somebody else here."),
    ],
)
def test_a_forged_address_takes_no_work(launch, market, forged, sentence):
    launch()
    answer = arrive(market.begin(study_of(market).id, "anna"), **forged)
    assert sentence in shown(answer)
    assert not Assignment.objects.exclude(state=Assignment.State.OPEN).exists()


def test_a_submission_to_another_study_takes_no_work(launch, market):
    launch()
    one = market.begin(study_of(market).id, "anna")
    one.study = market.draft(dict(study_of(market).fields)).id
    assert "Prolific sent somebody else here." in shown(arrive(one))


def test_who_gave_up_at_prolific_takes_no_work(launch, market):
    launch()
    one = market.begin(study_of(market).id, "anna")
    market.leave(one.id)
    assert "your part in this study is over" in shown(arrive(one))


def test_whom_prolific_names_at_the_door_has_a_place_at_once(campaign, launch, market):
    launch()
    assert arrive(market.begin(study_of(market).id, "anna")).status_code == 302
    turn = Assignment.objects.get(annotator__identity__external_id="anna")
    assert turn.slot == 1
    assert (turn.submission.status, turn.submission.problem) == ("working", "")
    assert Assignment.objects.filter(hit=turn.hit, state="open").count() == PEOPLE - 1
    assert assignments_left_out(campaign) == []


def test_a_submission_of_another_study_of_the_campaign_opens_no_other_hit(launch, market):
    """Their own HIT is in the one study, the link they open is for a HIT of the other."""
    first = launch(hits=1)
    one = market.begin(study_of(market).id, "anna")
    other = launch(hits=1)
    link = other.publications.get().published_hits.get().url
    address = urlsplit(sent_to(one))
    answer = Person(f"{urlsplit(link).path}?{address.query}").entered
    assert "Prolific sent somebody else here." in markup(answer)
    assert arrive(one).status_code == 302
    assert Assignment.objects.exclude(state="open").get().hit.batch == first.batch


def test_who_came_while_prolific_did_not_answer_counts_once_it_does(
    campaign, launch, market, stand_in
):
    batch = launch()
    one = market.begin(study_of(market).id, "anna")
    stand_in.faults.plan(Fault.ERROR, "GET .*/submissions/", times=1)
    address = urlsplit(sent_to(one))
    person = Person(f"{address.path}?{address.query}")
    assert person.save(0).status_code == 200
    turn = person.assignment
    assert turn.slot is None
    assert assignments_left_out(campaign) == [turn.pk]
    launch_sync(launch=batch)
    turn.refresh_from_db()
    assert turn.slot == 1
    assert assignments_left_out(campaign) == []


def test_who_was_listed_before_they_came_has_a_place_when_they_come(launch, market):
    batch = launch()
    one = market.begin(study_of(market).id, "anna")
    launch_sync(launch=batch)
    assert arrive(one).status_code == 302
    assert Submission.objects.get().assignment.slot == 1


def test_an_address_prolific_disowns_writes_no_row(launch, market):
    launch()
    arrive(market.begin(study_of(market).id, "anna"), SESSION_ID="made-up")
    assert not Annotator.objects.exists()
    assert not Arrival.objects.exists()


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.DROP_BEFORE, Fault.THROTTLE])
def test_nobody_is_turned_away_because_prolific_does_not_answer(launch, market, stand_in, fault):
    launch()
    one = market.begin(study_of(market).id, "anna")
    stand_in.faults.plan(fault, "GET .*/submissions/", times=9)
    assert arrive(one).status_code == 302
    assert sum("/submissions/" in call for call in stand_in.calls) == 1


def test_the_rating_page_needs_no_cookie_of_prolific(launch, market):
    launch()
    address = urlsplit(sent_to(market.begin(study_of(market).id, "anna")))
    page = Browser().get(f"{address.path}?{address.query}")
    assert page.status_code == 200
