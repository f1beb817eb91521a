"""Making a campaign's HITs and writing them, all or none.

Small campaigns are composed at once. For a large one a batch is created, and a worker fills it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from django.db import transaction
from django.db.models import Max, QuerySet

from daplatform.errors import DomainError
from daplatform.jobs.services import job_claim, job_done
from hits.bulk import ids_reserve, rows_write
from hits.composition.by_video import compose
from hits.composition.campaign import Captions, Composition
from hits.composition.shape import (
    DEGRADED,
    KINDS,
    REFERENCE,
    IntArray,
    Shape,
    VideoShape,
    hit_shape,
)
from hits.misfits import material_misfit
from hits.models import Batch, Campaign, Caption, Hit, HitItem, System
from hits.selectors import (
    campaign_fitting,
    campaign_misfit,
    campaign_systems,
)
from hits.selectors.conversions import campaign_conversions
from hits.services.campaigns import campaign_update

BATCH = 10_000
SEEDS = 2**63  # as many as a row can hold
ITEM_COLUMNS = [
    "id",
    "hit_id",
    "position",
    "kind",
    "caption_id",
    "original_id",
    "degraded_text",
    "words_replaced",
]


def batch_compose(*, campaign: Campaign) -> Batch:
    """Cut the campaign's captions into HITs: the same captions and seed give the same HITs."""
    with transaction.atomic():  # no worker sees the batch before it is claimed
        batch: Batch = job_claim(rows=Batch.objects.filter(pk=batch_create(campaign=campaign).pk))
    try:
        batch_fill(batch)
    except DomainError:
        batch.delete()
        raise
    batch.refresh_from_db()
    return batch


@transaction.atomic
def batch_create(*, campaign: Campaign) -> Batch:
    """A batch without HITs yet, which `batch_fill` makes: it remembers the settings of now."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.state == Campaign.State.CLOSED:
        raise DomainError("This campaign is closed.")
    if obstacle := campaign_conversions(campaign).obstacle:
        raise DomainError(obstacle)
    earlier = campaign.batches.aggregate(last=Max("number"))["last"] or 0
    return Batch.objects.create(
        campaign=campaign,
        number=earlier + 1,
        seed=(campaign.seed + earlier) % SEEDS,
        hit_size=campaign.hit_size,
        pairs=campaign.pairs,
        repeats=campaign.repeats,
        redundancy=campaign.redundancy,
        merge_identical=campaign.merge_identical,
    )


@transaction.atomic
def batch_delete(*, batch: Batch) -> None:
    """Forget the HITs of a batch that nobody was asked to rate, while the campaign is a draft."""
    campaign = Campaign.objects.select_for_update().get(pk=batch.campaign_id)
    if campaign.state != Campaign.State.DRAFT:
        raise DomainError("This campaign is live: its HITs are kept, launched or not.")
    if not Batch.objects.filter(pk=batch.pk).exclude(status__in=Batch.ACTIVE).exists():
        raise DomainError("This batch is being composed. Wait until that is done.")
    batch.delete()


@transaction.atomic
def campaign_fit(*, campaign: Campaign) -> None:
    """Change a draft's plan to the design that suits its size (`hits.misfits.Misfit`)."""
    misfit = campaign_misfit(campaign, campaign_systems(campaign))
    if settings := campaign_fitting(campaign, misfit):
        campaign_update(campaign=campaign, **settings)


def batch_fill(batch: Batch) -> None:
    """Compose the HITs of a claimed batch; they are written all at once, with its status."""
    material = material_of(batch.campaign, merge=batch.merge_identical)
    try:
        shape = hit_shape(
            whole_video=batch.campaign.asked.whole_video,
            size=batch.hit_size,
            pairs=batch.pairs,
            repeats=batch.repeats,
        )
        _refuse_misfit(batch.campaign, shape, material)
        composition = compose(
            material.captions,
            material.control_video,
            material.control_text,
            rng=np.random.default_rng(batch.seed),
            shape=shape,
            redundancy=batch.redundancy,
            damage=bool(batch.campaign.asked.marks),
            attention=[check["text"] for check in batch.campaign.attention],
            human=material.human,
        )
    except ValueError as error:
        raise DomainError(f"HITs cannot be composed for this campaign: {error}.") from None
    with transaction.atomic():
        if job_done(job=batch):
            _items_write(batch, composition, material)


def _refuse_misfit(campaign: Campaign, shape: Shape | VideoShape, material: Material) -> None:
    """With what to change: merged captions may leave too few for a plan that looked fine."""
    misfit = material_misfit(
        shape,
        material.captions,
        len(material.control_video),
        min_pairs=campaign.min_pairs,
        most_hits=campaign.max_hits_per_annotator,
    )
    if misfit:
        raise DomainError(f"HITs cannot be composed for this campaign. {misfit}")


@dataclass(frozen=True)
class Material:
    """What composition works on, and the rows its numbers stand for."""

    captions: Captions
    caption_ids: IntArray
    control_video: IntArray
    control_text: list[str]
    control_ids: IntArray
    human: Mapping[int, str] = field(default_factory=dict)
    """The control set's caption by video, where pages show whole videos."""


def material_of(campaign: Campaign, *, merge: bool) -> Material:
    """The campaign's current captions, videos and systems numbered by the order of their names."""
    ranked = campaign.systems.filter(is_rated=True).exclude(role=System.Role.REFERENCE)
    videos = _by_name(campaign.videos.values_list("name", "pk"))
    systems = _by_name(ranked.values_list("name", "pk"))
    current = Caption.objects.filter(retired_at=None).order_by("pk")
    caption_ids, captions = _ranked(current.filter(system__in=ranked), videos, systems, merge=merge)
    if campaign.asked.whole_video:
        texts = dict(current.filter(system__in=ranked).values_list("pk", "text"))
        own = [texts[pk] for pk in caption_ids.tolist()]
        human = {video: text for video, _, text in _controls(campaign, videos)}
        return Material(captions, caption_ids, captions.video, own, caption_ids, human)
    controls = _controls(campaign, videos)
    return Material(
        captions=captions,
        caption_ids=caption_ids,
        control_video=np.array([video for video, _, _ in controls], dtype=np.int64),
        control_text=[text for _, _, text in controls],
        control_ids=np.array([pk for _, pk, _ in controls], dtype=np.int64),
    )


def _controls(campaign: Campaign, videos: dict[int, int]) -> list[tuple[int, int, str]]:
    """Video, key and text of every caption of the control set."""
    control = Caption.objects.filter(
        retired_at=None, system__campaign=campaign, system__is_control=True
    )
    rows = control.values_list("video_id", "pk", "text")
    return sorted((videos[video], pk, text) for video, pk, text in rows)


def _by_name(rows: Iterable[tuple[str, int]]) -> dict[int, int]:
    """Number rows by name; sorted here, because every database sorts by its own alphabet."""
    return {pk: number for number, (_, pk) in enumerate(sorted(rows))}


def _ranked(
    captions: QuerySet[Caption], videos: dict[int, int], systems: dict[int, int], *, merge: bool
) -> tuple[IntArray, Captions]:
    """The captions to be ranked; their wordings are numbered only where they are to be merged."""
    columns = ["pk", "video_id", "system_id"] + (["text"] if merge else [])
    wordings: dict[str, int] = {}
    numbers = (
        (pk, videos[video], systems[system], *(_number(text, wordings) for text in wording))
        for pk, video, system, *wording in captions.values_list(*columns).iterator(BATCH)
    )
    flat = np.fromiter(chain.from_iterable(numbers), dtype=np.int64)
    rows = flat.reshape(-1, len(columns))
    return rows[:, 0], Captions(rows[:, 1], rows[:, 2], rows[:, 3] if merge else None)


def _number(text: str, numbers: dict[str, int]) -> int:
    return numbers.setdefault(text, len(numbers))


def _items_write(batch: Batch, composition: Composition, material: Material) -> None:
    hits = Hit.objects.bulk_create(
        Hit(batch=batch, number=number + 1) for number in range(composition.layout.hits)
    )
    ids = ids_reserve(HitItem, len(composition.layout.hit))
    rows_write(HitItem, ITEM_COLUMNS, _items(composition, material, hits, ids.start))


def _items(
    composition: Composition, material: Material, hits: list[Hit], first: int
) -> Iterator[tuple[object, ...]]:
    """One row for each position, in the order of HIT and position, ids counted from `first`."""
    layout = composition.layout
    begins = np.searchsorted(layout.hit, layout.hit)  # where the HIT of each position begins
    is_control = np.isin(layout.kind, (REFERENCE, DEGRADED))
    ids = np.concatenate([material.caption_ids, material.control_ids])
    caption = ids[layout.caption + is_control * len(material.caption_ids)]
    original = np.where(layout.original < 0, -1, first + begins + layout.original)
    hit = np.array([row.pk for row in hits])[layout.hit]
    columns = (hit, layout.position, layout.kind, caption, original)
    rows = zip(*(column.tolist() for column in columns), composition.own_texts(), strict=True)
    for key, (hit_id, position, kind, caption_id, copied, (text, words)) in enumerate(rows, first):
        known = copied if copied >= 0 else None
        yield key, hit_id, position, KINDS[kind], caption_id, known, text, words
