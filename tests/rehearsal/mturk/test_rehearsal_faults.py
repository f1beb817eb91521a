"""Trouble on demand, as it looks from boto3."""

from __future__ import annotations

import json

import httpx
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from rehearsal.mturk.faults import Fault, Trouble
from tests.rehearsal.mturk.market import boto, hit_request


def made(server) -> int:
    return len(server.service.market.hits)


@pytest.mark.parametrize(
    ("trouble", "status", "name"),
    [
        (Trouble.INTERNAL_ERROR, 500, "InternalFailure"),
        (Trouble.SERVICE_FAULT, 400, "ServiceFault"),
        (Trouble.THROTTLED, 400, "RequestError"),
    ],
)
def test_a_troubled_answer_comes_before_anything_is_done(client, server, trouble, status, name):
    server.faults.add(Fault(trouble))
    with pytest.raises(ClientError) as caught:
        client.create_hit(**hit_request())
    response = caught.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert response["Error"]["Code"] == name
    assert made(server) == 0
    client.create_hit(**hit_request())


@pytest.mark.parametrize(("trouble", "hits"), [(Trouble.DROP_BEFORE, 0), (Trouble.DROP_AFTER, 1)])
def test_a_dropped_connection_tells_nothing(client, server, trouble, hits):
    server.faults.add(Fault(trouble))
    with pytest.raises(ConnectionClosedError):
        client.create_hit(**hit_request())
    assert made(server) == hits


def test_boto3_by_itself_makes_two_hits_of_a_lost_answer(server):
    """Why every act of the gateway's carries a token."""
    server.faults.add(Fault(Trouble.DROP_AFTER))
    boto(server, attempts=3).create_hit(**hit_request())
    assert made(server) == 2


def test_a_request_may_arrive_twice(client, server):
    server.faults.add(Fault(Trouble.TWICE, "CreateHIT"))
    with pytest.raises(ClientError, match="carried out before"):
        client.create_hit(**hit_request(UniqueRequestToken="t"))
    assert made(server) == 1


def test_a_fault_waits_for_its_operation_and_its_turn(client, server):
    server.faults.add(Fault(Trouble.SERVICE_FAULT, "CreateHIT", times=2, skip=1))
    client.create_hit(**hit_request())
    client.get_account_balance()
    for _ in range(2):
        with pytest.raises(ClientError):
            client.create_hit(**hit_request())
    client.create_hit(**hit_request())
    assert made(server) == 2


def test_a_slow_answer_comes_all_the_same(client, server):
    server.faults.add(Fault(Trouble.SLOW, seconds=0.05))
    assert client.get_account_balance()["AvailableBalance"] == "10000.00"


def test_faults_and_the_clock_are_set_over_http(client, server):
    switches = f"{server.origin}/rehearsal"
    httpx.post(f"{switches}/faults", json={"trouble": "service-fault", "operation": "ListHITs"})
    with pytest.raises(ClientError):
        client.list_hits()
    client.create_hit(**hit_request())
    httpx.post(f"{switches}/clock", json={"forward_seconds": 3601})
    assert client.list_hits()["HITs"][0]["HITStatus"] == "Reviewable"
    books = httpx.get(f"{switches}/books").json()
    assert books["deposited"] == "10000.00"
    assert books["held"] in ("0.00", "0")
    assert books["calls"]["CreateHIT"] == 1


@pytest.mark.parametrize("body", ["{}", '{"trouble": "tea"}', "no json", '{"trouble": 1, "x": 2}'])
def test_a_switch_that_makes_no_sense_is_refused(server, body):
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.origin}/rehearsal/faults", content=body, headers=headers)
    assert answer.status_code == 400


def test_another_sites_form_cannot_throw_a_switch(server):
    text = json.dumps({"trouble": "internal-error"})
    answer = httpx.post(f"{server.origin}/rehearsal/faults", content=text)
    assert answer.status_code == 404
    assert server.faults.take("GetHIT") is None
