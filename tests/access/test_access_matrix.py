"""Every address × every kind of person × every method, against the table in matrix.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from tests.access.matrix import FORBIDDEN, IN, LOGIN, NOTHING, PEOPLE, ROWS, STAFF

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# These only ever tell the same, however they are asked.
READ_BY_ANY = {"home", "login", "api:openapi-json", "api:api-root"}
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
    with transaction.atomic():
        response = client.generic(method, address)
        transaction.set_rollback(True)
    return outcome(response)


@pytest.mark.parametrize("space", ["", "api:", "hits:", "annotations:", "analysis:"])
def test_everybody_gets_as_far_as_the_table_says(space, clients, things):
    expected, found = {}, {}
    for name in (name for name in ROWS if name[: name.find(":") + 1] == space):
        row = ROWS[name]
        address = reverse(name, args=[things[arg] for arg in row.args]) + row.query
        expected |= {(name, method): people for method, people in row.methods.items()}
        for method in row.methods:
            found[name, method] = {who: ask(clients[who], method, address) for who in PEOPLE}
        for method in set(METHODS) - set(row.methods):
            assert name in READ_BY_ANY or ask(clients["admin"], method, address) != IN, name
    wrong = {key: found[key] for key in found if found[key] != expected[key]}
    assert not wrong


def test_the_admin_is_for_staff(clients):
    address = reverse("admin:index")
    assert {who: outcome(clients[who].get(address)) for who in PEOPLE} == STAFF
