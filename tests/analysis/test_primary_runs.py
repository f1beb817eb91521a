"""A ranking of some of the systems: annotators' means still rest on all that they rated."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.models import Result
from analysis.presenting.downloads import table_file
from analysis.presenting.exports import ratings_table
from analysis.results.findings.ranking import system_rows
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.selectors.results import result_summary
from benchmarks.crowd import simulate
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import rated_campaign


@pytest.fixture(scope="module")
def ratings():
    return simulate(annotators=10, systems=5, videos=20, clickers=0, seed=1)


def test_those_left_out_change_no_score_of_the_others(ratings):
    whole = analyse(ratings, Settings(draws=10))
    gone = ratings.systems[whole.ranking.order[0]]
    part = analyse(ratings, Settings(draws=10, left_out=(gone,)))
    kept = [at for at, name in enumerate(ratings.systems) if name != gone]
    np.testing.assert_array_equal(part.systems.z[kept], whole.systems.z[kept])
    named = [ratings.systems[at] for at in part.ranking.order]
    assert named == [ratings.systems[at] for at in whole.ranking.order][1:]
    assert len(part.competing) == 4
    assert f"left_out:{gone}" in str(part.signature)
    assert "left_out" not in str(whole.signature)


def test_nothing_left_is_refused(ratings):
    with pytest.raises(ValueError, match="nothing is left"):
        analyse(ratings, Settings(draws=10, left_out=ratings.systems))


def test_the_command_leaves_systems_out_and_knows_their_names(ratings, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(table_file(ratings_table(ratings), "csv"))
    gone = ratings.systems[0]
    told = ["--out", str(tmp_path / "out"), "--draws", "10"]
    call_command("analyse", str(path), *told, "--leave-out", gone, stdout=io.StringIO(),
                 stderr=io.StringIO())  # fmt: skip
    found = pd.read_csv(tmp_path / "out" / "systems.csv", comment="#")
    assert set(found["system"]) == set(ratings.systems) - {gone}
    with pytest.raises(CommandError, match="no system 'nobody', only"):
        call_command("analyse", str(path), *told, "--leave-out", "nobody", stdout=io.StringIO())


@pytest.mark.django_db
def test_the_page_ranks_the_primary_runs(organiser, client_of, settings, tmp_path, woken):
    settings.DATA_DIR = tmp_path / "data"
    campaign = rated_campaign(organiser, tmp_path)
    for name, is_primary in (("system-5", False), ("system-4", True)):
        campaign.systems.filter(name=name).update(team="Harbour", is_primary=is_primary)
    address = reverse("analysis:ranking", args=[campaign.slug])
    client = client_of(organiser)
    for runs, ranked in (("primary", 6), ("all", 7)):
        client.get(address, {"runs": runs})
        row = Result.objects.latest("pk")
        job_run(row)
        assert client.get(address, {"runs": runs}).status_code == 200
        row.refresh_from_db()
        systems = [one["system"] for one in system_rows(result_summary(row).numbers["ranking"])]
        assert (len(systems), "system-5" in systems) == (ranked, ranked == 7)
        assert row.choices["left_out"] == (["system-5"] if ranked == 6 else [])
