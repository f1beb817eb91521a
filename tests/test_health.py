"""/healthz tells whether database, broker and media answer."""

from __future__ import annotations

import threading

import pytest
from django.test import Client
from kombu import Connection

from daplatform import health

pytestmark = pytest.mark.django_db


def test_it_says_yes_to_everything_that_answers():
    response = Client().get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"database": True, "broker": True, "media": True}


def test_it_says_which_part_does_not_answer(settings, tmp_path):
    blocked = tmp_path / "a-file"
    blocked.write_text("in the way")
    settings.MEDIA_ROOT = blocked
    response = Client().get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"database": True, "broker": True, "media": False}


def test_it_notices_a_broker_that_is_gone(monkeypatch):
    nobody = Connection("redis://127.0.0.1:1/0")
    monkeypatch.setattr(health.app, "connection_for_write", lambda **options: nobody)
    response = Client().get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"database": True, "broker": False, "media": True}


def test_it_answers_though_a_check_never_ends_and_begins_no_second_one(monkeypatch):
    ended, begun = threading.Event(), []

    def hang():
        begun.append(1)
        ended.wait()

    monkeypatch.setattr(health, "SECONDS", 0.2)
    monkeypatch.setitem(health.CHECKS, "media", hang)
    try:
        for _ in range(20):
            response = Client().get("/healthz")
            assert response.status_code == 503
            assert response.json()["media"] is False
        assert begun == [1]
    finally:
        ended.set()


def test_it_is_ready_when_every_migration_is_applied():
    response = Client().get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"database": True, "migrations": True}


def test_it_is_not_ready_while_a_migration_waits(monkeypatch):
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda *_: ["one"])
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"database": True, "migrations": False}
