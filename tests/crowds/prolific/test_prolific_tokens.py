"""Addresses that Prolific signs: whom a token lets in, and what makes one worthless."""

from __future__ import annotations

import base64
import hmac
import json
from decimal import Decimal
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import pytest
import time_machine
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from annotations.models import Assignment
from crowds.gateway import PermanentFault
from crowds.models import Arrival
from crowds.prolific import visits
from crowds.prolific.account import account_read
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch, policy_update
from crowds.services.outbox import outbox_run
from rehearsal.prolific import Fault
from rehearsal.prolific.contract import find_contract
from rehearsal.prolific.server import KEYS, signed_to
from rehearsal.prolific.signing import Signer
from tests.annotations.person import Person
from tests.factories import make_campaign, make_hit, make_hit_like
from tests.pages import shown

pytestmark = pytest.mark.django_db
NOBODY = "http://127.0.0.1:9/keys"


@pytest.fixture(autouse=True)
def forgetful():
    """Ports are used again, and then a stand-in has other keys."""
    visits.keys_at.cache_clear()


@pytest.fixture
def campaign(settings, stand_in, clock):
    """With the clock stopped, for tokens live for two minutes."""
    settings.PROLIFIC_URL = stand_in.address
    settings.PROLIFIC_TOKEN = stand_in.market.token
    settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_PROJECT = "workspace", "project"
    settings.PROLIFIC_SIGNED_LINKS = True
    with time_machine.travel(clock.now, tick=False):
        campaign = make_campaign(assignments=3, hit_size=6, pairs=2, repeats=1)
        policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("1000.00"))
        yield campaign


@pytest.fixture
def study(campaign, market):
    first = make_hit(campaign)
    make_hit_like(first, number=2)
    choices = Choices(crowd="prolific", reward=Decimal("5.00"))
    batch_launch(batch=first.batch, choices=choices, by=campaign.owner)
    while outbox_run(crowd="prolific"):
        pass
    (study,) = market.studies.values()
    return study


@pytest.fixture
def anna(market, study):
    return market.begin(study.id, "anna")


def claims_of(market, one):
    """What Prolific signs for somebody."""
    token = dict(parse_qsl(urlsplit(signed_to(market, one)).query))["prolific_token"]
    return jwt.decode(token, options={"verify_signature": False})


def arrive(market, one, token=None):
    """Open the signed address, with another token in it, and press Start."""
    address = urlsplit(signed_to(market, one))
    query = dict(parse_qsl(address.query))
    query |= {} if token is None else {"prolific_token": token}
    return Person(f"{address.path}?{urlencode(query)}")


def asked(stand_in):
    return [call for call in stand_in.calls if call.startswith("GET /api/v1/submissions/")]


def assert_refused(person):
    assert "Prolific" in shown(person.entered)
    assert person.entered.status_code == 403
    assert not Arrival.objects.exists()
    assert not Assignment.objects.exclude(state="open").exists()


def test_a_study_is_asked_to_sign_its_addresses(study):
    assert study.fields["is_external_study_url_secure"] is True


def test_whom_prolific_signed_for_has_a_place_though_its_api_is_away(
    campaign, market, stand_in, anna
):
    stand_in.faults.plan(Fault.ERROR, "GET .*/submissions/", times=9)
    person = arrive(market, anna)
    assert person.save(0).status_code == 200
    assert person.assignment.slot == 1
    assert person.assignment.submission.external_id == anna.id
    assert assignments_left_out(campaign) == []
    assert asked(stand_in) == []


@pytest.mark.parametrize("kid", ["rehearsal", "unknown"])
def test_a_token_of_another_key_is_refused(market, anna, kid):
    assert_refused(arrive(market, anna, Signer(kid).sign(claims_of(market, anna))))


def test_a_token_without_a_signature_is_refused(market, anna):
    claims, headers = claims_of(market, anna), {"kid": "rehearsal"}
    assert_refused(arrive(market, anna, jwt.encode(claims, "", algorithm="none", headers=headers)))


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(market, anna):
    """By hand, for the library refuses to make one."""
    public = market.signer.key.public_key()
    secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "typ": "JWT", "kid": "rehearsal"}
    signed = b".".join(map(part, [header, claims_of(market, anna)]))
    digest = hmac.digest(secret, signed, "sha256")
    forged = signed + b"." + base64.urlsafe_b64encode(digest).rstrip(b"=")
    assert_refused(arrive(market, anna, forged.decode()))


def part(content):
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")


@pytest.mark.parametrize("token", ["x", "a.b.c", "e30.e30.", "é", "x" * 3_000])
def test_what_is_no_token_is_refused(market, anna, token):
    assert_refused(arrive(market, anna, token))


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://www.example.com"},
        {"aud": "https://elsewhere.example/rate/?STUDY_ID=1"},
        {"aud": ["https://elsewhere.example"]},
        {"sub": "another"},
        {"prolific": "anna"},
        {"prolific": {}},
    ],
)
def test_a_token_for_something_else_is_refused(market, anna, changed):
    token = market.signer.sign({**claims_of(market, anna), **changed})
    assert_refused(arrive(market, anna, token))


@pytest.mark.parametrize(
    "changed",
    [
        {"PROLIFIC_PID": "bert"},
        {"STUDY_ID": "another"},
        {"workspace_id": "another"},
        {"place": "hit-0"},
    ],
)
def test_a_token_for_somebody_or_somewhere_else_is_refused(market, anna, changed):
    claims = claims_of(market, anna)
    claims["prolific"] |= changed
    assert_refused(arrive(market, anna, market.signer.sign(claims)))


def test_somebody_else_s_token_is_refused(market, study, anna):
    bert = market.begin(study.id, "bert")
    token = market.signer.sign(claims_of(market, bert))
    assert_refused(arrive(market, anna, token))


@pytest.mark.parametrize("lacking", ["exp", "iat", "aud", "sub", "prolific", "iss"])
def test_a_token_that_leaves_something_open_is_refused(market, anna, lacking):
    claims = claims_of(market, anna)
    del claims[lacking]
    assert_refused(arrive(market, anna, market.signer.sign(claims)))


def run_out(market, one):
    claims = claims_of(market, one)
    return market.signer.sign({**claims, "exp": claims["iat"] - 60})


def test_who_read_longer_than_the_token_lives_is_asked_about(market, stand_in, anna):
    person = arrive(market, anna, run_out(market, anna))
    assert person.assignment.slot == 1
    assert len(asked(stand_in)) == 1


def test_a_token_that_has_run_out_lets_nobody_count(campaign, market, stand_in, anna):
    stand_in.faults.plan(Fault.ERROR, "GET .*/submissions/", times=9)
    person = arrive(market, anna, run_out(market, anna))
    assert person.save(0).status_code == 200
    assert person.assignment.slot is None
    assert assignments_left_out(campaign) == [person.assignment.pk]


def test_a_token_that_has_run_out_does_not_bring_back_who_gave_up(market, anna):
    market.leave(anna.id)
    assert_refused(arrive(market, anna, run_out(market, anna)))


def test_where_the_keys_cannot_be_read_prolific_is_asked(settings, market, stand_in, anna):
    settings.PROLIFIC_KEYS_URL = NOBODY
    assert arrive(market, anna).assignment.slot == 1
    assert len(asked(stand_in)) == 1


def test_the_keys_are_read_once_and_invented_ones_do_not_change_that(
    monkeypatch, market, study, anna
):
    reads = []
    read = visits._keys_read
    monkeypatch.setattr(visits, "_keys_read", lambda address: reads.append(1) or read(address))
    assert arrive(market, anna).entered.status_code == 302
    for number in range(5):
        one = market.begin(study.id, f"person{number}")
        invented = Signer(f"kid{number}")
        invented.key = market.signer.key
        token = invented.sign(claims_of(market, one))
        assert arrive(market, one, token).entered.status_code in (403, 429)
        assert arrive(market, one).entered.status_code == 302
    assert len(reads) == 1


def test_keys_that_could_not_be_read_are_not_asked_for_by_every_visitor(monkeypatch):
    reads = []
    monkeypatch.setattr(visits.httpx, "get", _refuse(reads))
    keys = visits.Keys(NOBODY)
    for _ in range(3):
        with pytest.raises(visits.TransientFault):
            keys.get("any")
    assert len(reads) == 1


def _refuse(reads):
    def get(*args, **options):
        reads.append(1)
        raise visits.httpx.ConnectError("away")

    return get


def test_a_known_key_is_of_use_while_another_cannot_be_asked_for(monkeypatch, market, anna):
    assert arrive(market, anna).entered.status_code == 302
    keys = visits.keys_at(account_read().keys_address)
    keys._tried_at -= visits.ASKED_AGAIN_SECONDS + 1
    monkeypatch.setattr(visits.httpx, "get", _refuse([]))
    with pytest.raises(visits.TransientFault):
        keys.get("unknown")
    assert keys.get(market.signer.kid)


@pytest.mark.parametrize("answer", [[], {}, {"keys": 1}, {"keys": []}, {"keys": [{"kty": "x"}]}])
def test_keys_that_make_no_sense_are_no_keys(monkeypatch, answer):
    response = visits.httpx.Response(200, json=answer, request=visits.httpx.Request("GET", NOBODY))
    monkeypatch.setattr(visits.httpx, "get", lambda *_, **__: response)
    with pytest.raises(visits.TransientFault):
        visits.Keys(NOBODY).get("any")


def test_keys_are_fetched_by_https_only(settings, campaign):
    settings.PROLIFIC_KEYS_URL = "http://keys.example/jwks.json"
    with pytest.raises(PermanentFault, match="PROLIFIC_KEYS_URL"):
        account_read()


def test_without_the_setting_no_study_asks_for_signatures(settings, campaign, make_offer, gateway):
    publication = gateway.publish(make_offer(), key="once")
    assert publication.external_id
    assert "is_external_study_url_secure" not in gateway._client.read(
        f"/api/v1/studies/{publication.external_id}/"
    )


def test_the_rehearsal_s_keys_are_as_prolific_s_document_has_them(market):
    assert find_contract().answer_faults("GET", KEYS, 200, market.signer.published()) == []
