"""Ratings leave the database once; what is read from disk is what is in the database."""

from __future__ import annotations

import os
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest

from analysis.results.snapshot import FIELDS, Snapshot, SnapshotError, latest
from analysis.selectors.ratings import evidence_of, notes_on, ratings_of
from analysis.services.snapshots import ratings_fetch, snapshot_holds, snapshot_of, snapshot_refresh
from analysis.stats.quality import check_quality
from annotations.models import Rating
from daplatform.tables import TableError
from hits.models import Batch, Caption
from tests.factories import (
    make_annotator,
    make_campaign,
    make_hit,
    make_rating,
    make_ratings,
    unsaved_rating,
)

KINDS = ["system", "reference", "degraded", "repeat"]


@pytest.fixture
def hit(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return make_hit(make_campaign())


@pytest.fixture
def rated(hit):
    make_ratings(hit, make_annotator(), [10, 20, 30, 90, 40, 12])
    make_ratings(hit, make_annotator(), [15, 25, 35, 95, 45, 17])
    return hit


def columns_of(first: int, scores: list[int]) -> dict[str, np.ndarray]:
    columns = {name: np.zeros(len(scores), dtype=kind) for name, kind in FIELDS.items()}
    return columns | {"id": np.arange(first, first + len(scores)), "score": np.array(scores, "i2")}


def test_every_column_is_what_the_database_holds(rated):
    campaign = rated.batch.campaign
    columns = ratings_fetch(campaign, after=0)
    rows = list(Rating.objects.order_by("pk").select_related("assignment", "caption"))
    assert columns["id"].tolist() == [row.pk for row in rows]
    assert columns["assignment"].tolist() == [row.assignment_id for row in rows]
    assert columns["annotator"].tolist() == [row.annotator_id for row in rows]
    assert columns["hit"].tolist() == [row.assignment.hit_id for row in rows]
    assert columns["system"].tolist() == [row.caption.system_id for row in rows]
    assert columns["item"].tolist() == [row.caption.video_id for row in rows]
    assert [KINDS[kind] for kind in columns["kind"]] == [row.kind for row in rows]
    assert columns["score"].tolist() == [row.score for row in rows]
    assert columns["position"].tolist() == [row.position for row in rows]
    assert columns["fluency"].tolist() == [-1] * len(rows)
    assert columns["seconds"] == pytest.approx([8.0] * len(rows), abs=1e-3)
    stamps = [row.created_at.timestamp() * 1e6 for row in rows]
    assert columns["submitted_at"] == pytest.approx(stamps, abs=1000)


def test_only_new_ratings_are_fetched(rated):
    campaign = rated.batch.campaign
    snapshot_refresh(campaign=campaign)
    make_ratings(rated, make_annotator(), [5, 5, 5, 99, 1, 5])
    snapshot = snapshot_refresh(campaign=campaign)
    assert len(list((snapshot_of(campaign)._folder).glob("*.arrow"))) == 2
    assert snapshot.read()["id"].tolist() == sorted(Rating.objects.values_list("pk", flat=True))


def test_refreshing_without_news_changes_nothing(rated):
    campaign = rated.batch.campaign
    first = snapshot_refresh(campaign=campaign).read()
    second = snapshot_refresh(campaign=campaign).read()
    assert all(np.array_equal(first[name], second[name]) for name in FIELDS)


def test_other_campaigns_are_left_out(rated):
    other = make_hit(make_campaign())
    make_ratings(other, make_annotator(), [1, 2, 3, 4, 5, 6])
    assert snapshot_refresh(campaign=other.batch.campaign).rows == 6


def test_a_rating_that_appears_below_the_last_one_is_not_missed(rated):
    """Ids are handed out before commit, so a slow transaction may surface late."""
    campaign = rated.batch.campaign
    snapshot = snapshot_of(campaign)
    everything = ratings_fetch(campaign, after=0)
    snapshot.append({name: np.delete(values, 3) for name, values in everything.items()})
    assert snapshot_refresh(campaign=campaign).rows == 12


def test_only_the_last_revision_counts(rated):
    assignment = rated.assignments.first()
    item = rated.items.get(position=1)
    make_rating(assignment, item, 77, revision=2)
    make_rating(assignment, item, 78, revision=3)
    columns = snapshot_refresh(campaign=rated.batch.campaign).read()
    assert len(columns["id"]) == 14
    answers = latest(columns)
    assert len(answers["id"]) == 12
    mine = (answers["assignment"] == assignment.pk) & (answers["position"] == 1)
    assert answers["score"][mine].tolist() == [78]


def other_columns(change: str, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    if change == "a column is missing":
        return {name: values for name, values in columns.items() if name != "score"}
    score = columns["score"]
    scores = {
        "every score is 0": score * 0,
        "two scores changed places": np.append(score[1::-1], score[2:]),
        "a score is missing": pa.array([None, *score[1:].tolist()]),
        "scores are words": [f"{value} %" for value in score],
        "scores are half": score.astype("f8") / 4,
    }
    return columns | {"score": scores[change]}


@pytest.mark.parametrize(
    "change",
    [
        "every score is 0",
        "two scores changed places",
        "a score is missing",
        "scores are words",
        "scores are half",
        "a column is missing",
    ],
)
def test_a_file_that_says_something_else_is_made_anew(rated, change):
    campaign = rated.batch.campaign
    true = {
        name: values.copy() for name, values in snapshot_refresh(campaign=campaign).read().items()
    }
    [part] = snapshot_of(campaign)._folder.iterdir()
    table = pa.table(other_columns(change, true))
    with part.open("wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert not snapshot_holds(campaign)
    columns = snapshot_refresh(campaign=campaign).read()
    assert all(np.array_equal(columns[name], true[name]) for name in FIELDS)


@pytest.mark.parametrize("length", [0, 8, 1000, -1])
def test_a_file_that_was_cut_short_is_made_anew_and_that_is_logged(rated, caplog, length):
    campaign = rated.batch.campaign
    snapshot = snapshot_refresh(campaign=campaign)
    [part] = snapshot._folder.iterdir()
    os.truncate(part, length % part.stat().st_size)
    with pytest.raises(SnapshotError):
        snapshot.read()
    assert snapshot_refresh(campaign=campaign).read()["score"].sum() == 434
    assert f"The snapshot of {campaign} cannot be read" in caplog.text


@pytest.mark.parametrize("name", ["copy.arrow", "1-400-12.arrow", "900-901-2.arrow"])
def test_a_file_of_another_name_does_not_stop_anything(rated, name):
    """Believed, it would hide the ratings up to the id it claims."""
    campaign = rated.batch.campaign
    [part] = snapshot_refresh(campaign=campaign)._folder.iterdir()
    part.rename(part.with_name(name))
    assert snapshot_refresh(campaign=campaign).rows == 12


def test_a_snapshot_of_another_campaign_is_made_anew(rated):
    campaign, other = rated.batch.campaign, make_hit(make_campaign()).batch.campaign
    snapshot_refresh(campaign=campaign)._folder.rename(snapshot_of(other)._folder)
    assert not snapshot_holds(other)
    assert snapshot_refresh(campaign=other).rows == 0


def test_rows_are_on_the_disk_before_they_have_their_name(tmp_path, monkeypatch):
    synced = []

    def fsync(descriptor: int) -> None:
        [part] = (tmp_path / "s").iterdir()
        synced.append((part.suffix, os.fstat(descriptor).st_size))

    monkeypatch.setattr(os, "fsync", fsync)
    Snapshot(tmp_path / "s").append(columns_of(1, [1, 2, 3]))
    [path] = (tmp_path / "s").iterdir()
    assert synced == [(f".{os.getpid()}", path.stat().st_size)]


def test_nothing_can_be_appended_twice(tmp_path):
    snapshot = Snapshot(tmp_path / "s")
    snapshot.append(columns_of(5, [1, 2, 3]))
    with pytest.raises(ValueError, match="fetched already"):
        snapshot.append(columns_of(7, [4]))
    assert snapshot.read()["score"].tolist() == [1, 2, 3]


def test_what_two_processes_fetched_at_once_is_there_once(tmp_path):
    for name, last in (("one", 2), ("other", 3)):
        columns = {field: np.arange(1, last + 1).astype(kind) for field, kind in FIELDS.items()}
        Snapshot(tmp_path / name).append(columns)
    [part] = (tmp_path / "one").iterdir()
    part.rename(tmp_path / "other" / part.name)
    both = Snapshot(tmp_path / "other")
    assert (both.rows, both.last_id) == (3, 3)
    assert both.read()["id"].tolist() == [1, 2, 3]


def test_a_process_that_was_slower_adds_only_what_is_missing(rated, monkeypatch):
    def fetched_while_another_did(campaign, *, after):
        columns = ratings_fetch(campaign, after=after)
        snapshot_of(campaign).append({name: values[:-1] for name, values in columns.items()})
        return columns

    monkeypatch.setattr("analysis.services.snapshots.ratings_fetch", fetched_while_another_did)
    assert snapshot_refresh(campaign=rated.batch.campaign).rows == Rating.objects.count() == 12


def test_an_empty_snapshot_has_typed_columns(tmp_path):
    snapshot = Snapshot(tmp_path / "s")
    assert (snapshot.last_id, snapshot.rows) == (0, 0)
    assert {name: str(values.dtype) for name, values in snapshot.read().items()}["score"] == "int16"


def test_the_statistics_get_names_and_the_right_pairs(rated):
    campaign = rated.batch.campaign
    ratings = ratings_of(campaign, snapshot_refresh(campaign=campaign).read())
    assert len(ratings) == 12
    assert set(ratings.systems) == {"system-0", "system-1", "human-b", "human-a"}
    assert ratings.hits == ("1-1",)
    quality = check_quality(ratings)
    assert quality.pairs.n.tolist() == [1, 1]
    assert quality.degraded_mean.tolist() == [40, 45]
    assert quality.original_mean.tolist() == [90, 95]


def test_the_platform_knows_who_was_rejected(rated):
    assignment = rated.assignments.first()
    assignment.state = "rejected"
    assignment.save()
    campaign = rated.batch.campaign
    evidence = evidence_of(campaign, snapshot_refresh(campaign=campaign).read())
    assert evidence.rejected == [assignment.annotator.pseudonym]
    assert evidence.unwatched == []


def test_a_quick_change_of_mind_is_no_rating_before_watching_and_adds_its_time(rated):
    assignment = rated.assignments.first()
    changed = unsaved_rating(assignment, rated.items.get(position=0), 41, revision=2)
    changed.served_at = changed.created_at - timedelta(seconds=1)
    changed.save()
    unseen = unsaved_rating(rated.assignments.last(), rated.items.get(position=1), 9, revision=2)
    unseen.is_unwatched = True
    unseen.save()
    campaign = rated.batch.campaign
    columns = snapshot_refresh(campaign=campaign).read()
    assert evidence_of(campaign, columns).unwatched == [unseen.annotator.pseudonym]
    seconds = ratings_of(campaign, columns).seconds
    assert np.sort(seconds)[-2:] == pytest.approx([9.0, 16.0])


def test_merged_captions_are_credited_to_every_system_that_wrote_them(hit):
    campaign = hit.batch.campaign
    first = hit.items.get(position=0)
    twin = Caption.objects.get(video=first.caption.video, system__name="system-1")
    Caption.objects.filter(pk=twin.pk).update(text=first.caption.text)
    make_ratings(hit, make_annotator(), [10, 20, 30, 90, 40, 12])
    columns = snapshot_refresh(campaign=campaign).read()
    assert len(ratings_of(campaign, columns)) == 6
    Batch.objects.update(merge_identical=True)
    ratings = ratings_of(campaign, columns)
    system, item = ratings.systems.index("system-1"), ratings.items.index(twin.video.name)
    mine = (ratings.system == system) & (ratings.item == item)
    own = [10, 20, 30][hit.items.get(caption=twin).position]
    assert sorted(ratings.score[mine].tolist()) == sorted([own, 10, 12])
    assert "credited to each system" in notes_on(campaign)[0]


def test_no_ratings_is_said(hit):
    campaign = hit.batch.campaign
    with pytest.raises(TableError, match="no ratings"):
        ratings_of(campaign, snapshot_refresh(campaign=campaign).read())
