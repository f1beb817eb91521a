"""The way in: looking, agreeing, taking work, coming back, and being told why not."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from annotations.models import Annotator, Assignment
from annotations.services.assignments import batches_open
from crowds.invite.invitations import invitation_entry
from crowds.models import Arrival, Invitation, Launch
from crowds.selectors.entry import entry_path
from crowds.services.launches import launch_close
from hits.models import Campaign
from tests.annotations.person import ORIGIN, Person, crowd_link, invite, link
from tests.factories import make_campaign, make_hit
from tests.pages import markup, shown

TURK = "?assignmentId=3A&hitId=3H&workerId={}&turkSubmitTo=https://workersandbox.mturk.com"


def look(path):
    return Client().get(path)


def turk_link(campaign, worker="W1", assignment="3A"):
    batches_open(campaign=campaign)
    hit = campaign.batches.first().hits.first()
    path = crowd_link(campaign, hit=hit.pk)
    return path + TURK.format(worker).replace("=3A", f"={assignment}")


def test_looking_takes_nothing_because_mail_programs_open_links_too(campaign):
    response = look(link(invite(campaign)))
    assert response.status_code == 200
    assert "Start" in shown(response)
    assert Assignment.objects.get().state == Assignment.State.OPEN


def test_starting_takes_the_assignment(campaign):
    person = Person(link(invite(campaign)))
    assignment = Assignment.objects.get()
    assert assignment.state == Assignment.State.ACTIVE
    assert assignment.annotator == Invitation.objects.get().annotator
    assert assignment.expires_at - assignment.claimed_at == dt.timedelta(minutes=180)
    assert person.work["done"] == 0


def test_the_same_link_leads_back_to_where_one_stopped(campaign):
    path = link(invite(campaign))
    person = Person(path)
    person.save(0)
    again = Person(path)
    assert again.assignment == person.assignment
    assert (again.work["done"], sorted(again.items)) == (1, [1, 2])
    assert look(path).status_code == 302
    assert Assignment.objects.count() == 1


def test_another_device_resumes_at_the_right_caption(campaign, anna):
    anna.save(0)
    anna.save(1)
    state = Client().get("/rate/state", headers={"X-Assignment": anna.token}).json()
    assert (state["done"], [item["position"] for item in state["items"]]) == (2, [2, 3])


def test_two_people_never_get_the_same_assignment(campaign):
    anna, ben = (Person(link(invite(campaign, name))) for name in ("Anna", "Ben"))
    assert anna.entered.status_code == 302
    assert ben.entered.status_code == 409
    assert "All tasks are taken" in shown(ben.entered)


def test_one_person_never_gets_the_same_hit_twice(campaign):
    campaign.assignments = 2
    campaign.save()
    path = link(invite(campaign))
    person = Person(path)
    person.save_all()
    person.submit()
    assert Person(path).entered.status_code == 409
    assert Assignment.objects.filter(state="open").count() == 1


def test_the_next_hit_is_offered_when_one_is_done(campaign):
    make_hit(campaign)
    path = link(invite(campaign))
    first = Person(path)
    first.save_all()
    done = first.client.get(first.submit().json()["next"])
    assert "Take another task" in shown(done)
    second = Person(path)
    assert second.assignment.hit != first.assignment.hit


def test_the_maximum_of_hits_per_annotator_holds(campaign):
    make_hit(campaign)
    campaign.max_hits_per_annotator = 1
    campaign.save()
    path = link(invite(campaign))
    person = Person(path)
    person.save_all()
    person.submit()
    again = Person(path)
    assert again.entered.status_code == 409
    assert "as much as one person can" in shown(again.entered)


def test_given_up_work_does_not_count_towards_the_maximum(campaign):
    make_hit(campaign)
    campaign.max_hits_per_annotator = 1
    campaign.save()
    path = link(invite(campaign))
    person = Person(path)
    person.post("/rate/return", {})
    assert Person(path).assignment.hit != person.assignment.hit


def test_a_closed_study_says_so(campaign):
    path = link(invite(campaign))
    Campaign.objects.update(state=Campaign.State.CLOSED)
    response = look(path)
    assert response.status_code == 409
    assert "This study is closed" in shown(response)


def test_closing_a_study_lets_people_finish(campaign, anna):
    Campaign.objects.update(state=Campaign.State.CLOSED)
    anna.save_all()
    assert anna.submit().status_code == 200


def test_a_withdrawn_invitation_says_so(campaign):
    invitation = invite(campaign)
    path = link(invitation)
    invitation.delete()
    assert look(path).status_code == 403


def test_an_invitation_to_one_study_lets_nobody_into_another(campaign):
    other = make_campaign()
    make_hit(other)
    batches_open(campaign=other)
    entry = replace(invitation_entry(invite(campaign)), campaign=other.pk)
    assert look(entry_path(entry)).status_code == 403


@pytest.mark.parametrize("token", ["nonsense", "W10:x:y"])
def test_a_tampered_link_is_refused_kindly(db, token):
    response = look(f"/rate/enter/{token}/")
    assert response.status_code == 403
    assert "whole address" in shown(response)


def launched(campaign, state="live", crowd="invite", batch=None):
    """A launch of the campaign's batch, extended or not: it is open until it is closed."""
    batch = batch or campaign.batches.first()
    return Launch.objects.create(
        batch=batch,
        crowd=crowd,
        state=state,
        people=1,
        reward=0,
        minutes_expected=5,
        launched_by=campaign.owner,
    )


def test_a_link_works_as_long_as_its_launch_is_open(campaign):
    path = link(invite(campaign))
    launch = launched(campaign)
    with time_machine.travel(timezone.now() + dt.timedelta(days=400)):
        assert look(path).status_code == 200
        launch_close(launch=launch, by=campaign.owner)
        response = look(path)
    assert response.status_code == 409
    assert "This study is closed" in shown(response)


def test_work_begun_before_the_launch_was_closed_is_led_back_to(campaign, anna):
    launch_close(launch=launched(campaign), by=campaign.owner)
    again = Person(link(Invitation.objects.get()))
    assert again.assignment == anna.assignment


@pytest.mark.parametrize(
    ("crowds", "states", "sentence"),
    [
        (["invite"], ["closed"], "This study is closed"),
        (["invite"], ["paused"], "This study is paused"),
        (["invite", "invite"], ["closed", "paused"], "This study is paused"),
        (["invite", "mturk"], ["closed", "live"], "This study is closed"),
        (["mturk"], ["closed"], "There is nothing to rate yet"),
        ([None, "invite"], [None, "closed"], ""),
        (["invite", "invite"], ["closed", "live"], ""),
    ],
)
def test_a_link_says_how_the_launches_for_its_people_stand(campaign, crowds, states, sentence):
    if len(crowds) == 2:
        make_hit(campaign)
    path = link(invite(campaign))
    for batch, crowd, state in zip(campaign.batches.all(), crowds, states, strict=True):
        if crowd is not None:
            launched(campaign, state, crowd, batch)
    response = look(path)
    assert response.status_code == (409 if sentence else 200)
    assert sentence in markup(response)


def test_a_marketplaces_link_follows_the_launch_of_its_own_hit(campaign):
    path = turk_link(campaign)
    make_hit(campaign)
    batches_open(campaign=campaign)
    first, second = campaign.batches.order_by("number")
    launched(campaign, "closed", "mturk", first)
    launched(campaign, "live", "mturk", second)
    assert "This study is closed" in markup(look(path))


def test_an_entry_for_nobody_in_particular_is_refused(campaign):
    path = crowd_link(campaign, "invite")
    assert look(path).status_code == 403


def test_starting_from_another_site_is_refused(campaign):
    response = Client(HTTP_ORIGIN="https://evil.example").post(link(invite(campaign)))
    assert response.status_code == 403
    assert Assignment.objects.get().state == Assignment.State.OPEN


def test_the_way_in_sets_no_cookie(campaign):
    client = Client(HTTP_ORIGIN=ORIGIN)
    path = link(invite(campaign))
    client.get(path)
    client.get(client.post(path)["Location"])
    assert not client.cookies


# Consent


@pytest.fixture
def asking(campaign):
    campaign.consent = "We keep your ratings.\n\n<b>For science.</b>"
    campaign.save()
    return campaign


def test_consent_is_shown_first_and_is_only_text(asking):
    content = markup(look(link(invite(asking))))
    assert "&lt;b&gt;For science." in content
    assert "Agree and start" in content


def test_nothing_is_taken_without_consent(asking):
    refused = Person(link(invite(asking)))
    assert refused.entered.status_code == 409
    assert Assignment.objects.get().state == Assignment.State.OPEN


def test_consent_is_recorded_with_the_servers_time(asking):
    before = timezone.now()
    Person(link(invite(asking)), consent="yes")
    assert before <= Assignment.objects.get().consented_at <= timezone.now()


# From a marketplace


def test_a_worker_is_known_by_a_pseudonym_and_their_id_is_kept_apart(campaign):
    Person(turk_link(campaign))
    annotator = Annotator.objects.get()
    assert annotator.identity.external_id == "W1"
    assert annotator.pseudonym.startswith("a-")
    assert "W1" not in annotator.pseudonym
    arrival = Arrival.objects.get()
    assert (arrival.crowd, arrival.external_id) == ("mturk", "3A")


def test_erasing_an_identity_keeps_the_ratings(campaign):
    person = Person(turk_link(campaign))
    person.save(0)
    Annotator.objects.get().identity.delete()
    Arrival.objects.all().delete()
    assert person.save(1).status_code == 200


def test_a_replayed_visit_resumes_the_same_assignment(campaign):
    path = turk_link(campaign)
    assert Person(path).assignment == Person(path).assignment
    assert Assignment.objects.exclude(state="open").count() == 1


def test_another_worker_behind_the_same_assignment_is_refused(campaign):
    campaign.assignments = 2
    campaign.save()
    Person(turk_link(campaign, "W1"))
    second = Person(turk_link(campaign, "W2"))
    assert second.entered.status_code == 403
    assert "Somebody else" in shown(second.entered)


def test_the_same_worker_cannot_take_a_hit_again_under_a_new_assignment(campaign):
    campaign.assignments = 2
    campaign.save()
    Person(turk_link(campaign, "W1", "3A"))
    assert Person(turk_link(campaign, "W1", "3B")).entered.status_code == 409


def test_finished_work_is_reported_by_a_form_to_the_marketplace(campaign):
    person = Person(turk_link(campaign))
    person.save_all()
    content = markup(person.client.get(person.submit().json()["next"]))
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in content
    assert '<input type="hidden" name="assignmentId" value="3A">' in content


def test_finished_work_of_prolific_goes_back_by_the_links_own_address(campaign):
    batches_open(campaign=campaign)
    path = crowd_link(campaign, "prolific", return_to="https://p.example/?cc=C1")
    person = Person(path + "?PROLIFIC_PID=5f&STUDY_ID=1&SESSION_ID=9")
    person.save_all()
    content = markup(person.client.get(person.submit().json()["next"]))
    assert 'href="https://p.example/?cc=C1"' in content
