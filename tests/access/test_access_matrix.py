"""Every address × every kind of person × every method, against the table in matrix.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

from tests.access.kinds import of_every_kind
from tests.access.matrix import (
    FORBIDDEN,
    IN,
    LOGIN,
    NOTHING,
    PEOPLE,
    ROWS,
    STAFF,
    TOKEN_HEADER,
    Row,
)
from tests.factories import make_campaign

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# These only ever tell the same, however they are asked.
READ_BY_ANY = {"home", "favicon", "login", "api:openapi-json", "api:openapi-view", "api:api-root"}
TOKENS = {"entry_token", "join_token", "turn_token"}
SPACES = sorted({name[: name.find(":") + 1] for name in ROWS})
WORDS = {401: LOGIN, 403: FORBIDDEN, 404: NOTHING, 405: "not this way"}


def addresses(resolver=None, space="") -> Iterator[str]:
    """The name of every address the site has."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern, inner)
        else:
            yield f"{space}{pattern.name}"


def test_every_address_has_a_row():
    assert {name for name in addresses() if not name.startswith("admin:")} == set(ROWS)


def outcome(response) -> str:
    if response.status_code == 302 and "/login/?next=" in response.url:
        return LOGIN
    return WORDS.get(response.status_code, IN if response.status_code < 500 else "a fault")


def ask(client: Client, method: str, address: str) -> str:
    """What becomes of a request, which leaves nothing behind for the next one."""
    client.raise_request_exception = False
    with transaction.atomic():
        response = client.generic(method, address)
        transaction.set_rollback(True)
    return outcome(response)


def expected_of(row: Row, method: str, things) -> dict[str, str]:
    """As the table says, where there is something; with nobody's token nobody gets in."""
    rule, missing = row.methods[method], {name for name in row.args + row.needs if not things[name]}
    if rule is TOKEN_HEADER and not things["turn_token"]:
        missing.add("turn_token")
    instead = FORBIDDEN if missing & TOKENS else NOTHING
    return {who: instead if said == IN and missing else said for who, said in rule.items()}


@of_every_kind
@pytest.mark.parametrize("space", SPACES)
def test_everybody_gets_as_far_as_the_table_says(space, clients, things):
    expected, found = {}, {}
    for name in (name for name in ROWS if name[: name.find(":") + 1] == space):
        row = ROWS[name]
        address = reverse(name, args=[things[arg] for arg in row.args]) + row.query
        for method in row.methods:
            expected[name, method] = expected_of(row, method, things)
            found[name, method] = {who: ask(clients[who], method, address) for who in PEOPLE}
        for method in set(METHODS) - set(row.methods):
            for who in ("annotator", "admin"):
                assert name in READ_BY_ANY or ask(clients[who], method, address) != IN, name
    wrong = {key: found[key] for key in found if found[key] != expected[key]}
    assert not wrong


def test_an_own_campaign_is_no_way_to_things_of_another(clients, things, stranger):
    """The stranger's own address, with the numbers and names of somebody else's things in it."""
    asked = things | {"slug": make_campaign(owner=stranger).slug}
    found = {
        (name, method): ask(clients["stranger"], method, reverse(name, args=args))
        for name, row in ROWS.items()
        if "slug" in row.args and len(row.args) > 1
        for args in [[asked[arg] for arg in row.args]]
        for method in row.methods
    }
    assert len(found) > 30
    assert {key: answer for key, answer in found.items() if answer != NOTHING} == {}


def admin_addresses() -> Iterator[str]:
    """Every address of the admin but those for coming and going."""
    names = {name for name in addresses() if name.startswith("admin:")}
    for name in names - {"admin:login", "admin:logout", "admin:None"}:
        for args in ([], [1], [1, 1], ["hits"]):
            try:
                yield reverse(name, args=args)
            except NoReverseMatch:
                continue


def test_the_admin_is_for_staff(clients):
    index = reverse("admin:index")
    assert {who: outcome(clients[who].get(index)) for who in PEOPLE} == STAFF
    found = {address: outcome(clients["organiser"].get(address)) for address in admin_addresses()}
    assert len(found) > 100
    assert {address: answer for address, answer in found.items() if answer != LOGIN} == {}
