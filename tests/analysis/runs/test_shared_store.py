"""Workers on several machines: embeddings and videos in one bucket."""

from __future__ import annotations

import numpy as np
import pytest
from django.core.files.storage import storages

from analysis.metrics.encoding.embeddings import Embedding, Space
from analysis.models import MetricFault, MetricRun, MetricScore
from analysis.selectors.metric_scores import files_write
from analysis.services import metric_context
from analysis.services.embedding_store import store_pull, store_push
from daplatform import shared_files
from daplatform.jobs.services import job_finish
from tests.analysis.runs.conftest import step

pytestmark = pytest.mark.django_db


@pytest.fixture
def move(settings, tmp_path):
    """Go on as another machine: an empty folder, and nothing loaded."""

    def to(name: str) -> None:
        settings.METRIC_STORE = tmp_path / name
        metric_context.context_forget()

    return to


def test_machines_share_the_embeddings_of_one_run(bucket, campaign, ask, encoders, move, tmp_path):
    run = ask()
    machines = ["first", "second"]
    while MetricRun.objects.filter(pk=run.pk).exclude(status="done").exists():
        machines.reverse()
        move(machines[0])
        step(run)
    assert encoders.images == 20 * 10
    assert MetricScore.objects.filter(run=run).count() == len(run.metrics) * 60
    assert not MetricFault.objects.exists()
    files_write(campaign, tmp_path)
    shared = (tmp_path / "scores.csv").read_bytes()
    move("third")
    job_finish(ask())
    assert encoders.images == 20 * 10  # what the others have embedded is there for the third
    files_write(campaign, tmp_path)
    assert (tmp_path / "scores.csv").read_bytes() == shared


def test_a_video_gone_from_the_bucket_is_an_error_row(bucket, campaign, scored):
    lost = campaign.videos.get(name="v003")
    storages["default"].delete(lost.file.name)
    scored()
    assert MetricFault.objects.get().video == lost


def test_a_shard_is_shared_whole_or_not_at_all(bucket, settings, tmp_path, monkeypatch, move):
    """Whoever sees an index finds the vectors, on either side, even if copying is cut short."""
    move("first")
    embedding = Embedding(np.ones((2, 3), np.float32), np.array([7, 8], np.int32))
    Space(settings.METRIC_STORE / "texts-x").put({"0" * 64: embedding})
    with monkeypatch.context() as patch:
        patch.setattr(shared_files, "transaction", None)  # what was put there is nobody's yet
        with pytest.raises(AttributeError):
            store_push(["texts-x"])
    move("nobody")
    store_pull(["texts-x"])
    assert not (settings.METRIC_STORE / "texts-x").exists()
    move("first")
    store_push(["texts-x"])
    move("second")
    store_pull(["texts-x", "texts-nobody-has"])
    assert "0" * 64 in Space(settings.METRIC_STORE / "texts-x")
    store_pull(["texts-x"])
    assert len(list((settings.METRIC_STORE / "texts-x").iterdir())) == 2


def test_without_a_bucket_nothing_is_copied(settings):
    assert not settings.MEDIA_BUCKET
    store_push(["texts-x"])
    store_pull(["texts-x"])
    assert not settings.METRIC_STORE.exists()
