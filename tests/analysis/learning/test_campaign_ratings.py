"""A campaign's own ratings as something to learn from."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.learning import rated
from analysis.selectors.rated_captions import campaign_rated
from analysis.services.snapshots import snapshot_refresh
from hits.models import Caption
from tests.analysis.pages.conftest import rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


def test_captions_come_with_scores_and_the_references_of_their_videos(
    organiser, tmp_path, monkeypatch
):
    monkeypatch.setattr(rated, "FEWEST", 5)
    campaign = rated_campaign(organiser, tmp_path)
    columns = snapshot_refresh(campaign=campaign).read()
    found = campaign_rated(campaign, columns)
    assert found.name == campaign.slug
    assert np.isfinite(found.scores).all()
    assert set(found.batch.videos) == set(found.batch.references)
    told = set(
        Caption.objects.filter(system__campaign=campaign, system__role="reference").values_list(
            "text", flat=True
        )
    )
    assert {text for texts in found.batch.references.values() for text in texts} <= told
    assert not told & set(found.batch.captions)


def test_a_campaign_with_too_few_ratings_is_refused(organiser, tmp_path, monkeypatch):
    monkeypatch.setattr(rated, "FEWEST", 10_000)
    campaign = rated_campaign(organiser, tmp_path)
    with pytest.raises(CommandError, match="at least") as refused:
        call_command(
            "learn", "head", "--campaign", campaign.slug, "--out", str(tmp_path / "model"),
            stdout=StringIO(), stderr=StringIO(),
        )  # fmt: skip
    assert refused.value.returncode == 2
    assert not (tmp_path / "model").exists()


def test_there_must_be_something_to_learn_from(tmp_path):
    for more in ([], ["--campaign", "nowhere"]):
        with pytest.raises(CommandError) as refused:
            call_command(
                "learn", "head", *more, "--out", str(tmp_path / "model"),
                stdout=StringIO(), stderr=StringIO(),
            )  # fmt: skip
        assert refused.value.returncode == 2
