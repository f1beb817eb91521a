"""A campaign says what it asks: in campaign.toml, on its settings page, and its HITs follow."""

from __future__ import annotations

import csv
from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse

from daplatform.errors import DomainError
from hits.importing.reading import read_campaign
from hits.models import Campaign
from hits.selectors import batch_reach, campaign_misfit, campaign_plan, campaign_systems
from hits.services.campaigns import campaign_update
from hits.services.composing import batch_compose, campaign_fit
from hits.services.importing import campaign_import
from tests.factories import make_campaign, make_user
from tests.folders import make_folder
from tests.hits.test_importing_settings import read
from tests.pages import markup


def test_a_file_names_its_protocol_and_gets_its_authors_numbers(tmp_path):
    settings, faults = read(tmp_path, 'protocol = "consistency"\n[hits]\nsize = 50\n')
    assert faults == []
    assert settings.asked.name == "consistency"
    hits = settings.hits
    assert (hits.size, hits.pairs, hits.repeats, hits.assignments) == (50, 10, 0, 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('protocol = "guess"', "one of direct, consistency"),
        ("protocol = 1", "one of direct, consistency"),
        ('protocol = "consistency"\nfluency = true', "no question about fluency"),
        ('protocol = "consistency"\n[hits]\nrepeats = 5', "Repeats per HIT must be 0"),
    ],
)
def test_a_file_that_asks_for_what_is_not_there_is_refused(tmp_path, content, said):
    _, faults = read(tmp_path, content)
    assert said in " ".join(map(str, faults))


def test_compose_writes_pages_of_whole_videos(tmp_path, capsys):
    folder = make_folder(tmp_path / "campaign")
    with (folder / "campaign.toml").open("a") as settings:
        settings.write('protocol = "consistency"\n')
    call_command("compose", str(folder), "--out", str(tmp_path / "hits.csv"))
    assert "1 HITs of 94 in" in capsys.readouterr().out
    with (tmp_path / "hits.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    videos = [row["video"] for row in rows if row["hit"] == "0"]
    assert videos == sorted(videos, key=videos.index)
    assert {row["kind"] for row in rows} == {"system", "degraded"}


def test_compose_damages_the_control_sets_captions_where_words_are_marked(tmp_path, capsys):
    """A copy of a caption of its own page would be recognised there."""
    folder = make_folder(tmp_path / "campaign")
    with (folder / "campaign.toml").open("a") as settings:
        settings.write('protocol = "factuality"\n[hits]\npairs = 2\n')
    call_command("compose", str(folder), "--out", str(tmp_path / "hits.csv"))
    with (folder / "references.csv").open(newline="") as stream:
        told = [row for row in csv.DictReader(stream) if row["source"] == "human-a"]
    human = {row["video"]: row["caption"].split() for row in told}
    with (tmp_path / "hits.csv").open(newline="") as stream:
        damaged = [row for row in csv.DictReader(stream) if row["kind"] == "degraded"]
    assert damaged
    for row in damaged:
        own, words = human[row["video"]], row["caption"].split()
        assert len(words) == len(own)
        assert (words[0], words[-1]) == (own[0], own[-1])


@pytest.mark.django_db
class TestChanging:
    def test_another_protocol_brings_its_numbers_into_the_plan(self):
        campaign = campaign_update(campaign=make_campaign(), protocol="consistency")
        assert (campaign.repeats, campaign.assignments) == (0, 3)
        assert campaign_update(campaign=campaign, protocol="direct").repeats == 10

    def test_numbers_given_with_it_stay(self):
        campaign = campaign_update(campaign=make_campaign(), protocol="consistency", assignments=5)
        assert campaign.assignments == 5

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"protocol": "guess"}, "no protocol"),
            ({"protocol": "consistency", "asks_fluency": True}, "no question about fluency"),
            ({"protocol": "consistency", "repeats": 1}, "Repeats per HIT must be 0"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, changes, said):
        campaign = make_campaign()
        with pytest.raises(DomainError, match=said):
            campaign_update(campaign=campaign, **changes)
        assert Campaign.objects.get().protocol == "direct"

    def test_composed_hits_hold_their_campaign_to_its_protocol(self):
        campaign = make_campaign(videos=6, hit_size=10, pairs=1, repeats=1)
        batch_compose(campaign=campaign)
        with pytest.raises(DomainError, match="already been composed"):
            campaign_update(campaign=campaign, protocol="consistency")

    def test_the_settings_page_offers_every_protocol(self, client):
        campaign = make_campaign()
        client.force_login(campaign.owner)
        address = reverse("hits:campaign-settings", args=[campaign.slug])
        page = client.get(address)
        assert "Consistency: All captions of a video" in markup(page)
        shown = {name: field.value() for name, field in _bound(page).items()}
        form = {
            name: value for name, value in shown.items() if value is not None and value is not False
        }
        assert client.post(address, form | {"protocol": "consistency"}).status_code == 302
        assert Campaign.objects.get().protocol == "consistency"


def _bound(page):
    form = page.context["form"]
    return {name: form[name] for name in form.fields}


@pytest.mark.django_db
class TestPlanning:
    def test_the_plan_counts_the_hits_that_composing_makes(self):
        campaign = make_campaign(
            videos=7, systems=2, protocol="consistency", hit_size=10, pairs=1, repeats=0
        )
        plan = campaign_plan(campaign, campaign_systems(campaign))
        batch = batch_compose(campaign=campaign)
        assert plan.hits == batch.hits.count() == 3
        assert plan.ratings == sum(hit.items.count() for hit in batch.hits.all()) == 30

    def test_a_plan_that_does_not_fit_says_what_to_change(self, client):
        campaign = make_campaign(
            videos=2, systems=2, protocol="consistency", hit_size=100, pairs=10, repeats=0
        )
        advice = "Captions per HIT 100 and Pairs per HIT 2 would fit"
        assert advice in str(campaign_misfit(campaign, campaign_systems(campaign)))
        client.force_login(campaign.owner)
        page = client.get(reverse("hits:campaign-plan", args=[campaign.slug]))
        assert advice in markup(page)
        with pytest.raises(DomainError, match=advice):
            batch_compose(campaign=campaign)

    def test_the_pairs_that_quality_control_needs_are_in_the_hits_advised(self):
        campaign = make_campaign(
            videos=6, systems=2, protocol="consistency", hit_size=20, pairs=8, repeats=0,
            min_pairs=6, max_hits_per_annotator=2,
        )  # fmt: skip
        campaign_fit(campaign=campaign)
        campaign.refresh_from_db()
        assert (campaign.hit_size, campaign.pairs) == (20, 5)
        assert batch_reach(batch_compose(campaign=campaign)).is_enough
        campaign.max_hits_per_annotator, campaign.pairs = 1, 8
        campaign.min_pairs = 7
        misfit = campaign_misfit(campaign, campaign_systems(campaign))
        assert misfit.fitting is None
        assert "raise “HITs per person, at most” to 2" in str(misfit)


def described(folder, *, more=""):
    """A folder of videos that people are to describe."""
    make_folder(folder)
    for name in ("captions.csv", "references.csv"):
        (folder / name).unlink()
    (folder / "campaign.toml").write_text(f'name = "To write"\nprotocol = "describe"\n{more}')
    return folder


class TestDescribing:
    def test_videos_alone_are_a_campaign(self, tmp_path):
        reading = read_campaign(described(tmp_path / "campaign"))
        assert list(map(str, reading.faults)) == []
        assert [system.captions for system in reading.systems] == [12]
        hits = reading.settings.hits
        assert (hits.size, hits.pairs, hits.repeats, hits.assignments) == (20, 0, 0, 2)

    def test_elsewhere_captions_are_missed_as_ever(self, tmp_path):
        folder = described(tmp_path / "campaign")
        (folder / "campaign.toml").write_text('name = "To rate"\n')
        said = " ".join(map(str, read_campaign(folder).faults))
        assert "captions.csv" in said
        assert "There is no control" in said

    def test_compose_deals_every_video_once_and_evenly(self, tmp_path, capsys):
        folder = described(tmp_path / "campaign", more="[hits]\nsize = 10\n")
        call_command("compose", str(folder), "--out", str(tmp_path / "hits.csv"))
        with (tmp_path / "hits.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert len({row["video"] for row in rows}) == len(rows) == 12
        sizes = Counter(row["hit"] for row in rows)
        assert sorted(sizes.values()) == [6, 6]

    @pytest.mark.django_db
    def test_imported_it_keeps_to_describing(self, tmp_path, client):
        reading = read_campaign(described(tmp_path / "campaign"))
        campaign = campaign_import(reading=reading, owner=make_user("organisers"))
        assert campaign.asked.writes
        plan = campaign_plan(campaign, campaign_systems(campaign))
        assert (plan.hits, plan.ratings) == (1, 24)
        with pytest.raises(DomainError, match="import the files again"):
            campaign_update(campaign=campaign, protocol="direct")
        with pytest.raises(DomainError, match="import the files again"):
            campaign_update(campaign=make_campaign(), protocol="describe")
        client.force_login(campaign.owner)
        page = client.get(reverse("hits:campaign-settings", args=[campaign.slug]))
        assert "Consistency: All captions" not in markup(page)
