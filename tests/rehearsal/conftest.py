"""A campaign with one small HIT, for simulated people to work on."""

from __future__ import annotations

import pytest

from tests.factories import make_campaign, make_hit


@pytest.fixture
def campaign(db):
    campaign = make_campaign()
    make_hit(campaign)
    return campaign
