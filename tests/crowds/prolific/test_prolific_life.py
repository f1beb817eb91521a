"""A whole study over HTTP: drafted, worked on, decided about, extended, closed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from crowds.gateway import (
    Bonus,
    Extension,
    HitSpec,
    PublicationStatus,
    SubmissionStatus,
    TransientFault,
)
from rehearsal.prolific.market import Refusal


def test_a_study_of_20_hits_and_60_submissions_lives_its_whole_life(
    gateway, market, make_offer, work
):
    spec = make_offer(hits=20, people=3)
    before = gateway.balance()
    gateway.check(spec)
    price = gateway.price(spec)
    publication = gateway.publish(spec, key="k1")
    assert gateway.balance() == before - price.total

    work(publication.external_id, range(60))
    submissions = list(gateway.submissions([publication.external_id]))
    assert len(submissions) == 60
    assert {one.status for one in submissions} == {SubmissionStatus.SUBMITTED}
    assert {one.code for one in submissions} == {"DONE1"}

    ids = [one.external_id for one in submissions]
    reason = "Every rating was given within half a second of the video's start, " * 2
    gateway.reject(publication.external_id, ids[0], reason=reason, category="TOO_QUICKLY", key="k2")
    gateway.approve(publication.external_id, ids[1:], key="k3")
    bonus = Bonus(ids[5], publication.external_id, "person005", Decimal("1.50"), "Thank you")
    gateway.bonus(bonus, key="k4")
    gateway.close(publication.external_id, key="k5")

    assert gateway.find(spec.reference).status is PublicationStatus.CLOSED
    assert market.submissions[ids[5]].bonuses == [150]
    spent = 59 * price.total / 60 + Decimal("1.50") * Decimal("1.40")
    assert gateway.balance() == before - spent
    assert market.total_balance == market.available_balance


def test_each_hit_gets_its_own_people(gateway, market, make_offer, work):
    publication = gateway.publish(make_offer(hits=20, people=3), key="k")
    begun = work(publication.external_id, range(60))
    addresses = [one.address for one in begun]
    assert {addresses.count(address) for address in addresses} == {3}
    assert len(set(addresses)) == 20


def test_a_hit_s_address_names_person_study_and_submission_and_the_hit(gateway, market, make_offer):
    publication = gateway.publish(make_offer(), key="k")
    address = market.begin(publication.external_id, "anna").address
    assert address == (
        "https://da.example/rate/enter/1/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}&place=hit-1"
    )


def test_who_does_not_consent_is_asked_to_return(gateway, market, make_offer, work):
    publication = gateway.publish(make_offer(), key="k")
    (one,) = work(publication.external_id, [1], code="NOCON1")
    assert market.submissions[one.id].return_requested is not None
    assert gateway.submission(one.id).code == "NOCON1"


def test_more_places_open_a_paused_study_again(gateway, market, make_offer):
    spec = make_offer(hits=2, people=1)
    study = gateway.publish(spec, key="k1").external_id
    gateway.expire(study, key="k2")
    assert gateway.find(spec.reference).status is PublicationStatus.EXPIRED

    more = HitSpec("hit-1", spec.places[0].url, 3)
    new = HitSpec("hit-9", "https://da.example/rate/enter/9/", 2)
    extended = gateway.extend(study, [Extension(more, 2), Extension(new, 2)], key="k3")

    assert extended.status is PublicationStatus.OPEN
    assert extended.people == 6
    assert set(extended.places) == {"hit-1", "hit-2", "hit-9"}


def test_a_filled_study_opens_again_when_hits_are_topped_up(gateway, market, make_offer, work):
    spec = make_offer(hits=1, people=1)
    study = gateway.publish(spec, key="k1").external_id
    (one,) = work(study, [1])
    gateway.approve(study, [one.id], key="k2")
    gateway.close(study, key="k3")
    assert gateway.find(spec.reference).status is PublicationStatus.CLOSED

    more = Extension(HitSpec("hit-1", spec.places[0].url, 2), 1)
    assert gateway.extend(study, [more], key="k4").status is PublicationStatus.OPEN
    assert market.begin(study, "bert").address == one.address


def test_a_rejection_can_be_overruled(gateway, market, make_offer, work):
    study = gateway.publish(make_offer(), key="k1").external_id
    (one,) = work(study, [1])
    gateway.reject(study, one.id, reason="x" * 100, category="LOW_EFFORT", key="k2")
    gateway.approve(study, [one.id], key="k3", overrule=True)
    assert gateway.submission(one.id).status is SubmissionStatus.APPROVED


def test_lists_keep_people_out_and_let_people_in(gateway, market, make_offer):
    gateway.enlist("took part", ["anna", "bert"], key="k1")
    gateway.delist("took part", ["bert", "nobody"], key="k2")
    gateway.enlist("passed", ["bert", "anna"], key="k3")
    spec = make_offer(only=("passed",), without=("took part",))
    study = gateway.publish(spec, key="k4").external_id
    assert market.begin(study, "bert")
    with pytest.raises(Refusal, match="Excluded"):
        market.begin(study, "anna")
    with pytest.raises(Refusal, match="Not invited"):
        market.begin(study, "carl")


def test_people_are_written_to_about_the_study_they_took_part_in(gateway, market, make_offer):
    study = gateway.publish(make_offer(), key="k1").external_id
    gateway.message(["anna", "bert"], subject="Thanks", text="We are done.", key="k2")
    assert market.messages == [
        {"ids": ["anna", "bert"], "body": "Thanks\n\nWe are done.", "study_id": study}
    ]


def test_it_finds_only_its_own_studies(gateway, make_offer):
    for reference in ("campaign-1-batch-1", "campaign-1-batch-2", "campaign-2-batch-1"):
        gateway.publish(make_offer(reference=reference), key="k")
    found = {one.reference for one in gateway.publications("campaign-1-")}
    assert found == {"campaign-1-batch-1", "campaign-1-batch-2"}
    assert gateway.find("campaign-3-batch-1") is None


def test_closing_waits_for_people_at_work(gateway, market, make_offer):
    study = gateway.publish(make_offer(), key="k1").external_id
    one = market.begin(study, "anna")
    with pytest.raises(TransientFault, match="still at work"):
        gateway.close(study, key="k2")
    market.leave(one.id)
    gateway.close(study, key="k3")
    assert market.studies[study].status == "COMPLETED"
