"""HITs in the database and in a file: the same captions and seed, the same HITs."""

from __future__ import annotations

import csv
import os
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from daplatform.errors import DomainError
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import Campaign, Hit, HitItem
from hits.services import composing
from hits.services.campaigns import campaign_close, campaign_go_live, campaign_update
from hits.services.composing import batch_compose, batch_create
from hits.services.importing import campaign_import, caption_correct
from tests.folders import make_folder


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "campaign", videos=30, systems=4)


@pytest.fixture
def campaign(folder, organiser) -> Campaign:
    return campaign_import(reading=read_campaign(folder), owner=organiser)


def compose(folder, out, *arguments: str) -> list[dict[str, str]]:
    call_command(
        "compose", str(folder), "--out", str(out), *arguments, stdout=StringIO(), stderr=StringIO()
    )
    with out.open(newline="") as stream:
        return list(csv.DictReader(stream))


def as_rows(batch) -> list[dict[str, str]]:
    """The batch as the command would write it."""
    items = (
        HitItem.objects.filter(hit__batch=batch)
        .select_related("hit", "caption__video", "caption__system", "original")
        .order_by("hit__number", "position")
    )
    return [
        {
            "hit": str(item.hit.number - 1),
            "position": str(item.position),
            "kind": item.kind,
            "video": item.caption.video.name,
            "system": item.caption.system.name,
            "caption": item.text,
            "original": str(item.original.position) if item.original else "",
        }
        for item in items
    ]


def test_the_database_and_the_command_compose_the_same_hits(campaign, folder, tmp_path):
    batch = batch_compose(campaign=campaign)
    rows = compose(folder, tmp_path / "hits.csv")
    assert len(rows) == 300
    assert as_rows(batch) == rows


def test_another_seed_gives_other_hits(folder, tmp_path):
    first = compose(folder, tmp_path / "a.csv", "--seed", "1")
    assert first == compose(folder, tmp_path / "b.csv", "--seed", "1")
    assert first != compose(folder, tmp_path / "c.csv", "--seed", "2")


def test_the_file_is_as_promised(folder, tmp_path):
    rows = compose(folder, tmp_path / "hits.csv")
    assert list(rows[0]) == ["hit", "position", "kind", "video", "system", "caption", "original"]
    for hit in ("0", "1", "2"):
        items = [row for row in rows if row["hit"] == hit]
        assert [row["position"] for row in items] == [str(number) for number in range(100)]
        assert Counter(row["kind"] for row in items) == {
            "system": 70, "reference": 10, "degraded": 10, "repeat": 10
        }  # fmt: skip
        for row in items:
            if row["kind"] in ("degraded", "repeat"):
                original = items[int(row["original"])]
                assert (original["video"], original["system"]) == (row["video"], row["system"])
                assert (original["caption"] == row["caption"]) == (row["kind"] == "repeat")
            else:
                assert row["original"] == ""


def test_originals_in_the_database_are_in_the_same_hit(campaign):
    batch = batch_compose(campaign=campaign)
    copies = HitItem.objects.filter(hit__batch=batch, original__isnull=False).select_related(
        "original"
    )
    assert copies.count() == 60
    for item in copies:
        assert item.original.hit_id == item.hit_id
        assert item.original.caption_id == item.caption_id
        assert item.original.kind == ("reference" if item.kind == "degraded" else "system")
        assert (item.words_replaced is not None) == (item.kind == "degraded")


def test_a_second_batch_is_another_draw_and_leaves_the_first_alone(campaign):
    first = batch_compose(campaign=campaign)
    before = as_rows(first)
    second = batch_compose(campaign=campaign)
    assert (first.number, second.number, first.seed, second.seed) == (1, 2, 7, 8)
    assert as_rows(first) == before
    assert as_rows(second) != before


def test_a_corrected_caption_is_the_one_composed(campaign):
    wrong = campaign.systems.get(name="system-0").captions.first()
    right = caption_correct(caption=wrong, text="What the system really said of it all.")
    shown = set(
        HitItem.objects.filter(hit__batch=batch_compose(campaign=campaign)).values_list(
            "caption", flat=True
        )
    )
    assert right.pk in shown
    assert wrong.pk not in shown


def test_it_refuses_a_campaign_too_small_and_says_what_would_do(tmp_path, organiser):
    folder = make_folder(tmp_path / "small", videos=3, systems=1)
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    with pytest.raises(DomainError, match="HITs cannot be composed"):
        batch_compose(campaign=campaign)
    assert not Hit.objects.exists()


def test_a_smaller_hit_fits_a_smaller_campaign(tmp_path, organiser):
    folder = make_folder(tmp_path / "small", videos=10, systems=2)
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    campaign = campaign_update(campaign=campaign, hit_size=20, pairs=2, repeats=2)
    batch = batch_compose(campaign=campaign)
    assert Counter(row["kind"] for row in as_rows(batch)[:20]) == {
        "system": 14, "reference": 2, "degraded": 2, "repeat": 2
    }  # fmt: skip


def test_a_hit_without_pairs_is_made_of_systems_and_repeats(tmp_path, organiser):
    folder = make_folder(tmp_path / "plain", videos=10, systems=2)
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    campaign = campaign_update(campaign=campaign, hit_size=20, pairs=0, repeats=2)
    kinds = Counter(row["kind"] for row in as_rows(batch_compose(campaign=campaign)))
    assert set(kinds) == {"system", "repeat"}


def test_it_refuses_a_closed_campaign(campaign):
    batch_compose(campaign=campaign)
    campaign_go_live(campaign=campaign)
    campaign_close(campaign=campaign)
    with pytest.raises(DomainError, match="closed"):
        batch_compose(campaign=campaign)


def test_merged_captions_are_asked_once_and_credited_to_each(tmp_path):
    folder = make_folder(tmp_path / "campaign", videos=30, systems=4)
    table = folder / "captions.csv"
    table.write_text(table.read_text().replace("System 1 sees", "System 0 sees"))
    plain = compose(folder, tmp_path / "plain.csv")
    merged = compose(folder, tmp_path / "merged.csv", "--merge")
    assert not any("|" in row["system"] for row in plain)
    shared = [row for row in merged if "|" in row["system"] and row["kind"] == "system"]
    assert {row["system"] for row in shared} == {"system-0|system-1"}
    assert {row["video"] for row in shared} == {f"v{number:03}" for number in range(30)}
    assert not any(row["system"] in ("system-0", "system-1") for row in merged)


def test_the_command_writes_nothing_on_a_fault(folder, tmp_path):
    (folder / "captions.csv").unlink()
    with pytest.raises(CommandError) as refusal:
        compose(folder, tmp_path / "hits.csv")
    assert refusal.value.returncode == 2
    assert not (tmp_path / "hits.csv").exists()


def test_the_command_says_when_the_file_cannot_be_written(folder, tmp_path):
    with pytest.raises(CommandError, match="No HITs were written") as refusal:
        compose(folder, tmp_path / "no" / "such" / "hits.csv")
    assert refusal.value.returncode == 2


def test_a_batch_that_waits_is_filled_once_with_the_settings_of_its_creation(campaign):
    batch = batch_create(campaign=campaign)
    assert (batch.status, batch.hits.count()) == ("waiting", 0)
    campaign_update(campaign=campaign, hit_size=50, pairs=5, repeats=5)
    for _ in range(2):
        job_run(batch)
    batch.refresh_from_db()
    assert batch.status == "done"
    assert [hit.items.count() for hit in batch.hits.all()] == [100, 100, 100]


def test_filled_later_it_is_the_same_as_composed_at_once(campaign, folder, tmp_path):
    batch = batch_create(campaign=campaign)
    job_run(batch)
    assert as_rows(batch) == compose(folder, tmp_path / "hits.csv")


def test_a_batch_that_cannot_be_filled_says_why(campaign):
    campaign_update(campaign=campaign, hit_size=1000, pairs=100, repeats=100)
    batch = batch_create(campaign=campaign)
    job_run(batch)
    batch.refresh_from_db()
    assert batch.status == "failed"
    assert "would fit" in batch.problem


def test_a_fault_of_ours_is_raised_and_ends_the_waiting_for_a_batch(campaign, monkeypatch):
    monkeypatch.setattr(composing, "compose", lambda *_, **__: 1 / 0)
    batch = batch_create(campaign=campaign)
    with pytest.raises(ZeroDivisionError):
        job_run(batch)
    batch.refresh_from_db()
    assert (batch.status, batch.hits.count()) == ("failed", 0)


def test_a_campaign_does_not_go_live_while_its_only_batch_waits(campaign):
    batch_create(campaign=campaign)
    with pytest.raises(DomainError, match="Compose"):
        campaign_go_live(campaign=campaign)


def test_the_largest_seed_leads_on_to_the_smallest(campaign):
    campaign_update(campaign=campaign, seed=2**63 - 1)
    assert [batch_create(campaign=campaign).seed for _ in range(2)] == [2**63 - 1, 0]


def test_it_replaces_nothing_that_is_not_a_file(folder, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path):
        with pytest.raises(CommandError, match="is not a file") as refusal:
            compose(folder, place)
        assert refusal.value.returncode == 2
    assert pipe.is_fifo()


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", ""])
def test_it_refuses_a_seed_that_is_no_whole_number(folder, tmp_path, seed):
    with pytest.raises(CommandError, match="whole number from 0"):
        compose(folder, tmp_path / "hits.csv", f"--seed={seed}")
    assert not (tmp_path / "hits.csv").exists()


def test_a_seed_may_be_larger_than_any_column(folder, tmp_path):
    assert len(compose(folder, tmp_path / "hits.csv", "--seed", str(2**70))) == 300
