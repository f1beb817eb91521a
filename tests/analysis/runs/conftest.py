"""A campaign with real clips, scored by a model that counts what it is asked."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from analysis.metrics.encoding.models import ModelRef
from analysis.models import MetricRun
from analysis.services import metric_context
from analysis.services.metric_runs import metric_run_request
from daplatform.jobs.services import job_finish, job_run
from hits.models import Campaign
from tests.analysis.metrics.pretend import PretendEncoders
from tests.clips import make_clip
from tests.factories import make_campaign

METRICS = ["bleu4", "rougel", "cider", "clip_mean", "emscore", "emscore_ref", "clipscore"]


@pytest.fixture(autouse=True)
def private_store(settings, tmp_path):
    """A store and a worker of its own for each test: nothing is remembered from another."""
    settings.METRIC_STORE = tmp_path / "embeddings"
    settings.METRIC_DEVICE = "cpu"
    settings.METRIC_MODELS = ["pretend"]
    metric_context.device.cache_clear()
    metric_context._job.cache_clear()
    metric_context.context_forget()
    yield
    metric_context.context_forget()


@pytest.fixture
def encoders(monkeypatch) -> PretendEncoders:
    """The image–text model of workers and of `manage.py score`."""
    encoders = PretendEncoders()
    model_ref = ModelRef("pretend", (), lambda device: encoders)
    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", lambda choice: model_ref)
    return encoders


@pytest.fixture(scope="session")
def clips(tmp_path_factory) -> list[bytes]:
    """Twenty clips: more than one group of videos."""
    folder = tmp_path_factory.mktemp("clips")
    return [make_clip(folder / f"{n}.mp4", shade=n).read_bytes() for n in range(20)]


@pytest.fixture
def campaign(organiser, clips, encoders) -> Campaign:
    """Two candidates and a hidden human over twenty clips that are stored here."""
    campaign = make_campaign(owner=organiser, videos=20, systems=2)
    for number, (video, clip) in enumerate(zip(campaign.videos.all(), clips, strict=True)):
        video.name, video.url, video.sha256 = f"v{number:03}", "", sha256(clip).hexdigest()
        video.file.save(f"{number}.mp4", ContentFile(clip))
    return campaign


@pytest.fixture
def ask(campaign):
    """Ask for metrics; nobody is woken."""

    def request(metrics=METRICS, **choices) -> MetricRun:
        return metric_run_request(campaign=campaign, metrics=metrics, **choices)

    return request


def step(run: MetricRun) -> int:
    """What one worker does that is woken for the run; how many more it would wake."""
    run.refresh_from_db()
    return len(job_run(run if run.status == MetricRun.Status.WAITING else run.chunks.first()))


def finish(run: MetricRun) -> None:
    """What all workers do together that are woken for the run."""
    while step(run):
        pass


def fall_silent(run: MetricRun) -> None:
    """As if the workers of its chunks had died a while ago."""
    long_ago = timezone.now() - timedelta(hours=1)
    run.chunks.filter(status="running").update(claimed_at=long_ago)


@pytest.fixture
def scored(ask):
    """Ask for metrics and have them computed."""

    def score(metrics=METRICS, **choices) -> MetricRun:
        run = ask(metrics, **choices)
        job_finish(run)
        run.refresh_from_db()
        return run

    return score
