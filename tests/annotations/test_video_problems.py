"""A video that does not play is reported once, and its organiser sees it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from analysis.selectors.decisions import campaign_decisions
from annotations.models import VideoProblem
from crowds.services.erasing import annotator_erase
from tests.annotations.person import Person, invite, link
from tests.pages import shown


@pytest.fixture
def anna(campaign):
    return Person(link(invite(campaign, "Anna")))


def report(person: Person, **changed):
    receipt = person.reload()["items"][0]["receipt"]
    body = {"receipt": receipt, "kind": "no-sound", "remark": "silent"}
    return person.post("/rate/problem", body | changed)


def test_a_report_is_kept_once_and_shown_to_the_organiser(anna, campaign, client_of):
    assert report(anna).status_code == 200
    assert report(anna, remark="no sound at all").status_code == 200
    problem = VideoProblem.objects.get()
    assert (problem.kind, problem.remark) == ("no-sound", "no sound at all")
    page = client_of(campaign.owner).get(
        f"/campaigns/{campaign.slug}/videos/{problem.video_id}/scores/"
    )
    assert "no sound at all" in shown(page)


@pytest.mark.parametrize("wrong", [{"kind": "boring"}, {"remark": "x" * 501}, {"receipt": "0.1.2"}])
def test_what_is_no_report_is_refused(anna, wrong):
    assert report(anna, **wrong).status_code in (400, 404)
    assert not VideoProblem.objects.exists()


def test_erasing_somebody_takes_their_remarks(anna):
    report(anna)
    annotator_erase(annotator=anna.assignment.annotator)
    assert VideoProblem.objects.get().remark == ""


def decided(campaign):
    return [each.key for each in campaign_decisions(campaign, [], now=timezone.now())]


def test_a_settled_report_waits_for_nobody_until_it_is_made_again(anna, campaign, client_of):
    report(anna)
    problem, client = VideoProblem.objects.get(), client_of(campaign.owner)
    page = f"/campaigns/{campaign.slug}/videos/{problem.video_id}/"
    assert "videos" in decided(campaign)
    assert "Mark as settled" in shown(client.get(f"{page}scores/"))
    assert client.post(f"{page}problems/settle/", {"newest": problem.pk}).status_code == 302
    assert "videos" not in decided(campaign)
    after = shown(client.get(f"{page}scores/"))
    assert "silent" in after
    assert "Mark as settled" not in after
    report(anna, remark="still silent")
    assert "videos" in decided(campaign)


def test_a_report_that_came_in_meanwhile_stays_open(anna, campaign, client_of):
    report(anna)
    seen = VideoProblem.objects.get()
    report(anna, kind="stops")
    address = f"/campaigns/{campaign.slug}/videos/{seen.video_id}/problems/settle/"
    client_of(campaign.owner).post(address, {"newest": seen.pk})
    assert VideoProblem.objects.get(settled_at=None).kind == "stops"
    assert client_of(campaign.owner).post(address, {"newest": "x"}).status_code == 400
