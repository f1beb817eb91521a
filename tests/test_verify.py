"""`manage.py verify` notices what is wrong, and mends what can be mended."""

from __future__ import annotations

import datetime as dt
import io
import os
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from analysis.results.snapshot import Snapshot
from analysis.services.snapshots import snapshot_refresh
from annotations.models import Assignment
from crowds.models import ExternalId, LedgerEntry, OutboxMessage, Submission
from crowds.registry import MODULES
from daplatform.verification import INVARIANTS
from hits.models import HitItem, Video
from tests.crowd import Marketplace, launch, work
from tests.crowds.crowd_people import finish
from tests.factories import make_annotator, make_campaign, make_hit, make_rating, make_ratings

pytestmark = pytest.mark.django_db
LONG_AGO = dt.timedelta(hours=3)
ALL_HOLD = f"All {len(INVARIANTS)} hold."


def verify(**options) -> str:
    """What the command prints, whether or not it is content."""
    out = io.StringIO()
    try:
        call_command("verify", stdout=out, **options)
    except CommandError as error:
        out.write(f"refused: {error}")
    return out.getvalue()


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR, settings.METRIC_STORE = tmp_path, tmp_path / "embeddings"


@pytest.fixture
def market(monkeypatch) -> Marketplace:
    marketplace = Marketplace()
    monkeypatch.setattr("tests.crowd.MARKET", marketplace)
    monkeypatch.setitem(MODULES, "mturk", "tests.crowd")
    return marketplace


@pytest.fixture
def hit():
    return make_hit(make_campaign(hit_size=6, pairs=2, repeats=1))


@pytest.fixture
def rated(hit):
    return make_ratings(hit, make_annotator(), [50, 60, 70, 90, 10, 55])


def test_it_is_content_with_a_healthy_campaign(rated):
    assert ALL_HOLD in verify()


def test_it_notices_a_hit_that_lost_a_caption(hit):
    HitItem.objects.filter(hit=hit, position=5).delete()
    assert f"as many captions as its batch says.\n  {hit}" in verify()


def test_it_notices_a_copy_of_another_hit(hit):
    other = make_hit(hit.batch.campaign)
    HitItem.objects.filter(hit=hit, position=5).update(original=other.items.get(position=0))
    assert "copy one of their own HIT." in verify()


def test_it_notices_handed_in_work_with_an_answer_missing(hit):
    now = timezone.now()
    Assignment.objects.create(
        campaign=hit.batch.campaign,
        hit=hit,
        slot=1,
        annotator=make_annotator(),
        state="submitted",
        claimed_at=now,
        expires_at=now,
        submitted_at=now,
    )
    assert "Work that was handed in has an answer to every caption." in verify()


def test_it_notices_a_revision_that_is_gone(rated):
    make_rating(rated, rated.hit.items.get(position=0), 50, revision=3)
    assert f"assignment {rated.pk}, position 0" in verify()


def test_it_notices_a_rating_of_something_else(rated):
    item = rated.hit.items.get(position=0)
    item.kind, item.original = "repeat", rated.hit.items.get(position=1)
    make_rating(rated, item, 50, revision=2)
    assert "Ratings agree with their item and assignment." in verify()


def test_overdue_work_is_given_back_and_offered_again(hit):
    then = timezone.now() - LONG_AGO
    Assignment.objects.create(
        campaign=hit.batch.campaign,
        hit=hit,
        slot=1,
        annotator=make_annotator(),
        state="active",
        claimed_at=then,
        expires_at=then,
    )
    assert "Does not hold: Work whose time has run out is given back." in verify()
    assert "Mended: Work whose time has run out is given back." in verify(repair=True)
    assert ALL_HOLD in verify()
    assert Assignment.objects.filter(hit=hit, state="open").count() == 1


def test_it_notices_a_slot_that_nobody_can_take(rated):
    Assignment.objects.filter(pk=rated.pk).update(state="returned", submitted_at=None)
    assert "Does not hold: Work that was given back is offered again." in verify()
    assert "Mended: Work that was given back is offered again." in verify(repair=True)
    assert Assignment.objects.get(hit=rated.hit, state="open").slot == rated.slot
    assert ALL_HOLD in verify()


def test_an_act_left_half_done_is_to_be_looked_up(hit):
    message = OutboxMessage.objects.create(
        campaign=hit.batch.campaign,
        crowd="mturk",
        kind="publish",
        state="claimed",
        claimed_at=timezone.now() - LONG_AGO,
    )
    assert "No message to a crowd was left unfinished." in verify()
    assert "Mended: No message to a crowd was left unfinished." in verify(repair=True)
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.UNCLEAR


def test_it_notices_spending_beyond_the_budget(hit):
    LedgerEntry.objects.create(
        campaign=hit.batch.campaign, kind="committed", amount=Decimal("0.01"), reason="offer"
    )
    assert f"costs more than its budget.\n  {hit.batch.campaign}" in verify()


def test_it_notices_that_more_was_released_than_committed(hit, market):
    made = launch(hit.batch.campaign)
    work(made, market)
    publication = made.publications.get()
    LedgerEntry.objects.create(
        campaign=hit.batch.campaign,
        publication=publication,
        kind="released",
        amount=Decimal("1000.00"),
        reason="rest",
    )
    assert f"No more is released or paid than was committed.\n  {publication}" in verify()


def test_it_notices_a_publication_that_nobody_can_name(hit, market):
    made = launch(hit.batch.campaign)
    work(made, market)
    ExternalId.objects.all().delete()
    assert f"has its crowd's id.\n  {made.publications.get()}" in verify()


def renamed(part: Path) -> None:
    part.rename(part.with_name(part.name.replace("-6.arrow", "-5.arrow")))


def truncated(part: Path) -> None:
    os.truncate(part, 1000)


def zeroed(part: Path) -> None:
    """The same ratings, and every score 0."""
    columns = Snapshot(part.parent).read()
    part.unlink()
    Snapshot(part.parent).append(columns | {"score": np.zeros_like(columns["score"])})


@pytest.mark.parametrize("damage", [renamed, truncated, zeroed])
def test_a_snapshot_that_differs_is_made_anew(rated, damage):
    snapshot = snapshot_refresh(campaign=rated.campaign)
    [part] = snapshot._folder.iterdir()
    damage(part)
    assert f"Snapshots hold the database's ratings.\n  {rated.campaign}" in verify()
    assert "Mended: Snapshots" in verify(repair=True)
    assert not part.exists()
    assert snapshot_refresh(campaign=rated.campaign).read()["score"].sum() == 335


def test_somebody_paid_and_not_booked_is_booked(hit, market):
    made = launch(hit.batch.campaign)
    work(made, market)
    finish(market, "P1", hit, "W1")
    work(made, market)
    Submission.objects.update(status="approved", pay="pay", decided_at=timezone.now())
    assert "Does not hold: Everybody paid at a crowd is in the ledger." in verify()
    assert "Mended: Everybody paid at a crowd is in the ledger." in verify(repair=True)
    paid = LedgerEntry.objects.get(kind="paid")
    assert (paid.amount, paid.publication) == (Decimal("0.99"), made.publications.get())
    assert ALL_HOLD in verify()


@pytest.fixture
def video(hit) -> Video:
    """A video of which we hold the file."""
    video = Video(campaign=hit.batch.campaign, name="stored")
    video.file.save("stored.mp4", ContentFile(b"0123456789"))
    return video


def test_it_notices_that_a_video_was_moved_away(video):
    assert ALL_HOLD in verify()
    path = Path(video.file.path)
    path.rename(path.with_suffix(".bak"))
    sentence = "Does not hold: Every stored video is there, and is not empty."
    assert f"{sentence}\n  stored of {video.campaign} (stored.mp4)" in verify(repair=True)


def test_it_notices_that_a_video_is_empty(video):
    Path(video.file.path).write_bytes(b"")
    assert "  stored of " in verify()


def test_it_looks_for_videos_in_their_bucket(bucket, video):
    assert ALL_HOLD in verify()
    bucket.put_object(Bucket="media", Key=video.file.name, Body=b"")
    assert "  stored of " in verify()
    bucket.delete_object(Bucket="media", Key=video.file.name)
    assert "  stored of " in verify()


@pytest.mark.parametrize(
    "name",
    [
        "snapshots/7/1-6-6.4242",
        "results/7/.12-abc/ranking.csv",
        "evaluations/7/.3-abc/table.csv",
        "exports/7/12/5f1e.part",
        "embeddings/clip-v1/tmpx.part",
        "media/.part-x",
    ],
)
def test_what_a_killed_worker_was_writing_is_removed(settings, name):
    settings.MEDIA_ROOT = settings.DATA_DIR / "media"
    half = settings.DATA_DIR / name
    half.parent.mkdir(parents=True)
    half.write_bytes(b"half")
    assert ALL_HOLD in verify()  # somebody may be writing it
    long_ago = (timezone.now() - LONG_AGO).timestamp()
    for path in (half, half.parent):
        os.utime(path, (long_ago, long_ago))
    assert "Does not hold: No file was left incomplete." in verify()
    assert "Mended: No file was left incomplete." in verify(repair=True)
    assert not half.exists()


def test_a_file_that_was_finished_while_verify_looked_is_no_fault(settings):
    settings.MEDIA_ROOT = settings.DATA_DIR / "media"
    settings.MEDIA_ROOT.mkdir()
    (settings.MEDIA_ROOT / ".part-x").symlink_to("moved")  # listed, and not there
    assert ALL_HOLD in verify()
