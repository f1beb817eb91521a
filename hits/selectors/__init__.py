"""Reading campaigns: the rows pages show, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Avg, Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from hits.composition.shape import VideoShape, hit_shape
from hits.misfits import Misfit, VideoMisfit, plan_misfit
from hits.models import Batch, Campaign, Caption, Hit, HitItem, System, Upload, Video
from hits.planning import (
    FAIR_HOURLY,
    Plan,
    QualityReach,
    expected_minutes,
    fair_reward,
    hourly_pay,
    plan_campaign,
    quality_reach,
    video_cut,
)

# Between two systems, in z: what a large campaign can hope to find, up to what a small one can.
DIFFERENCES = (0.05, 0.1, 0.2, 0.3, 0.5)


def may_share(campaign: Campaign, user: User) -> bool:
    """Only the owner, or an administrator, decides who sees a campaign."""
    return user.is_superuser or campaign.owner_id == user.pk


def campaigns_counted(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Each with its owner and `video_count`, `system_count`, `hit_count`."""
    return campaigns.select_related("owner").annotate(
        video_count=_count(Video.objects.all(), "campaign"),
        system_count=_count(System.objects.exclude(role=System.Role.REFERENCE), "campaign"),
        hit_count=_count(Hit.objects.all(), "batch__campaign"),
    )


def _count(rows: QuerySet[Any], owner: str) -> Coalesce:
    """How many of ``rows`` belong to each row of the outer query.

    A subquery each: joined together, videos, systems and HITs would multiply, and grouping by
    every column of the outer row makes databases sort a million captions.
    """
    owned = rows.filter(**{owner: OuterRef("pk")}).order_by().values(owner)
    return Coalesce(Subquery(owned.annotate(rows=Count("pk")).values("rows")), 0)


def uploads_unfinished(user: User) -> QuerySet[Upload]:
    """What this person sent in and has not yet become a campaign."""
    return user.uploads.exclude(stage=Upload.Stage.IMPORT, status=Upload.Status.DONE)


@dataclass(frozen=True)
class SystemRow:
    """A source of captions and how many it gave."""

    name: str
    role: System.Role
    is_control: bool
    captions: int
    team: str = ""
    is_primary: bool = True
    is_rated: bool = True

    @property
    def is_ranked(self) -> bool:
        return self.role != System.Role.REFERENCE and self.is_rated


def campaign_systems(campaign: Campaign) -> list[SystemRow]:
    """Candidates first, then human systems, then references."""
    systems = campaign.systems.order_by("role", "name").annotate(
        caption_count=_count(Caption.objects.filter(retired_at=None), "system")
    )
    return [
        SystemRow(
            system.name,
            System.Role(system.role),
            system.is_control,
            system.caption_count,
            system.team,
            system.is_primary,
            system.is_rated,
        )
        for system in systems
    ]


def campaign_plan(
    campaign: Campaign,
    systems: Sequence[SystemRow],
    *,
    redundancy: int | None = None,
    assignments: int | None = None,
    reward: Decimal | None = None,
    pass_rate: float | None = None,
    hit_size: int | None = None,
    pairs: int | None = None,
    repeats: int | None = None,
) -> Plan | None:
    """What the campaign will take, as it is set or with some settings changed.

    Merging identical captions can only make it less. None when there is nothing to rate.
    """
    ranked = [system for system in systems if system.is_ranked and system.captions]
    if not ranked:
        return None
    captions = sum(system.captions for system in ranked)
    hit_size = campaign.hit_size if hit_size is None else hit_size
    pairs = campaign.pairs if pairs is None else pairs
    repeats = campaign.repeats if repeats is None else repeats
    redundancy = campaign.redundancy if redundancy is None else redundancy
    cut = None
    if campaign.asked.whole_video:
        per_system = [system.captions for system in ranked]
        cut = video_cut(VideoShape(hit_size, pairs), per_system, redundancy)
    return plan_campaign(
        captions=captions,
        systems=len(ranked),
        hit_size=hit_size,
        pairs=pairs,
        repeats=repeats,
        redundancy=redundancy,
        cut=cut,
        assignments=campaign.assignments if assignments is None else assignments,
        reward=campaign.reward if reward is None else reward,
        pass_rate=campaign.assumed_pass_rate if pass_rate is None else pass_rate,
        differences=DIFFERENCES,
    )


def campaign_misfit(
    campaign: Campaign,
    systems: Sequence[SystemRow],
    *,
    hit_size: int | None = None,
    pairs: int | None = None,
    repeats: int | None = None,
    **_others: object,
) -> Misfit | VideoMisfit | None:
    """Why no HIT can be composed, as the campaign is set or with some settings changed.

    Identical captions are counted each: those that are merged may leave too few even so.
    """
    return plan_misfit(
        hit_shape(
            whole_video=campaign.asked.whole_video,
            size=campaign.hit_size if hit_size is None else hit_size,
            pairs=campaign.pairs if pairs is None else pairs,
            repeats=campaign.repeats if repeats is None else repeats,
        ),
        [system.captions for system in systems if system.is_ranked],
        sum(system.captions for system in systems if system.is_control),
        min_pairs=campaign.min_pairs,
        most_hits=campaign.max_hits_per_annotator,
    )


def campaign_fitting(
    campaign: Campaign,
    misfit: Misfit | VideoMisfit | None,
    *,
    redundancy: int | None = None,
    reward: Decimal | None = None,
    hit_size: int | None = None,
    **_others: object,
) -> dict[str, Any]:
    """Settings of the plan that fit, in place of the campaign's own or of others tried out.

    A reward that was fair pay for the HITs as they were becomes fair pay for the new ones.
    """
    if misfit is None or misfit.fitting is None:
        return {}
    fitting, pay = misfit.fitting, campaign_pay(campaign, reward=reward, hit_size=hit_size)
    new = campaign_pay(campaign, reward=pay.reward, hit_size=fitting.size)
    return {
        "hit_size": fitting.size,
        "pairs": fitting.pairs,
        "repeats": fitting.repeats,
        "redundancy": max(redundancy or campaign.redundancy, misfit.redundancy),
        "reward": new.fair if pay.reward == pay.fair else pay.reward,
    }


def campaign_reach(campaign: Campaign, plan: Plan, *, pairs: int | None = None) -> QualityReach:
    """Whether quality control could judge anybody who rates by this plan."""
    return quality_reach(
        pairs=campaign.pairs if pairs is None else pairs,
        hits=plan.hits,
        min_pairs=campaign.min_pairs,
        most_hits=campaign.max_hits_per_annotator,
    )


def campaign_obstacle(campaign: Campaign) -> str:
    """Why HITs of the saved plan cannot be composed, or lead nowhere; empty where they can."""
    systems = campaign_systems(campaign)
    plan = campaign_plan(campaign, systems)
    if plan is None:
        return "There are no captions to rate."
    if misfit := campaign_misfit(campaign, systems):
        return str(misfit)
    reach = campaign_reach(campaign, plan)
    return "" if reach.is_enough else str(reach)


def campaign_minutes(campaign: Campaign, hit_size: int | None = None) -> int:
    """How long one HIT of the campaign takes, as it is set or with another size."""
    seconds = campaign.videos.aggregate(mean=Avg("duration"))["mean"] or 0
    if campaign.asked.whole_video:  # which is watched once for all its captions
        ranked = campaign.systems.exclude(role=System.Role.REFERENCE)
        seconds /= max(1, ranked.count())
    return expected_minutes(campaign.hit_size if hit_size is None else hit_size, seconds)


@dataclass(frozen=True)
class Pay:
    """What a reward comes to by the hour, at the pace that is expected."""

    reward: Decimal
    minutes: int

    @property
    def hourly(self) -> Decimal:
        return hourly_pay(self.reward, Decimal(self.minutes))

    @property
    def is_low(self) -> bool:
        return 0 < self.hourly < FAIR_HOURLY

    @property
    def fair(self) -> Decimal:
        return fair_reward(self.minutes)


def campaign_pay(
    campaign: Campaign,
    *,
    reward: Decimal | None = None,
    hit_size: int | None = None,
    **_others: object,
) -> Pay:
    """As the campaign is set, or with some settings changed."""
    return Pay(
        reward=campaign.reward if reward is None else reward,
        minutes=campaign_minutes(campaign, hit_size),
    )


def batch_reach(batch: Batch) -> QualityReach:
    """Whether quality control could judge anybody who rates this batch."""
    campaign = batch.campaign
    return quality_reach(
        pairs=batch.pairs,
        hits=batch.hits.count(),
        min_pairs=campaign.min_pairs,
        most_hits=campaign.max_hits_per_annotator,
    )


def ratings_wanted(campaign: Campaign) -> int:
    """How many system captions one batch of the campaign asks for."""
    ranked = campaign.systems.exclude(role=System.Role.REFERENCE)
    captions = Caption.objects.filter(retired_at=None, system__in=ranked)
    return captions.count() * campaign.redundancy


def campaign_batches(campaign: Campaign) -> QuerySet[Batch]:
    """Newest first, each with its `hit_count`, `is_begun` and, where it has one, its `launch`."""
    taken = Hit.objects.filter(batch=OuterRef("pk"), assignments__annotator__isnull=False)
    batches: QuerySet[Batch] = campaign.batches.select_related("launch")
    return batches.annotate(hit_count=Count("hits"), is_begun=Exists(taken)).order_by("-number")


def campaign_hits(campaign: Campaign, batch: int | None = None) -> QuerySet[Hit]:
    """Newest batch first; of one batch only, where its number is given."""
    hits = Hit.objects.filter(batch__campaign=campaign).select_related("batch")
    if batch is not None:
        hits = hits.filter(batch__number=batch)
    return hits.order_by("-batch__number", "number")


def campaign_videos(campaign: Campaign, search: str = "") -> QuerySet[Video]:
    """By name; those whose name holds ``search``."""
    videos = campaign.videos.order_by("name")
    return videos.filter(name__icontains=search) if search else videos


def video_captions(video: Video) -> QuerySet[Caption]:
    """What every system says of it, candidates first."""
    captions = video.captions.filter(retired_at=None).select_related("system")
    return captions.order_by("system__role", "system__name")


def caption_hits(caption: Caption) -> int:
    """How many HITs show a caption, whole or damaged; a correction leaves them as they are."""
    return Hit.objects.filter(items__caption=caption).distinct().count()


def neighbours(rows: QuerySet[Any], field: str, value: object) -> tuple[Any | None, Any | None]:
    """The rows just before and just after ``value``, by one unique field."""
    before = rows.filter(**{f"{field}__lt": value}).order_by(f"-{field}").first()
    after = rows.filter(**{f"{field}__gt": value}).order_by(field).first()
    return before, after


@dataclass(frozen=True)
class ItemRow:
    """One position of a HIT as an organiser reads it; ``replaced`` stands between the others."""

    item: HitItem
    before: str
    replaced: str
    after: str
    original: int | None  # the position of the original, counted from 1

    @property
    def position(self) -> int:
        return self.item.position + 1


def hit_rows(hit: Hit) -> list[ItemRow]:
    """The HIT's items in order, with the words that degrading replaced picked out."""
    items = list(hit.items.select_related("caption__video", "caption__system").order_by("position"))
    positions: dict[int | None, int] = {item.pk: item.position + 1 for item in items}
    return [
        ItemRow(
            item,
            *_parts(item),
            original=positions.get(item.original_id),
        )
        for item in items
    ]


def _parts(item: HitItem) -> tuple[str, str, str]:
    if item.kind == HitItem.Kind.ATTENTION:  # which has nothing of its caption
        return item.text, "", ""
    return replaced_words(item.caption.text, item.text)


def replaced_words(original: str, text: str) -> tuple[str, str, str]:
    """``text`` in three parts: as in the original, different, as in the original again.

    >>> replaced_words("a man rides a horse", "a man eats soup horse")
    ('a man ', 'eats soup', ' horse')
    >>> replaced_words("a man", "a man")
    ('a man', '', '')
    """
    old, new = original.split(), text.split()
    if old == new:
        return text, "", ""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    changed, end = new[head : len(new) - tail], new[len(new) - tail :]
    before = "".join(f"{word} " for word in new[:head])
    return before, " ".join(changed), "".join(f" {word}" for word in end)
