"""The campaign and the person of the rating page's tests, and a crowd in memory."""

from __future__ import annotations

import pytest

from crowds.registry import MODULES
from tests.annotations.conftest import anna, campaign
from tests.crowd import Marketplace

__all__ = ["anna", "campaign", "market"]


@pytest.fixture
def market(monkeypatch):
    """A crowd in memory, in the place of Mechanical Turk."""
    marketplace = Marketplace()
    monkeypatch.setattr("tests.crowd.MARKET", marketplace)
    monkeypatch.setitem(MODULES, "mturk", "tests.crowd")
    return marketplace
