"""What a campaign's money is counted in: one answer for every page."""

from __future__ import annotations

import pytest

from crowds.models import Launch
from crowds.selectors.money import campaign_currency
from tests.factories import make_campaign, make_hit

pytestmark = pytest.mark.django_db


def launched(campaign, *currencies: str) -> None:
    for currency in currencies:
        Launch.objects.create(
            batch=make_hit(campaign).batch,
            crowd="invite",
            title="Rate",
            reward=1,
            currency=currency,
            people=1,
            minutes_expected=30,
            launched_by=campaign.owner,
        )


@pytest.mark.parametrize(
    ("currencies", "found"), [((), "USD"), (("GBP", "GBP"), "GBP"), (("GBP", "USD"), "")]
)
def test_it_is_what_all_launches_pay_in(currencies, found):
    campaign = make_campaign()
    launched(campaign, *currencies)
    launched(make_campaign(), "EUR")
    assert campaign_currency(campaign) == found
