"""People can be forgotten; what they rated stays, and says the same."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pytest
from django.apps import apps
from django.core import serializers
from django.core.management import CommandError, call_command
from django.utils import timezone

from analysis.selectors.marked import factuality_of
from annotations.models import Annotator, AnnotatorIdentity, Mark, Rating
from annotations.services.assignments import batches_open
from crowds.gateway import PermanentFault
from crowds.models import Launch, OutboxMessage, Submission
from crowds.services.erasing import campaigns_retire
from crowds.services.handlers import people_of
from crowds.services.people import submissions_invite_again, submissions_message
from crowds.services.reviews import (
    submission_bonus,
    submissions_pay,
    submissions_refuse,
    video_send_back,
)
from hits.models import Campaign, Caption
from hits.services.composing import batch_compose
from hits.services.filling import marks_fill
from tests.annotations.person import Person, invite, link
from tests.annotations.test_marking import judge
from tests.crowd import launch, work
from tests.crowds.crowd_people import annotator, finish
from tests.factories import make_campaign, make_hit
from tests.pages import shown

WORDS = "My name is Anna Example"
WORKER, COLLEAGUE = "A2EXAMPLE", "A3EXAMPLE"


def everything() -> str:
    """All that is stored, as text."""
    ours = ("hits", "annotations", "crowds", "analysis")
    tables = [table for app in ours for table in apps.get_app_config(app).get_models()]
    rows = [row for table in tables for row in table._base_manager.all()]
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


def test_the_link_of_somebody_forgotten_ends(campaign, anna):
    path = link(anna.invitations.get())
    make_hit(campaign)
    erase(annotator=anna.pseudonym)
    batches_open(campaign=campaign)
    refused = Person(path).entered
    assert (refused.status_code, "was withdrawn" in shown(refused)) == (403, True)
    again = Person(link(invite(campaign, "anna@example.org")))
    assert again.assignment.annotator != anna
    assert anna.assignments.count() == 1


def test_the_links_of_a_campaign_end_with_it(campaign, anna):
    others = make_campaign(owner=campaign.owner)
    make_hit(others)
    paths = [link(anna.invitations.get()), link(invite(campaign, "ben@example.org"))]
    elsewhere = link(invite(others, "anna@example.org"))
    close(campaign)
    erase(campaign=campaign.slug)
    Campaign.objects.update(state="live")
    assert [Person(path).entered.status_code for path in paths] == [403, 403]
    assert Person(elsewhere).entered.status_code == 302


def test_an_open_campaign_still_needs_to_know_its_people(campaign, anna):
    with pytest.raises(CommandError, match="Close the campaign first"):
        erase(campaign=campaign.slug)
    assert "anna@example.org" in everything()


@pytest.mark.parametrize("options", [{"annotator": "nobody"}, {"campaign": "nothing"}])
def test_it_says_who_or_what_is_not_there(db, options):
    with pytest.raises(CommandError, match=r"pseudonym 'nobody'|short name 'nothing'"):
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


def test_a_campaign_to_which_nobody_came_is_forgotten_too(campaign):
    invite(campaign, "anna@example.org")
    close(campaign)
    later = timezone.now() + dt.timedelta(days=31)
    assert campaigns_retire(now=later, days=30) == [campaign]
    assert "anna@example.org" not in everything()
    assert not campaign.invitations.exists()


def hand_in(campaign: Campaign, market, *people: str) -> Launch:
    """A launch at a marketplace, and people who have done its HIT."""
    campaign.assignments = len(people)
    campaign.save()
    made = launch(campaign)
    work(made, market)
    publication = f"P{len(market.out)}"
    for person in people:
        finish(market, publication, made.batch.hits.get(), person)
    work(made, market)
    return made


def pay(campaign: Campaign, made: Launch, market) -> None:
    rows = list(Submission.objects.filter(publication__launch=made))
    submissions_pay(campaign=campaign, submissions=rows, by=campaign.owner)
    work(made, market)


@pytest.fixture
def told(campaign, market) -> Launch:
    """A marketplace was told all that can be told of two people, and refused half of it."""
    made = hand_in(campaign, market, WORKER, COLLEAGUE)
    pay(campaign, made, market)
    rows = list(Submission.objects.all())
    whose = {"campaign": campaign, "by": campaign.owner}
    money = {"amount": Decimal(1), "reason": "Great."}
    for operation in ("bonus", "message", "enlist"):
        market.break_next(operation, "before", PermanentFault(f"{WORKER} is unknown."))
    for row in rows:
        submission_bonus(submission=row, once=str(row.pk), **money, **whose)
    submissions_message(submissions=rows, subject="Hello", text="And thanks.", **whose)
    submissions_invite_again(submissions=rows, again=True, **whose)
    work(made, market)
    sentence = f"Submission {Submission.objects.first().external_id}: belongs to another HIT."
    Launch.objects.update(differences=[sentence])
    return made


def test_what_a_marketplace_was_told_names_nobody_any_more(campaign, told):
    assert {"bonus", "message", "enlist"} == {
        message.kind for message in OutboxMessage.objects.filter(state="failed")
    }
    before = list(Rating.objects.values())
    close(campaign)
    erase(campaign=campaign.slug)
    assert WORKER not in everything()
    assert COLLEAGUE not in everything()
    assert not OutboxMessage.objects.filter(state="failed").exists()
    assert list(Rating.objects.values()) == before


def test_what_names_others_as_well_goes_on_naming_them(told):
    erase(annotator=annotator(WORKER).pseudonym)
    assert WORKER not in everything()
    assert people_of(OutboxMessage.objects.get(kind="message")) == [COLLEAGUE]
    assert annotator(COLLEAGUE)


def test_whoever_waits_for_a_decision_is_not_forgotten(campaign, market):
    made = hand_in(campaign, market, WORKER)
    with pytest.raises(CommandError, match="Decide about all submitted work"):
        erase(annotator=annotator(WORKER).pseudonym)
    rows, reason = list(Submission.objects.all()), "Nothing was watched."
    submissions_refuse(campaign=campaign, submissions=rows, reason=reason, by=campaign.owner)
    with pytest.raises(CommandError, match="Decide about all submitted work"):
        erase(annotator=annotator(WORKER).pseudonym)  # the crowd does not know of it yet
    work(made, market)
    erase(annotator=annotator(WORKER).pseudonym)
    assert WORKER not in everything()


def test_whoever_came_to_two_campaigns_is_forgotten_with_the_last(campaign, market):
    other = make_campaign(owner=campaign.owner)
    make_hit(other)
    for each in (campaign, other):
        pay(each, hand_in(each, market, WORKER), market)
        close(each)
    erase(campaign=campaign.slug)
    assert AnnotatorIdentity.objects.filter(external_id=WORKER).exists()
    erase(campaign=other.slug)
    assert WORKER not in everything()


def test_a_person_whom_only_the_crowd_knows_of_is_forgotten(campaign, market):
    made = hand_in(campaign, market, WORKER)
    market.submit("P1", COLLEAGUE)
    work(made, market)
    pay(campaign, made, market)
    assert not Annotator.objects.get(identity__external_id=COLLEAGUE).assignments.exists()
    close(campaign)
    erase(campaign=campaign.slug)
    assert COLLEAGUE not in everything()


def test_marks_stay_and_what_was_said_of_a_person_in_forms_and_corrections_goes(db):
    """Marks and levels are answers; a remark and a form tell of the person."""
    form = [{"name": "town", "text": "Where do you live?", "kind": "text"}]
    made = make_campaign(
        videos=2, systems=1, protocol="factuality", hit_size=4, pairs=0, repeats=0,
        questions={"form": form, "filling": {"control": 0}},
    )  # fmt: skip
    captions = Caption.objects.values_list("video__name", "system__name")
    marks_fill(campaign=made, marks={place: [(0, 1, "wrong")] for place in captions})
    batch_compose(campaign=made)
    path = link(invite(made, "anna@example.org"))
    person = Person(path, **{"form-town": "Upper Examplebury"})
    for position in range(4):
        [words] = person.items[position]["sentences"]
        assert judge(person, position, [[*words[1], "wrong"]], 3).status_code == 200
    person.submit(comment=WORDS)
    video = person.assignment.hit.items.get(position=0).caption.video
    video_send_back(assignment=person.assignment, video=video, remark="Anna, look again.")
    before = list(Rating.objects.values()), list(Mark.objects.values())
    found = vars(factuality_of(made))  # as text: what is not defined is not equal to itself
    told = ("anna@example.org", WORDS, "Upper Examplebury", "Anna, look again.")
    assert all(words in everything() for words in told)
    erase(annotator=person.assignment.annotator.pseudonym)
    assert not any(words in everything() for words in told)
    assert (list(Rating.objects.values()), list(Mark.objects.values())) == before
    assert len(before[1]) == 4
    assert (found["filled"].filled, found["filled"].people) == (4, 1)
    assert repr(vars(factuality_of(made))) == repr(found)
