"""A living campaign in which every task of the platform has something to do."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import models, transaction
from django.utils import timezone

from analysis.learning.rated import RatedSet
from analysis.metrics.learned.features import NUMBERS, Features
from analysis.models import MetricEvaluation
from analysis.results.settings import Settings
from analysis.services.descriptions import description_request
from analysis.services.exports import export_request
from analysis.services.learned_metrics import learned_metric_request
from analysis.services.metric_runs import metric_run_request
from analysis.services.requests import result_request
from annotations.models import Assignment
from crowds.models import Launch
from crowds.registry import MODULES
from crowds.services.launches import policy_update
from crowds.services.outbox import outbox_run
from crowds.services.restoring import mark_read, mark_write
from crowds.services.submissions import launch_sync
from daplatform.celery import app
from daplatform.jobs.services import job_run
from hits.models import Campaign, Caption, Rendition, Upload
from hits.services.composing import batch_create
from hits.services.uploads import upload_confirm, upload_create
from tests.analysis.pages.conftest import rated_campaign
from tests.clips import make_clip
from tests.crowd import Marketplace, launch
from tests.crowds.crowd_people import arrive, finish
from tests.factories import make_campaign, make_hit, make_user
from tests.folders import make_folder, make_zip

LONG_AGO = dt.timedelta(hours=9)
LAST = 10**9  # an id that no rating has
# How often something was tried may differ, and what a database is called.
VOLATILE = {"attempts", "claims", "epoch"}
PLATFORM = ("hits", "annotations", "crowds", "analysis")


class World:
    """Work that waits for each task, and where things stand."""

    def __init__(self, folder: Path, market: Marketplace) -> None:
        self.folder, self.market = folder, market
        self.campaign = self._campaign()
        self.launch = self._launch()
        self.upload = self._upload("checking", confirmed=False)
        self.importing = self._upload("importing", confirmed=True)
        self.batch = batch_create(campaign=self.campaign)
        self.result = result_request(campaign=self.campaign, choices=Settings(minimum_pairs=1))
        self.run = metric_run_request(campaign=self.campaign, metrics=["bleu4"])
        self.cut = metric_run_request(campaign=make_campaign(), metrics=["bleu4"])
        job_run(self.cut)
        self.lesson = learned_metric_request(
            campaign=rated_campaign(make_user("organisers"), folder / "lesson"),
            kind="fusion", name="fusion-of-all", scores_after=False,
        )  # fmt: skip
        self.evaluation = MetricEvaluation.objects.create(
            campaign=self.campaign, choices={}, choices_key="k", last_rating=1, evidence="e"
        )
        self.description = description_request(campaign=self.campaign)
        self.export = export_request(
            campaign=self.campaign, by=self.campaign.owner, name="ratings", format="csv",
            address="/", choices={"last": LAST, "decisions": ""}, rows=12,
        )  # fmt: skip
        self.rendition = self._rendition()
        self.caption = Caption.objects.filter(video__campaign=self.campaign).earliest("pk")

    def _rendition(self) -> Rendition:
        video = make_campaign(videos=1).videos.get()
        clip = make_clip(self.folder / "old.avi", seconds=0.3, codec="mpeg4").read_bytes()
        video.url = ""
        video.file.save("old.avi", ContentFile(clip))
        return Rendition.objects.create(source=str(video.file.name), kind=Rendition.Kind.WEB)

    def _campaign(self) -> Campaign:
        campaign = make_campaign(assignments=3, hit_size=20, pairs=2, repeats=1, videos=24)
        make_hit(campaign)
        return campaign

    def _launch(self) -> Launch:
        """Somebody has handed in, the crowd's next news waits, somebody has run out of time."""
        made = launch(self.campaign)
        policy_update(campaign=self.campaign, by=self.campaign.owner, approve_after_hours=0)
        outbox_run(crowd="mturk")
        hit = made.batch.hits.get()
        finish(self.market, "P1", hit, "W1")
        launch_sync(launch=made)
        finish(self.market, "P1", hit, "W2")
        late = arrive(hit, "W3", "P1-W3")
        Assignment.objects.filter(pk=late.pk).update(expires_at=timezone.now() - LONG_AGO)
        return made

    def _upload(self, name: str, *, confirmed: bool) -> Upload:
        folder = make_folder(self.folder / name, videos=12, systems=2, name=name)
        archive = ContentFile(make_zip(folder).read_bytes(), name=f"{name}.zip")
        upload = upload_create(owner=self.campaign.owner, archive=archive)
        if confirmed:
            job_run(upload)
            upload_confirm(upload=upload)
        return upload

    @contextlib.contextmanager
    def undone(self) -> Iterator[None]:
        """Whatever happens to rows, files and the crowd is taken back afterwards."""
        data, kept = Path(settings.DATA_DIR), self.folder / "kept"
        shutil.copytree(data, kept)
        market = copy.deepcopy(self.market.__dict__)
        mark = mark_read(settings.SENDING_MARK)
        try:
            with transaction.atomic():
                yield
                transaction.set_rollback(True)
        finally:
            self.market.__dict__.update(market)
            shutil.rmtree(data)
            kept.rename(data)
            mark_write(settings.SENDING_MARK, mark)

    def picture(self) -> dict[str, Any]:
        """Every row of the platform's, every file, and the crowd's books; without times."""
        rows = {model._meta.label: sorted(map(repr, _plain(model))) for model in _models()}
        data = Path(settings.DATA_DIR)
        files = sorted(str(path.relative_to(data)) for path in data.rglob("*") if path.is_file())
        return rows | {"files": files, "crowd": self._crowd()}

    def outline(self) -> dict[str, Any]:
        """How many rows of each kind are in which state, and the crowd's books."""
        rows = {model._meta.label: Counter(_states(model)) for model in _models()}
        return rows | {"crowd": self._crowd()}

    def _crowd(self) -> dict[str, Any]:
        market = self.market
        turns = sorted((name, str(turn.status)) for name, turn in market.turns.items())
        return {"out": sorted(market.out), "turns": turns, "spent": market.spent}


def _models() -> Iterator[type[models.Model]]:
    return chain.from_iterable(apps.get_app_config(app).get_models() for app in PLATFORM)


def _plain(model: type[models.Model]) -> list[tuple[Any, ...]]:
    fields = [
        field.attname
        for field in model._meta.concrete_fields
        if not isinstance(field, models.DateTimeField) and field.name not in VOLATILE
    ]
    return list(model._base_manager.values_list(*fields))


def _states(model: type[models.Model]) -> list[tuple[Any, ...]]:
    """What each row says in fields that have few things to say; () where there are none such."""
    fields = [field.attname for field in model._meta.concrete_fields if field.choices]
    rows = model._base_manager.values(*fields) if fields else [{}] * model._base_manager.count()
    return [tuple(row.values()) for row in rows]


def world_in(folder: Path, patch: pytest.MonkeyPatch) -> World:
    """A world below a folder, with a crowd in memory; what a task wakes runs at once."""
    market = Marketplace()
    patch.setattr("tests.crowd.MARKET", market)
    patch.setitem(MODULES, "mturk", "tests.crowd")
    patch.setattr(settings, "DATA_DIR", folder / "data")
    patch.setattr(settings, "MEDIA_ROOT", folder / "data/media")
    patch.setattr(settings, "METRIC_STORE", folder / "store")
    patch.setattr("analysis.learning.training.with_features", numbers_made_up)
    patch.setattr("analysis.learning.rated.FEWEST", 50)
    patch.setattr("analysis.metrics.registry._learned", {})
    app.loader.import_default_modules()
    patch.setitem(app.conf, "task_always_eager", True)
    return World(folder, market)


def numbers_made_up(sets: list[RatedSet], *args: object) -> list[RatedSet]:
    """In place of what metrics and a sentence model would say of captions: minutes of work."""
    found = []
    for rated in sets:
        rng = np.random.default_rng(len(rated))
        numbers = rng.normal(size=(len(rated), len(NUMBERS)))
        vectors = rng.normal(size=(3, len(rated), 4)).astype(np.float32)
        found.append(replace(rated, features=Features(numbers, *vectors)))
    return found


# Each kind of job, and jobs of it that wait. A new kind has to be added here.
JOBS: dict[str, Callable[[World], list[Any]]] = {
    "uploads": lambda world: [world.upload, world.importing],
    "batches": lambda world: [world.batch],
    "results": lambda world: [world.result],
    "evaluations": lambda world: [world.evaluation],
    "descriptions": lambda world: [world.description],
    "exports": lambda world: [world.export],
    "renditions": lambda world: [world.rendition],
    "metrics": lambda world: [world.run],
    "learned metrics": lambda world: [world.lesson],
    "metric chunks": lambda world: list(world.cut.chunks.all()),
}
# Each other task, and what it is called with. A new task has to be added here.
TASKS: dict[str, Callable[[World], tuple[Any, ...]]] = {
    "daplatform.jobs.tasks.jobs_sweep_task": lambda world: (),
    "crowds.tasks.outbox_run_task": lambda world: ("mturk",),
    "crowds.tasks.outbox_resume_task": lambda world: (),
    "annotations.tasks.assignments_expire_task": lambda world: (),
    "crowds.tasks.origins_forget_task": lambda world: (),
    "crowds.tasks.campaigns_close_task": lambda world: (),
    "crowds.tasks.campaigns_retire_task": lambda world: (),
    "crowds.tasks.launch_sync_task": lambda world: (world.launch.pk,),
    "crowds.tasks.launches_sync_task": lambda world: (),
    "crowds.tasks.launch_tend_task": lambda world: (world.launch.pk,),
    "crowds.tasks.launches_tend_task": lambda world: (),
    "crowds.tasks.launch_reconcile_task": lambda world: (world.launch.pk,),
    "crowds.tasks.launches_reconcile_task": lambda world: (),
    "analysis.tasks.file_draw_task": lambda world: ("result", world.result.pk, "report.html"),
    "analysis.tasks.metric_worker_report_task": lambda world: (),
    "analysis.tasks.metric_run_explain_task": lambda world: (world.run.pk, world.caption.pk),
    "analysis.tasks.verdicts_refresh_task": lambda world: (world.campaign.pk,),
    "analysis.tasks.verdicts_sweep_task": lambda world: (),
}
