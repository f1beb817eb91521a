"""Closing a campaign by its page, by the command and by rule; reopening it while that may be."""

from __future__ import annotations

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotations.models import Assignment
from crowds.models import AuditEntry, Invitation, Launch
from crowds.services.closing import campaign_end, campaigns_end_finished
from crowds.services.erasing import campaign_erase, campaigns_retire
from crowds.services.launches import launch_close
from crowds.services.outbox import outbox_run
from crowds.tasks import campaigns_close_task
from hits.models import Campaign
from hits.services.campaigns import campaign_go_live
from tests.annotations.person import Person, invite, link
from tests.crowd import launch, work
from tests.crowds.crowd_people import arrive, finish
from tests.pages import markup, shown


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr("crowds.tasks.outbox_run_task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def live(campaign):
    campaign_go_live(campaign=campaign)
    return campaign


@pytest.fixture
def made(campaign, market):
    made = launch(campaign, budget="10.00")
    work(made, market)
    return made


def state(campaign: Campaign) -> str:
    campaign.refresh_from_db()
    return campaign.state


def close_page(campaign, client_of, method: str = "get"):
    return getattr(client_of(campaign.owner), method)(f"/campaigns/{campaign.slug}/close/")


def test_the_page_says_what_ends_and_changes_nothing(live, client_of):
    invite(live)
    response = close_page(live, client_of)
    content = markup(response)
    assert response.status_code == 200
    assert "Nothing has happened yet." in content
    assert response.context["ending"].links == 1
    assert response.context["ending"].open_turns == 1
    assert state(live) == "live"


def test_confirming_closes_the_campaign_and_its_launches(campaign, made, client_of):
    response = close_page(campaign, client_of, "post")
    assert response.status_code == 302
    made.refresh_from_db()
    assert (state(campaign), made.state) == ("closed", "closed")
    assert AuditEntry.objects.filter(action="campaign closed", person=campaign.owner).exists()


def test_a_link_then_says_that_the_study_is_closed(live):
    path = link(invite(live))
    campaign_end(campaign=live, by=None)
    response = Client().get(path)
    assert "This study is closed" in markup(response)


def test_who_is_at_work_may_finish(live):
    person = Person(link(invite(live)))
    campaign_end(campaign=live, by=None)
    person.save_all()
    assert person.submit().status_code == 200
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED


def test_undecided_work_is_in_the_way(campaign, made, market, client_of):
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    response = close_page(campaign, client_of, "post")
    assert response.status_code == 400
    assert "not decided yet" in markup(response)
    assert (state(campaign), Launch.objects.get().state) == ("live", "live")


def test_a_draft_cannot_be_closed(campaign, client_of):
    response = close_page(campaign, client_of, "post")
    assert response.status_code == 400
    assert state(campaign) == "draft"


def test_the_command_closes_and_reopens(live):
    invite(live)
    told = StringIO()
    call_command("close", live.slug, stdout=told)
    assert state(live) == "closed"
    assert "1 links" in told.getvalue()
    call_command("close", live.slug, "--reopen", stdout=told)
    assert state(live) == "live"


@pytest.mark.parametrize("arguments", [["nobody"], ["{slug}"], ["{slug}", "--reopen"]])
def test_the_command_refuses_with_code_2(campaign, arguments):
    """Nothing of that name; a draft, which is neither open nor closed."""
    with pytest.raises(CommandError) as refusal:
        call_command("close", *(word.format(slug=campaign.slug) for word in arguments))
    assert refusal.value.returncode == 2
    assert state(campaign) == "draft"


def test_closing_twice_changes_nothing(live):
    campaign_end(campaign=live, by=live.owner)
    campaign_end(campaign=live, by=live.owner)
    assert AuditEntry.objects.filter(action="campaign closed").count() == 1


class TestByRule:
    def test_it_closes_what_is_finished(self, campaign, made, market):
        launch_close(launch=made, by=campaign.owner)
        outbox_run(crowd="mturk")
        campaigns_close_task()
        campaigns_close_task()
        assert state(campaign) == "closed"
        assert AuditEntry.objects.get(action="campaign closed").person is None

    def test_not_while_a_launch_is_open(self, campaign, made):
        assert campaigns_end_finished() == []

    def test_not_without_a_launch(self, live):
        assert campaigns_end_finished() == []

    def test_not_while_the_crowd_is_to_be_told_something(self, campaign, made):
        launch_close(launch=made, by=campaign.owner)
        assert campaigns_end_finished() == []

    def test_not_while_somebody_is_at_work(self, campaign, made, market):
        arrive(made.batch.hits.get(), "W1", "3A")
        launch_close(launch=made, by=campaign.owner)
        outbox_run(crowd="mturk")
        assert campaigns_end_finished() == []

    def test_not_what_somebody_reopened(self, campaign, made, client_of):
        launch_close(launch=made, by=campaign.owner)
        outbox_run(crowd="mturk")
        campaigns_end_finished()
        client_of(campaign.owner).post(f"/campaigns/{campaign.slug}/reopen/")
        assert state(campaign) == "live"
        assert campaigns_end_finished() == []


class TestReopening:
    def reopen(self, campaign, client_of):
        return client_of(campaign.owner).post(f"/campaigns/{campaign.slug}/reopen/", follow=True)

    def test_links_let_people_in_again(self, live, client_of):
        path = link(invite(live))
        campaign_end(campaign=live, by=None)
        self.reopen(live, client_of)
        assert "Start" in shown(Client().get(path))

    def test_not_once_people_are_erased(self, live, client_of):
        campaign_end(campaign=live, by=None)
        campaign_erase(campaign=live)
        assert "were erased" in shown(self.reopen(live, client_of))
        assert state(live) == "closed"

    def test_not_after_the_retention_time(self, live, client_of, settings):
        settings.RETENTION_DAYS = 30
        campaign_end(campaign=live, by=None)
        Campaign.objects.update(created_at=timezone.now() - dt.timedelta(days=31))
        assert "over 30 days old" in shown(self.reopen(live, client_of))
        assert state(live) == "closed"

    def test_within_it(self, live, client_of, settings):
        settings.RETENTION_DAYS = 30
        campaign_end(campaign=live, by=None)
        self.reopen(live, client_of)
        assert state(live) == "live"


def test_the_privacy_promise_then_comes_true(live):
    invite(live)
    later = timezone.now() + dt.timedelta(days=31)
    assert campaigns_retire(now=later, days=30) == []
    campaign_end(campaign=live, by=None)
    assert campaigns_retire(now=later, days=30) == [live]
    assert not Invitation.objects.exists()


def test_erasing_by_hand_works_once_it_is_closed(live):
    with pytest.raises(CommandError, match="Close the campaign first"):
        call_command("erase", "--campaign", live.slug)
    call_command("close", live.slug, stdout=StringIO())
    call_command("erase", "--campaign", live.slug, stdout=StringIO())
    assert AuditEntry.objects.filter(action="people erased").count() == 1
