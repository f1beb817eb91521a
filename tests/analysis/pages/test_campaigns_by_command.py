"""`compare` and `describe` take a campaign as its address names it."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from crowds.models import Policy

pytestmark = pytest.mark.django_db


def test_a_campaign_is_described_with_its_cost(campaign, tmp_path):
    out = tmp_path / "out"
    call_command("describe", campaign.slug, "--out", str(out), stdout=io.StringIO())
    cost = pd.read_csv(out / "cost.csv").set_index("what")
    assert set(cost.index) == {"planned", "spent"}
    planned = cost.loc["planned"]
    assert planned["per_system"] == pytest.approx(planned["total"] / planned["systems"])
    assert planned["total"] > 0
    texts = pd.read_csv(out / "texts.csv")
    assert set(texts["role"]) == {"system", "reference"}
    assert len(pd.read_csv(out / "people.csv")) == 5


def test_a_campaign_is_compared_with_itself(campaign):
    said = io.StringIO()
    slug = campaign.slug
    call_command("compare", slug, slug, "--keep-all-annotators", "--draws", "20", stdout=said)
    assert "r = 1.000" in said.getvalue()


def test_a_campaign_that_is_not_there_is_named(db):
    with pytest.raises(CommandError, match="nowhere"):
        call_command("describe", "nowhere", stdout=io.StringIO())


def test_a_campaigns_own_rules_say_who_counts(campaign):
    """As on its ranking: how many pairs quality control asks for, and whether everybody counts."""
    campaign.min_pairs = 500
    campaign.save()
    with pytest.raises(CommandError, match="no system has a score"):
        call_command("compare", campaign.slug, campaign.slug, stdout=io.StringIO())
    Policy.objects.update_or_create(campaign=campaign, defaults={"use_rule": "everyone"})
    said = io.StringIO()
    call_command("compare", campaign.slug, campaign.slug, "--draws", "20", stdout=said)
    assert "r = 1.000" in said.getvalue()
