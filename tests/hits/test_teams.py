"""Teams and their runs: read from campaign.toml, rated and ranked all or by the primary one."""

from __future__ import annotations

import pytest

from analysis.selectors.results import further_runs
from daplatform.tables import Severity
from hits.importing.reading import read_campaign
from hits.models import HitItem
from hits.selectors import campaign_plan, campaign_systems
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.folders import make_folder

TEAMS = '\n[teams]\nHarbour = ["system-1", "system-0"]\nMeadow = ["system-2"]\n'


def with_lines(folder, *, above: str = "", below: str = ""):
    """The settings with further lines, above and below its tables."""
    path = folder / "campaign.toml"
    path.write_text(f"{above}\n{path.read_text()}\n{below}")
    return folder


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "campaign", videos=30, systems=3)


def faults_of(folder) -> list[str]:
    return [
        str(fault) for fault in read_campaign(folder).faults if fault.severity == Severity.ERROR
    ]


@pytest.mark.django_db
def test_the_first_run_of_a_team_is_its_primary_one(folder, organiser):
    campaign = campaign_import(
        reading=read_campaign(with_lines(folder, below=TEAMS)), owner=organiser
    )
    runs = {row.name: (row.team, row.is_primary, row.is_rated) for row in campaign.systems.all()}
    assert runs["system-1"] == ("Harbour", True, True)
    assert runs["system-0"] == ("Harbour", False, True)
    assert runs["system-2"] == ("Meadow", True, True)
    assert runs["human-a"] == ("", True, True)
    assert further_runs(campaign) == ("system-0",)


@pytest.mark.django_db
def test_people_rate_one_run_per_team_where_that_is_chosen(folder, organiser):
    whole = with_lines(folder, above="one_run_per_team = true", below=TEAMS)
    campaign = campaign_import(reading=read_campaign(whole), owner=organiser)
    batch_compose(campaign=campaign)
    shown = set(
        HitItem.objects.filter(hit__batch__campaign=campaign, kind="system").values_list(
            "caption__system__name", flat=True
        )
    )
    assert "system-0" not in shown
    assert {"system-1", "system-2"} <= shown
    plan = campaign_plan(campaign, campaign_systems(campaign))
    assert plan.systems == len(shown)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ('[teams]\nHarbour = ["system-9"]', "'system-9', a run of 'Harbour', is not among"),
        ('[teams]\nHarbour = "system-1"', "its runs, the primary one first"),
        ("[teams]\nHarbour = []", "its runs, the primary one first"),
        ('[teams]\nA = ["system-1"]\nB = ["system-1"]', "'system-1' is named twice"),
    ],
)  # fmt: skip
def test_a_fault_in_the_teams_says_what_to_do(folder, lines, fault):
    [said] = faults_of(with_lines(folder, below=lines))
    assert fault in said
    assert "campaign.toml" in said
