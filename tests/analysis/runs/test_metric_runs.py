"""Runs of metrics: the same numbers as from files, whatever happens to the workers."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from analysis.metrics.families import bleu
from analysis.metrics.families.meteor.scorer import Meteor
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.settings import Settings
from analysis.metrics.words import ptb_tokenize
from analysis.models import MetricChunk, MetricFault, MetricRun, MetricScore
from analysis.selectors.metric_progress import run_progress, time_left
from analysis.selectors.metric_scores import files_write, metric_table
from analysis.services import metric_chunks, metric_context
from analysis.services.metric_runs import (
    metric_run_cancel,
    metric_run_request,
    metric_run_retry,
)
from daplatform.errors import DomainError
from daplatform.jobs.services import kinds, left_behind
from daplatform.jobs.tasks import job_run_task
from hits.models import Caption, System, Video
from hits.services.importing import caption_correct
from rehearsal.demo.plans import RATED
from tests.analysis.runs.conftest import METRICS, fall_silent, finish, step
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db
Kind = MetricChunk.Kind


def exported(campaign, folder: Path) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    files_write(campaign, folder)
    return (folder / "scores.csv").read_bytes()


def scored_from_files(campaign, folder: Path, store: Path, metrics=METRICS) -> tuple[bytes, dict]:
    """`manage.py score` on what the page hands out, with a store of its own."""
    clips = folder / "clips"
    clips.mkdir()
    for video in campaign.videos.exclude(file=""):
        if Path(video.file.path).is_file():
            shutil.copy(video.file.path, clips / f"{video.name}.mp4")
    out = folder / "from-files.csv"
    arguments = ["--references", folder / "references.csv", "--videos", clips, "--store", store]
    arguments += ["--metrics", ",".join(metrics), "--out", out]
    with contextlib.suppress(SystemExit):  # something is missing: the .json says what
        call_command("score", *map(str, [folder / "captions.csv", *arguments]))
    return out.read_bytes(), json.loads((folder / "from-files.csv.json").read_text())


def test_the_scores_are_those_of_the_command_line_to_the_last_bit(scored, campaign, tmp_path):
    assert scored().status == MetricRun.Status.DONE
    ours = exported(campaign, tmp_path / "out")
    theirs, about = scored_from_files(campaign, tmp_path / "out", tmp_path / "another-store")
    assert ours == theirs
    assert ours.count(b"\n") == 1 + len(METRICS) * 20 * 3
    told = json.loads((tmp_path / "out" / "scores.csv.json").read_text())
    assert told["signatures"] == about["signatures"]
    assert about["faults"] == told["faults"] == []


def test_a_task_that_comes_twice_changes_nothing(ask, campaign, woken, tmp_path):
    run = ask()
    for _ in range(40):
        for kind in ("metrics", "metric chunks"):
            job_run_task(kind, run.pk)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert MetricScore.objects.count() == len(METRICS) * 60
    before = exported(campaign, tmp_path / "before")
    run.chunks.again()
    MetricRun.objects.update(status=MetricRun.Status.RUNNING)
    finish(run)
    assert exported(campaign, tmp_path / "after") == before
    assert MetricScore.objects.count() == len(METRICS) * 60


def test_every_frame_and_text_is_embedded_once_for_all_metrics(scored, encoders):
    scored()
    assert encoders.images == 20 * 10  # a clip has ten frames, fewer than sixteen
    captions = 20 * 3
    references = 20
    assert encoders.texts == 2 * (captions + references)  # CLIPScore's prompt makes other texts


def test_a_system_added_tomorrow_has_only_its_captions_embedded(scored, campaign, encoders):
    scored()
    encoders.images = encoders.texts = 0
    added = System.objects.create(campaign=campaign, name="tomorrow", role="candidate")
    Caption.objects.bulk_create(
        Caption(video=video, system=added, text=f"Tomorrow's words on {video.name}")
        for video in campaign.videos.all()
    )
    scored()
    assert encoders.images == 0
    assert encoders.texts == 2 * 20
    assert {row.metric: len(row.cells) for row in metric_table(campaign).rows}["emscore"] == 4


def test_workers_that_die_again_and_again_cost_nothing_but_time(
    ask, scored, campaign, encoders, tmp_path, settings
):
    """Killed in each chunk once; what was begun is taken up when nothing is heard of it."""
    scored()
    undisturbed = exported(campaign, tmp_path / "undisturbed")
    MetricRun.objects.all().delete()
    settings.METRIC_STORE = tmp_path / "second-store"
    run = ask()
    for _ in range(60):
        lives = run.chunks.filter(kind=Kind.VIDEOS, status="running", attempts=1).exists()
        encoders.dies_after = encoders.images + (10**9 if lives else 5)
        try:
            step(run)
        except KeyboardInterrupt:
            metric_context.context_forget()
        fall_silent(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert set(run.chunks.filter(kind=Kind.VIDEOS).values_list("attempts", flat=True)) == {2}
    assert exported(campaign, tmp_path / "disturbed") == undisturbed


def test_a_chunk_that_kills_every_worker_is_given_up_and_the_rest_is_scored(ask, encoders):
    run = ask()
    step(run)
    deadly = run.chunks.filter(kind=Kind.VIDEOS).first()
    run.chunks.filter(pk=deadly.pk).update(attempts=3, status="running")
    fall_silent(run)
    finish(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    faults = MetricFault.objects.filter(message__startswith="3 workers stopped")
    assert sorted(faults.values_list("video", flat=True)) == sorted(deadly.items)
    assert MetricScore.objects.filter(metric="emscore").count() == 4 * 3
    assert MetricScore.objects.filter(metric="cider").count() == 20 * 3


def test_a_claimed_chunk_is_left_alone_until_its_worker_is_silent(ask):
    run = ask()
    step(run)
    assert len(list(left_behind(kinds()["metric chunks"]))) == 1  # one worker for all of them
    run.chunks.update(status="running", claimed_at=timezone.now())
    assert step(run) == 0
    assert not list(left_behind(kinds()["metric chunks"]))
    fall_silent(run)
    (chunk,) = left_behind(kinds()["metric chunks"])
    assert chunk.run == run


def test_several_workers_are_woken_to_share_a_run(ask):
    run = ask()
    due = step(run)
    assert due == run.chunks.filter(waits=False).count() == 1 + 1 + 2  # words, texts, 2 × videos
    assert step(run) == 1


def test_scores_of_embeddings_wait_until_all_is_embedded(ask):
    run = ask()
    step(run)
    busy = {"status": "running", "claimed_at": timezone.now()}
    run.chunks.filter(kind=Kind.VIDEOS).update(**busy)
    finish(run)
    done = set(run.chunks.filter(status="done").values_list("kind", flat=True))
    assert done == {"scores", "texts"}
    assert not run.chunks.filter(waits=True, status="done").exists()


def test_an_unreadable_video_is_an_error_row_and_everything_else_is_scored(
    scored, campaign, tmp_path
):
    broken = campaign.videos.get(name="v003")
    Path(broken.file.path).write_bytes(b"no video at all")
    scored()
    fault = MetricFault.objects.get()
    assert fault.video == broken
    assert set(fault.metrics) == {"clip_mean", "emscore", "emscore_ref", "clipscore"}
    assert not MetricScore.objects.filter(caption__video=broken, metric="emscore").exists()
    assert MetricScore.objects.filter(caption__video=broken, metric="bleu4").count() == 3
    assert MetricScore.objects.filter(metric="emscore").count() == 19 * 3
    ours = exported(campaign, tmp_path / "out")
    theirs, about = scored_from_files(campaign, tmp_path / "out", tmp_path / "another-store")
    assert ours == theirs
    told = json.loads((tmp_path / "out" / "scores.csv.json").read_text())
    assert [fault["video"] for fault in about["faults"]] == ["v003"]
    assert told["faults"] == about["faults"]


def test_a_retry_reads_the_failed_videos_only(scored, campaign, encoders, tmp_path):
    broken = campaign.videos.get(name="v003")
    path = Path(broken.file.path)
    whole = path.read_bytes()
    path.write_bytes(b"no video at all")
    run = scored()
    path.write_bytes(whole)
    encoders.images = encoders.texts = 0
    metric_run_retry(run=run)
    finish(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert (encoders.images, encoders.texts) == (10, 0)
    assert not MetricFault.objects.exists()
    ours = exported(campaign, tmp_path / "out")
    assert ours == scored_from_files(campaign, tmp_path / "out", tmp_path / "another-store")[0]


def test_a_retry_of_a_video_that_is_still_broken_says_so_once(scored, campaign):
    Path(campaign.videos.get(name="v003").file.path).write_bytes(b"no video at all")
    run = scored()
    for _ in range(2):
        metric_run_retry(run=run)
        finish(run)
    assert MetricFault.objects.count() == 1


def test_it_refuses_to_retry_what_went_well(scored):
    with pytest.raises(DomainError, match="nothing to retry"):
        metric_run_retry(run=scored())


def test_a_cancelled_run_begins_nothing_more_and_can_be_asked_for_again(ask, scored, encoders):
    run = ask()
    step(run)
    while not run.chunks.filter(kind=Kind.VIDEOS, status="done").exists():
        step(run)
    metric_run_cancel(run=run)
    assert step(run) == 0
    assert run.chunks.filter(status="stopped").exists()
    assert not run.chunks.active().exists()
    with pytest.raises(DomainError, match="already ended"):
        metric_run_cancel(run=run)
    before = encoders.images
    assert scored().status == MetricRun.Status.DONE
    assert (before, encoders.images) == (160, 200)  # sixteen videos, then the other four


def test_one_run_at_a_time(ask, campaign):
    run = ask()
    with pytest.raises(DomainError, match="already being scored"):
        ask()
    with pytest.raises(IntegrityError), transaction.atomic():
        MetricRun.objects.create(campaign=campaign, metrics=[], choices={}, last_caption=0)
    metric_run_cancel(run=run)
    ask()


def test_a_caption_corrected_meanwhile_is_scored_as_it_was_asked_for(ask, campaign):
    run = ask(["bleu1"])
    caption = Caption.objects.filter(system__role="candidate").first()
    correction = caption_correct(caption=caption, text="Quite another caption.")
    finish(run)
    assert MetricScore.objects.filter(caption=caption).exists()
    assert not MetricScore.objects.filter(caption=correction).exists()
    run = metric_run_request(campaign=campaign, metrics=["bleu1"])
    finish(run)
    assert MetricScore.objects.filter(caption=correction).exists()


def test_copies_of_a_video_are_embedded_once_and_fail_together(ask, campaign, encoders):
    first, *_, last = campaign.videos.order_by("name")
    Video.objects.filter(pk=last.pk).update(file=first.file.name, sha256=first.sha256)
    run = ask()
    finish(run)
    embedded = [pk for chunk in run.chunks.filter(kind=Kind.VIDEOS) for pk in chunk.items]
    assert len(embedded) == 19
    assert last.pk not in embedded
    assert encoders.images == 19 * 10
    assert MetricScore.objects.filter(metric="emscore").count() == 60
    Path(first.file.path).write_bytes(b"no video at all")
    shutil.rmtree(metric_context.settings.METRIC_STORE)
    metric_context.context_forget()
    finish(ask())
    assert set(MetricFault.objects.values_list("video", flat=True)) == {first.pk, last.pk}


def test_a_metric_that_is_not_installed_is_said_once_and_costs_no_other(
    scored, monkeypatch, encoders
):
    def none(choice):
        raise MetricUnavailable("the model is elsewhere")

    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", none)
    run = scored(["bleu1", "emscore", "spice"])
    assert run.status == MetricRun.Status.DONE
    told = {fault.message: fault.metrics for fault in MetricFault.objects.all()}
    assert told.pop("the model is elsewhere") == ["emscore"]
    ((message, metrics),) = told.items()
    assert message.startswith("SPICE is not installed")
    assert metrics == ["spice"]
    assert set(MetricScore.objects.values_list("metric", flat=True)) == {"bleu1"}


def test_meteor_is_scored_without_java(scored, campaign, settings, meteor_store, no_java):
    settings.METRIC_STORE = meteor_store
    run = scored(["meteor"])
    assert run.status == MetricRun.Status.DONE
    assert not MetricFault.objects.exists()
    references = dict(Caption.objects.filter(system__role="reference").values_list("video", "text"))
    rows = MetricScore.objects.select_related("caption").order_by("pk")
    texts = [ptb_tokenize(row.caption.text) for row in rows]
    told = [[ptb_tokenize(references[row.caption.video_id])] for row in rows]
    assert [row.value for row in rows] == Meteor.open(meteor_store).score(texts, told).tolist()
    assert len(rows) == 60


def test_a_value_that_is_no_number_is_an_error_row(scored, monkeypatch, campaign):
    plain = bleu.bleu

    def with_a_hole(words):
        scores = plain(words)
        for values in scores:
            values[7] = np.nan
        return scores

    monkeypatch.setattr(bleu, "bleu", with_a_hole)
    scored(["bleu1", "bleu2"])
    fault = MetricFault.objects.get()
    assert (fault.message, fault.metrics) == ("it has no defined value", ["bleu1", "bleu2"])
    assert MetricScore.objects.count() == 2 * 59


def test_something_unexpected_fails_its_chunk_and_no_other(ask, monkeypatch, caplog):
    def burst(*arguments):
        raise RuntimeError("boom")

    monkeypatch.setattr(metric_chunks, "_embed_videos", burst)
    run = ask()
    step(run)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            finish(run)
    finish(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert MetricFault.objects.filter(message__startswith="something went wrong").count() == 20
    assert MetricScore.objects.filter(metric="cider").count() == 60


def test_a_full_disk_is_said_and_can_be_tried_again(ask, settings, tmp_path, campaign):
    in_the_way = tmp_path / "in-the-way"
    in_the_way.write_text("a file where the store should be")
    settings.METRIC_STORE = in_the_way
    run = ask(["clip_mean", "bleu1"])
    finish(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.DONE
    assert MetricFault.objects.filter(message__contains="cannot be written").exists()
    settings.METRIC_STORE = tmp_path / "room-enough"
    metric_run_retry(run=run)
    finish(run)
    assert not MetricFault.objects.exists()
    assert MetricScore.objects.filter(metric="clip_mean").count() == 60


def test_a_run_that_cannot_be_begun_says_so_and_stands_in_nobodys_way(ask, monkeypatch):
    run = ask()
    MetricRun.objects.update(choices=run.choices | {"idf": "guesswork"})
    with pytest.raises(ValueError, match="idf must be one of"):
        step(run)
    run.refresh_from_db()
    assert run.status == MetricRun.Status.FAILED
    assert run.problem.startswith("Something went wrong")
    assert not list(left_behind(kinds()["metrics"]))
    ask()


def test_a_run_begun_on_gpus_is_not_continued_on_a_cpu(ask):
    run = ask()
    step(run)
    MetricRun.objects.update(precision="half")
    assert step(run) == 0
    assert not run.chunks.exclude(attempts=0).exists()


@pytest.mark.parametrize(
    ("metrics", "label", "sentence"),
    [
        (["bleu9"], "", "bleu9"),
        (["bleu1"], "two words", "without blanks"),
        ([], "", "at least one"),
    ],
)
def test_it_refuses_what_cannot_be_computed(ask, metrics, label, sentence):
    with pytest.raises(DomainError, match=sentence):
        ask(metrics, label=label)


def test_it_refuses_a_campaign_without_captions(db):
    campaign = make_campaign()
    Caption.objects.exclude(system__role="reference").delete()
    with pytest.raises(DomainError, match="no captions to score"):
        metric_run_request(campaign=campaign, metrics=["bleu1"])


def test_a_run_that_says_all_that_an_earlier_one_said_replaces_it(scored, campaign):
    small = scored(["bleu1"])
    large = scored(["bleu1", "bleu2"])
    other = scored(["bleu1"], chosen=Settings(tokenize="none"))
    assert set(MetricRun.objects.all()) == {large, other}
    assert small not in MetricRun.objects.all()
    assert {row.metric for row in metric_table(campaign).rows} == {"bleu1", "bleu2"}


def test_progress_counts_items_and_knows_how_long_it_takes(ask):
    run = ask()
    assert run_progress(run) == []
    step(run)
    run.chunks.filter(kind=Kind.TEXTS).update(status="done", seconds=4.0)
    first = run.chunks.filter(kind=Kind.VIDEOS).first()
    run.chunks.filter(pk=first.pk).update(status="done", seconds=1600.0)
    parts = {part.kind: part for part in run_progress(run)}
    assert (parts[Kind.VIDEOS].done, parts[Kind.VIDEOS].total) == (16, 20)
    assert parts[Kind.VIDEOS].rate == pytest.approx(0.01)
    assert parts[Kind.SCORES].rate is None
    assert time_left(run_progress(run)) == "about 7 min left"
    waiting = run.chunks.filter(kind=Kind.VIDEOS, status="waiting")
    waiting.update(status="running", claimed_at=timezone.now())
    run.chunks.filter(pk=first.pk).update(seconds=80.0)
    assert time_left(run_progress(run)) == "less than a minute left"


def test_a_shell_can_score_a_campaign_and_write_it_down(campaign, tmp_path, woken):
    call_command("score_campaign", campaign.slug, "--metrics", "bleu1,emscore")
    run = MetricRun.objects.get()
    assert woken == [("metrics", run.pk)]
    with pytest.raises(CommandError, match="already being scored"):
        call_command("score_campaign", campaign.slug, "--metrics", "bleu1", "--now")
    metric_run_cancel(run=run)
    out = tmp_path / "out"
    call_command("score_campaign", campaign.slug, "--metrics", "bleu1", "--now", "--out", out)
    assert (out / "scores.csv").read_text().count("\n") == 61
    with pytest.raises(CommandError, match="no campaign nowhere"):
        call_command("score_campaign", "nowhere")
    with pytest.raises(CommandError, match="unknown: bleu9"):
        call_command("score_campaign", campaign.slug, "--metrics", "bleu1, bleu9")


def test_a_shell_is_told_what_could_not_be_scored(campaign, capsys):
    with pytest.raises(SystemExit) as exit_:
        call_command("score_campaign", campaign.slug, "--metrics", "bleu1, spice", "--now")
    assert exit_.value.code == 3
    assert "SPICE is not installed" in capsys.readouterr().err


def test_the_demo_is_scored_once_with_all_that_can_be_computed(campaign, woken):
    call_command("score_demo", stdout=io.StringIO())
    assert not woken
    campaign.slug, campaign.is_demo = RATED.slug, True
    campaign.save()
    call_command("score_demo", stdout=io.StringIO())
    call_command("score_demo", stdout=io.StringIO())
    run = MetricRun.objects.get()
    assert woken == [("metrics", run.pk)]
    assert {"bleu4", "emscore"} <= set(run.metrics)
    assert "spice" not in run.metrics
