"""A database that is away or hangs: whoever needs it is told 503 and when to come again."""

from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.urls import reverse

from tests.access.matrix import PEOPLE, ROWS
from tests.pages import shown

OWN = {"healthz", "readyz"}  # they say in their own words what is away


def away(error):
    def refuse(execute, sql, params, many, context):
        raise error("server closed the connection unexpectedly")

    return refuse


def ask(client, method, address, **headers):
    client.raise_request_exception = False
    return client.generic(method, address, headers=headers)


def test_no_address_fails_otherwise_than_with_503(clients, things):
    answers = {}
    with connection.execute_wrapper(away(OperationalError)):
        for name, row in ROWS.items():
            address = reverse(name, args=[things[arg] for arg in row.args]) + row.query
            for method in row.methods:
                for who in PEOPLE:
                    answers[name, method, who] = ask(clients[who], method, address)
    failed = {key: one for key, one in answers.items() if one.status_code >= 500}
    others = {key: one.status_code for key, one in failed.items() if one.status_code != 503}
    assert others == {}
    hurried = [key for key, one in failed.items() if "Retry-After" not in one]
    assert {name for name, _, _ in hurried} <= OWN
    assert len(failed) > len(ROWS)  # most addresses need the database for somebody


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_browser_gets_a_page_and_a_script_json(clients, error):
    organiser = clients["organiser"]
    with connection.execute_wrapper(away(error)):
        page = ask(organiser, "GET", reverse("hits:campaign-list"), accept="text/html,*/*;q=0.8")
        told = ask(organiser, "GET", "/api/campaigns", authorization="Bearer da_x", accept="*/*")
    assert "The database is not responding" in shown(page)
    assert told.json()["code"] == "unavailable"


def test_other_faults_are_still_faults(clients):
    with connection.execute_wrapper(away(ZeroDivisionError)):
        answer = ask(clients["organiser"], "GET", reverse("hits:campaign-list"))
    assert answer.status_code == 500
