"""Learning a metric from a campaign's ratings: asked for, trained by a worker, retired."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from analysis.metrics.artifacts import CARD, CONFIG
from analysis.metrics.registry import metric_names
from analysis.models import LearnedMetric, MetricRun
from analysis.selectors.learned_metrics import NO_RATINGS, NO_REFERENCES, learned_folder
from analysis.selectors.rated_captions import campaign_rated
from analysis.selectors.results import last_rating
from analysis.services.metric_context import config_of, device
from analysis.services.metric_runs import metric_run_request
from analysis.services.results import ratings_until
from analysis.services.snapshots import snapshot_refresh
from daplatform.errors import DomainError
from daplatform.jobs.services import job_alive, job_done, job_progress, job_stop
from daplatform.shared_files import folder_share
from hits.models import Campaign, System

NAME = re.compile(r"[A-Za-z]\w*([.+-]\w+)*")
POINTS = 60
"""Of the curve that is shown while a metric is trained."""
EVERY = 1.0
"""Seconds between two words of how far it is."""
NO_MODEL = {"model": "", "weights": ""}
Status = LearnedMetric.Status


def learned_metric_request(
    *,
    campaign: Campaign,
    kind: str,
    name: str,
    requested_by: User | None = None,
    seed: int = 7,
    scores_after: bool = True,
) -> LearnedMetric:
    """Ask for a metric that learns from the ratings of this moment. The caller wakes a worker."""
    name_refuse(name)
    last = last_rating(campaign)
    if last is None:
        raise DomainError(NO_RATINGS)
    if not campaign.systems.filter(role=System.Role.REFERENCE).exists():
        raise DomainError(NO_REFERENCES)
    try:
        with transaction.atomic():
            name_free(name)
            return LearnedMetric.objects.create(
                campaign=campaign,
                requested_by=requested_by,
                kind=kind,
                name=name,
                seed=seed,
                last_rating=last,
                scores_after=scores_after,
            )
    except IntegrityError:
        raise DomainError(
            "A metric is already being trained on this campaign, or one of this name elsewhere."
        ) from None


def name_refuse(name: str) -> None:
    """What cannot be a metric's name, or is one's already."""
    if not NAME.fullmatch(name) or len(name) > 40:
        raise DomainError(
            "A name has at most 40 letters, digits and . + - _, and starts with a letter."
        )
    if name in metric_names() or LearnedMetric.objects.trained().filter(name=name).exists():
        raise DomainError(f"A metric {name} already exists. Choose another name.")


def name_free(name: str) -> None:
    """What was never trained has no scores, so its name is free again."""
    ended = LearnedMetric.objects.filter(name=name).exclude(status__in=LearnedMetric.ACTIVE)
    ended.exclude(status=Status.DONE).delete()


def learned_metric_stop(*, row: LearnedMetric) -> None:
    """End the training. What was fine-tuned so far is kept for `learned_metric_again`."""
    if not job_stop(job=row):
        raise DomainError("The training has already ended.")


def learned_metric_again(*, row: LearnedMetric) -> None:
    """Go on with a training that was stopped, or begin one again that failed."""
    try:
        with transaction.atomic():
            again = LearnedMetric.objects.filter(
                pk=row.pk, status__in=[Status.STOPPED, Status.FAILED]
            ).again()
    except IntegrityError:
        raise DomainError("Another metric is being trained on this campaign.") from None
    if not again:
        raise DomainError("There is nothing to continue.")


def learned_metric_retire(*, row: LearnedMetric, is_retired: bool) -> None:
    """Take a metric off the list of those to score with, or put it back. Its scores stay."""
    now = timezone.now() if is_retired else None
    LearnedMetric.objects.trained().filter(pk=row.pk).update(retired_at=now)


def learned_metric_train(row: LearnedMetric) -> list[MetricRun]:
    """Train what was asked for; the run that scores the campaign with it is to be woken for."""
    if row.campaign is None:
        raise DomainError("The campaign it was to be trained on no longer exists.")
    try:
        losses = LossCurve(row)
        config, card, numbers = _learn(row, row.campaign, losses)
    except ValueError as error:
        raise DomainError(_sentence(str(error))) from error
    folder_share(learned_folder(row.name), claim=partial(job_alive, job=row))
    progress = {"curve": losses.points}
    if not job_done(job=row, config=config, card=card, summary=numbers, progress=progress):
        return []
    return list(_scored(row, row.campaign))


def _learn(
    row: LearnedMetric, campaign: Campaign, losses: LossCurve
) -> tuple[str, str, dict[str, Any]]:
    # Here and not on top: pages import this module, and need nothing that trains.
    from analysis.learning.assessing import learn_held_out
    from analysis.learning.kinds import KINDS, Lesson
    from analysis.learning.training import with_features

    columns = ratings_until(snapshot_refresh(campaign=campaign).read(), row.last_rating)
    rated = campaign_rated(campaign, columns, seed=row.seed)
    context = config_of(NO_MODEL, device()).context()
    folder, tell = learned_folder(row.name), job_progress(row)
    lesson = Lesson(row.name, row.seed, folder, told=losses, progress=tell)
    kind = KINDS[row.kind](context, lesson)
    [rated] = with_features([rated], context, tell, kind.own)
    _, found = learn_held_out(kind, rated, tell)
    return (
        (folder / CONFIG).read_text(encoding="utf-8"),
        (folder / CARD).read_text(encoding="utf-8"),
        found.as_numbers(),
    )


class LossCurve:
    """Hears of every step of a training, and tells the page now and then how the loss falls.

    Of several trainings one after the other, as BERTHA's two, the last is kept.
    """

    def __init__(self, row: LearnedMetric) -> None:
        self.row = row
        self.points: list[tuple[int, float]] = []
        self._told = time.monotonic()

    def __call__(self, step: int, steps: int, loss: float) -> None:
        if self.points and step <= self.points[-1][0]:
            self.points.clear()
        if step % max(steps // POINTS, 1) == 0 or step == steps:
            self.points.append((step, round(loss, 4)))
        if step < steps and time.monotonic() - self._told < EVERY:
            return
        self._told = time.monotonic()
        progress = {"step": "steps of the training", "done": step, "total": steps}
        job_alive(job=self.row, progress={**progress, "curve": self.points})


def _scored(row: LearnedMetric, campaign: Campaign) -> Iterable[MetricRun]:
    """A run that scores the campaign with its new metric; none where one is under way."""
    if row.scores_after:
        try:
            yield metric_run_request(
                campaign=campaign, requested_by=row.requested_by, metrics=[row.name]
            )
        except DomainError:
            return  # it is scored another time, from the page


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."
