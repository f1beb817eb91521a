"""A campaign with one small HIT, and somebody working on it."""

from __future__ import annotations

import pytest

from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign, make_hit


@pytest.fixture
def campaign(db):
    campaign = make_campaign()
    make_hit(campaign)
    return campaign


@pytest.fixture
def anna(campaign):
    """Somebody who has pressed Start."""
    return Person(link(invite(campaign)))
