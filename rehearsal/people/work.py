"""A crowd to test with: simulated annotators who rate through the services people's ratings use."""

from __future__ import annotations

import datetime as dt
import hashlib
import uuid
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

import numpy as np
from django.db import transaction

from annotations.errors import NothingToTake
from annotations.models import Annotator, AnnotatorIdentity
from annotations.posts import AnswerPost, Evidence, RatingPost
from annotations.selectors.work import asked_in, session_of
from annotations.services.assignments import assignment_submit
from annotations.services.ratings import rating_submit
from annotations.tokens import RatingSession, Receipt, receipt_sign
from crowds.invite.invitations import annotators_simulate
from crowds.services.visits import assignment_claim
from hits.models import Campaign, HitItem
from hits.selectors.damage import damages
from rehearsal.demo import judge, scene_named
from rehearsal.people.answers import Subject, answers_to, response_to
from rehearsal.people.personas import Persona, Response

DEFAULT_SECONDS = 5.0
FLUENCY = {HitItem.Kind.DEGRADED: 0.45}
FLUENT = 0.85


@dataclass
class Worker:
    """A simulated annotator at work, with a clock and a generator of their own."""

    annotator: Annotator
    persona: Persona
    rng: np.random.Generator
    clock: dt.datetime


def crowd_invite(
    *, campaign: Campaign, personas: Sequence[Persona], seed: int, start: dt.datetime
) -> list[Worker]:
    """A marked annotator for every persona; the same seed finds the same ones again."""
    names = [f"{seed}-{number + 1}" for number in range(len(personas))]
    invitations = annotators_simulate(campaign=campaign, names=names)
    return _workers([invitation.annotator for invitation in invitations], personas, seed, start)


@transaction.atomic
def crowd_hire(
    *, campaign: Campaign, personas: Sequence[Persona], seed: int, start: dt.datetime
) -> list[Worker]:
    """The same as workers of a marketplace, marked before they first open the rating page."""
    ids = [f"ASIM{campaign.pk}X{seed}N{number + 1}" for number in range(len(personas))]
    return _workers([_hire(worker) for worker in ids], personas, seed, start)


def _hire(worker: str) -> Annotator:
    known = Annotator.objects.filter(identity__crowd="mturk", identity__external_id=worker).first()
    if known is not None:
        return known
    pseudonym = f"sim-{hashlib.sha256(worker.encode()).hexdigest()[:12]}"
    annotator = Annotator.objects.create(pseudonym=pseudonym, is_simulated=True)
    AnnotatorIdentity.objects.create(annotator=annotator, crowd="mturk", external_id=worker)
    return annotator


def _workers(
    annotators: Sequence[Annotator], personas: Sequence[Persona], seed: int, start: dt.datetime
) -> list[Worker]:
    return [
        Worker(annotator, persona, np.random.default_rng([seed, number]), start)
        for number, (annotator, persona) in enumerate(zip(annotators, personas, strict=True))
    ]


def worker_rate_hit(*, campaign: Campaign, worker: Worker, seed: int) -> bool:
    """Take a HIT and rate it to its end by the worker's own clock; False when there is none."""
    with transaction.atomic():
        try:
            assignment = assignment_claim(
                campaign=campaign,
                annotator=worker.annotator,
                consents=True,
                now=worker.clock,
            )
        except NothingToTake:
            return False
        turn = session_of(assignment)
        subjects = subjects_of(campaign, assignment.hit_id, seed=seed)
        for _, page in groupby(subjects, key=attrgetter("page")):
            _rate(worker, turn, list(page))
        assignment_submit(session=turn, now=worker.clock)
    return True


def _rate(worker: Worker, session: RatingSession, page: list[Subject]) -> None:
    """Rate what is shown together: all of it is handed out at once, and comes back at once."""
    shown, asked = worker.clock, asked_in(session)
    responses = [response_to(asked, worker.persona, subject, worker.rng) for subject in page]
    seconds, watched = (
        sum(getattr(response, name) for response in responses) for name in ("seconds", "watched")
    )
    worker.clock = shown + dt.timedelta(seconds=seconds)
    video_ms = round(1000 * sum(subject.seconds for subject in page))
    for subject, response in zip(page, responses, strict=True):
        receipt = Receipt(subject.position, shown, video_ms)
        answers = answers_to(asked, worker.persona, subject, response, worker.rng)
        kind: type[RatingPost | AnswerPost] = RatingPost if asked.asks_numbers else AnswerPost
        post = kind(
            receipt=receipt_sign(receipt, assignment=session.assignment),
            key=uuid.UUID(bytes=worker.rng.bytes(16), version=4),
            evidence=evidence_of(replace(response, seconds=seconds, watched=watched)),
            **answers,
        )
        rating_submit(session=session, post=post, now=worker.clock)


def evidence_of(response: Response) -> Evidence:
    """What a browser would have measured."""
    milliseconds = round(1000 * response.seconds)
    watched = round(1000 * response.watched)
    return Evidence(
        elapsed_ms=milliseconds,
        first_touch_ms=(watched + milliseconds) // 2,
        last_touch_ms=milliseconds,
        moves=response.moves,
        plays=1,
        watched_ms=watched,
        hidden_ms=0,
    )


def subjects_of(campaign: Campaign, hit_id: int, *, seed: int) -> list[Subject]:
    """The truth about a HIT's items, which only simulated annotators are told.

    Where a page shows all captions of a video, each takes its share of the video's time.
    """
    rows = HitItem.objects.filter(hit=hit_id).order_by("position")
    items = list(rows.select_related("caption__video", "caption__system"))
    page_of = {
        item.position: item.caption.video_id if campaign.asked.whole_video else item.position
        for item in items
    }
    told = {check["text"]: check["expect"] for check in campaign.attention}
    together, found = Counter(page_of.values()), damages(items)
    return [
        Subject(
            position=item.position,
            page=page_of[item.position],
            quality=_scene_quality(item) if campaign.is_demo else _latent_quality(item, seed),
            fluency=FLUENCY.get(HitItem.Kind(item.kind), FLUENT),
            seconds=(item.caption.video.duration or DEFAULT_SECONDS)
            / together[page_of[item.position]],
            video=item.caption.video.name,
            text=item.text,
            is_drawn=campaign.is_demo,
            told=told.get(item.text, {}),
            damage=found[item.pk].span if item.pk in found else None,
        )
        for item in items
    ]


def _scene_quality(item: HitItem) -> float:
    """Judged by what really happens in the scene that the demo drew."""
    return judge(scene_named(item.caption.video.name), item.text)


def _latent_quality(item: HitItem, seed: int) -> float:
    """Made up, but the same whenever it is asked: systems differ, captions vary, damage shows."""
    system, caption = item.caption.system, item.caption
    best = 0.9 if system.is_control else 0.35 + 0.5 * _uniform(seed, system.name)
    quality = best + 0.3 * (_uniform(seed, caption.text) - 0.5)
    if item.words_replaced:
        quality -= 0.15 + 0.6 * item.words_replaced / max(1, len(item.text.split()))
    return min(1.0, max(0.0, quality))


def _uniform(seed: int, text: str) -> float:
    return float(np.random.default_rng([seed, zlib.crc32(text.encode())]).random())
