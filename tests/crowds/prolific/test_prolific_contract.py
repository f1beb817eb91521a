"""Everything that is sent keeps to Prolific's own document, and to the shapes we declare."""

from __future__ import annotations

from decimal import Decimal

import pytest

from crowds.gateway import Bonus, Extension, HitSpec, Requirements
from crowds.prolific.account import Parameters
from crowds.prolific.webhooks import EVENTS, new_secret, subscribe
from crowds.registry import crowd_named
from rehearsal.prolific import StandIn
from rehearsal.prolific.contract import (
    DECLARED,
    DeclaredContract,
    document_path,
    find_contract,
)

WITH_BODY = {"POST", "PATCH", "DELETE"}
documented = pytest.mark.skipif(
    not document_path().is_file(), reason="Prolific's OpenAPI document is not at hand (DA_SPECS)"
)


def say_everything(gateway, client, market, make_offer, work):
    """Every call the gateway can make."""
    gateway.enlist("passed", ["person000", "person001"], key="k")
    gateway.delist("passed", ["nobody"], key="k")
    requirements = Requirements(approval_rate=95, approved=10, countries=("GB", "US"))
    spec = make_offer(only=("passed",), without=("not again",), requirements=requirements)
    gateway.check(spec)
    study = gateway.publish(spec, key="k").external_id
    first, second = (one.id for one in work(study, range(2)))
    more = [
        Extension(HitSpec("hit-1", spec.places[0].url, 9), 6),
        Extension(HitSpec("hit-8", "https://da.example/rate/enter/8/", 1), 1),
    ]
    gateway.extend(study, more, key="k")
    gateway.expire(study, key="k")
    gateway.reopen(study, lifetime=spec.lifetime, key="k")
    gateway.reject(study, first, reason="x" * 100, category="OTHER", key="k")
    gateway.approve(study, [first], key="k", overrule=True)
    gateway.approve(study, [first, second], key="k")
    gateway.bonus(Bonus(first, study, "person000", Decimal("0.30"), "Thank you"), key="k")
    gateway.message(["person000"], subject="Thanks", text="Bye.", key="k")
    new_secret(client, "workspace")
    subscribe(client, "workspace", "https://da.example/crowds/prolific/webhook")
    gateway.close(study, key="k")


@documented
def test_every_body_keeps_to_prolific_s_document(
    gateway, client, stand_in, market, make_offer, work
):
    say_everything(gateway, client, market, make_offer, work)
    contract = find_contract()
    sent = [one for one in stand_in.bodies if one[0] in WITH_BODY]
    faults = {one[:2]: contract.request_faults(*one) for one in sent}
    assert not any(faults.values()), faults
    assert faults.keys() >= DECLARED.keys()


def test_every_body_keeps_to_the_shapes_we_declare(
    gateway, client, stand_in, market, make_offer, work
):
    stand_in.contract = DeclaredContract()
    say_everything(gateway, client, market, make_offer, work)
    assert {one[:2] for one in stand_in.bodies} >= DECLARED.keys()


CASES = [
    ("POST", "/api/v1/studies/", {}),
    ("POST", "/api/v1/studies/{id}/transition/", {"action": "EXPLODE"}),
    ("POST", "/api/v1/study-cost-calculator/", {"reward": "much", "total_available_places": 1}),
    ("POST", "/api/v1/study-cost-calculator/",
     {"reward": 1, "total_available_places": 1, "currency": "USD"}),
    ("POST", "/api/v1/submissions/{id}/transition/", {"message": "x" * 100}),
    ("POST", "/api/v1/bulk-bonus-payments/{id}/pay/", {"amount": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CASES)
def test_the_shapes_we_declare_refuse_what_is_wrong(method, path, body):
    assert DeclaredContract().request_faults(method, path, body)


@documented
@pytest.mark.parametrize(("method", "path", "body"), CASES)
def test_prolific_s_document_refuses_what_is_wrong(method, path, body):
    assert find_contract().request_faults(method, path, body)


def test_without_the_document_our_own_shapes_are_the_contract(monkeypatch, tmp_path, market):
    monkeypatch.setenv("DA_SPECS", str(tmp_path))
    with StandIn(market) as stand_in:
        assert isinstance(stand_in.contract, DeclaredContract)


def test_an_unknown_call_is_not_found(stand_in):
    assert stand_in.answer("PUT", "/api/v1/studies/", "Token rehearsal", None).status == 404


def test_addresses_name_people_as_the_rating_page_expects():
    parameters = Parameters()
    assert crowd_named("prolific").parameters() == (parameters.person, parameters.submission)


def test_subscribing_twice_subscribes_once(client, stand_in):
    target = "https://da.example/crowds/prolific/webhook"
    new_secret(client, "workspace")
    assert subscribe(client, "workspace", target) == list(EVENTS)
    assert subscribe(client, "workspace", target) == []
    assert all(one.confirmed for one in stand_in.hooks.subscriptions)


def test_publishing_takes_as_few_calls_as_a_study_needs(gateway, stand_in, market, make_offer):
    market.total_balance = 10_000_000
    gateway.publish(make_offer(hits=500, people=3), key="k")
    assert len(stand_in.calls) == 3
