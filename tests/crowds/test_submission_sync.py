"""What crowds report, matched with what people did here: forged, replayed and late work too."""

from __future__ import annotations

import pytest

from annotations.models import Assignment
from crowds.gateway import SubmissionStatus
from crowds.models import LedgerEntry, OutboxMessage, Submission
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.money import campaign_sums
from crowds.services.submissions import launch_sync
from tests.annotations.person import Person, invite, link
from tests.crowd import launch, work
from tests.crowds.crowd_people import annotator, arrive, finish, rate


@pytest.fixture
def made(campaign, market):
    campaign.assignments = 3
    campaign.save()
    made = launch(campaign)
    work(made, market)
    return made


@pytest.fixture
def hit(made):
    return made.batch.hits.get()


def test_finished_work_is_matched_with_its_person_and_turn(market, made, hit):
    finish(market, "P1", hit, "W1")
    assert launch_sync(launch=made) == 1
    row = Submission.objects.get()
    assert (row.status, row.problem, row.pay) == ("submitted", "", "")
    assert row.annotator == annotator("W1") == row.assignment.annotator


def test_syncing_twice_changes_nothing(market, made, hit):
    finish(market, "P1", hit, "W1")
    launch_sync(launch=made)
    assert launch_sync(launch=made) == 0
    assert Submission.objects.count() == 1


def test_a_page_of_reports_takes_a_fixed_number_of_queries(
    campaign, market, made, hit, django_assert_max_num_queries
):
    for person in range(3):
        finish(market, "P1", hit, f"W{person}")
    with django_assert_max_num_queries(22):
        launch_sync(launch=made)


def test_a_submission_nobody_came_here_with_is_kept_and_not_paid(market, made):
    market.submit("P1", "W9", "made-up")
    work(made, market)
    row = Submission.objects.get()
    assert (row.problem, row.assignment) == ("unknown", None)
    assert row.get_problem_display() == "Nobody came here with this submission"


def test_somebody_elses_turn_is_a_forgery_and_counts_nowhere(campaign, market, made, hit):
    """Mallory opened the page with Anna's assignment under her own name."""
    turn = arrive(hit, "Mallory", "A1")
    rate(turn)
    market.submit("P1", "Anna", "A1")
    work(made, market)
    row = Submission.objects.get()
    assert (row.problem, row.assignment) == ("forged", None)
    assert row.annotator == annotator("Anna")
    assert assignments_left_out(campaign) == [turn.pk]


def test_work_the_crowd_never_confirms_counts_nowhere(campaign, market, made, hit):
    turn = arrive(hit, "W1", "invented")
    rate(turn)
    work(made, market)
    assert assignments_left_out(campaign) == [turn.pk]


def test_whoever_is_reported_takes_an_open_place(market, made, hit):
    finish(market, "P1", hit, "W1")
    turn = arrive(hit, "W2", "invented")
    work(made, market)
    assert Submission.objects.get().assignment.slot == 1
    turn.refresh_from_db()
    assert turn.slot is None
    assert Assignment.objects.filter(hit=hit, state="open").count() == 2


def test_more_people_than_places_get_one_more_place_each(market, made, hit):
    """What the crowd has accepted is paid: their ratings are not thrown away."""
    arrived = [arrive(hit, f"W{person}", f"A{person}") for person in range(4)]
    for person, turn in enumerate(arrived):
        rate(turn)
        market.submit("P1", f"W{person}", f"A{person}")
    work(made, market)
    taken = Assignment.objects.filter(hit=hit, state="submitted")
    assert sorted(taken.values_list("slot", flat=True)) == [1, 2, 3, 4]
    assert not Assignment.objects.filter(hit=hit, state="open").exists()


def test_a_person_named_twice_at_a_hit_has_one_place(market, made, hit):
    for name in ("A1", "A2"):
        rate(arrive(hit, "W1", name))
        market.submit("P1", "W1", name)
    work(made, market)
    work(made, market)
    problems = Submission.objects.order_by("pk").values_list("problem", "assignment__slot")
    assert list(problems) == [("", 1), ("repeated", None)]


def test_a_replayed_submission_is_one_submission(market, made, hit):
    name = finish(market, "P1", hit, "W1")
    work(made, market)
    market.turns["again"] = market.turns[name]  # delivered twice, in one listing
    work(made, market)
    assert Submission.objects.count() == 1


def test_unfinished_work_is_looked_at_again_when_it_is_finished(market, made, hit):
    turn = arrive(hit, "W1", "A1")
    market.submit("P1", "W1", "A1")
    work(made, market)
    assert Submission.objects.get().problem == "unfinished"
    rate(turn)
    work(made, market)
    assert Submission.objects.get().problem == ""


def test_work_handed_in_after_it_was_given_to_another_is_late(market, made, hit):
    turn = arrive(hit, "W1", "A1")
    Assignment.objects.filter(pk=turn.pk).update(state="expired")
    market.submit("P1", "W1", "A1")
    work(made, market)
    assert Submission.objects.get().problem == "late"


@pytest.mark.parametrize(
    ("status", "state"),
    [(SubmissionStatus.RETURNED, "returned"), (SubmissionStatus.TIMED_OUT, "expired")],
)
def test_who_gives_up_at_the_crowd_makes_room_here(market, made, hit, status, state):
    turn = arrive(hit, "W1", "A1")
    market.submit("P1", "W1", "A1")
    market.turn("A1", status)
    work(made, market)
    work(made, market)
    turn.refresh_from_db()
    assert turn.state == state
    assert Assignment.objects.filter(hit=hit, state="open").count() == 3


def test_what_the_crowd_approves_by_itself_is_booked_once(campaign, market, made, hit):
    name = finish(market, "P1", hit, "W1")
    market.approve(name)
    for _ in range(2):
        launch_sync(launch=made, undecided=False)
    assert campaign_sums(campaign).spent == market.spent
    assert Submission.objects.get().pay == "pay"
    assert Assignment.objects.get(annotator=annotator("W1")).state == "approved"
    assert not OutboxMessage.objects.filter(kind="approve").exists()


def test_what_the_crowd_pays_beyond_our_promise_is_booked_all_the_same(campaign, market, made, hit):
    for person in range(3):
        market.approve(finish(market, "P1", hit, f"W{person}"))
    market.submit("P1", "W9", "uninvited")
    market.approve("uninvited")
    launch_sync(launch=made, undecided=False)
    assert LedgerEntry.objects.filter(kind="paid").count() == 4
    assert campaign_sums(campaign).spent == market.spent
    assert campaign_sums(campaign).outstanding == 0


def test_people_who_rated_enough_are_spared_further_offers(campaign, market):
    campaign.max_hits_per_annotator = 1
    campaign.save()
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    work(made, market)
    [(audience, people)] = market.lists.items()
    assert people == {"W1"}
    assert audience in market.specs["P1"].without


def test_invited_people_submit_through_our_own_rows(campaign, market):
    made = launch(campaign, crowd="invite")
    work(made, market)
    anna = Person(link(invite(campaign)))
    anna.save_all()
    anna.submit()
    for _ in range(2):
        launch_sync(launch=made)
    row = Submission.objects.get()
    assert (row.status, row.problem) == ("submitted", "")
    assert row.annotator == row.assignment.annotator
    assert assignments_left_out(campaign) == []
