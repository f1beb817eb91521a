"""Fixtures every test may use: the four kinds of people."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_user


@pytest.fixture(autouse=True)
def private_folders(settings, tmp_path):
    """No test sees another's media or queue, and none touches the developer's."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def organiser(db) -> User:
    return make_user("organisers")


@pytest.fixture
def analyst(db) -> User:
    return make_user("analysts")


@pytest.fixture
def stranger(db) -> User:
    """An organiser with nothing to do with the campaign at hand."""
    return make_user("organisers")


@pytest.fixture
def client_of():
    """A browser in which the given person is logged in."""

    def log_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return log_in
