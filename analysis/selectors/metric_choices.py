"""The metrics an analyst can tick, and why some of them cannot be computed for a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.encoding.sentence_model import SENTENCE
from analysis.metrics.registry import (
    Need,
    embedding_models,
    families,
    families_of,
    needs_of,
    titles,
)
from analysis.models import LearnedMetric, MetricWorker
from analysis.selectors.learned_metrics import learned_offered
from hits.models import Campaign, System

HEARD_OF_WITHIN = timedelta(days=1)
NO_REFERENCES = "the campaign has no references"
NO_VIDEOS = "the videos of this campaign are not stored here"
NO_MODEL = (
    "no image–text model is named for this platform: the operator names one in METRIC_MODELS, "
    "and docs/metrics.md says how to get one"
)
WORDS, MEANING = "Words, compared with the references", "Meaning, compared with the references"
LEARNED = "Trained on human ratings"
ENCODED, SEEN, BOTH = (
    "Compared with the references by the image–text model",
    "Compared with the video",
    "Compared with the video and the references",
)


@dataclass(frozen=True)
class Choice:
    """A metric on the page; with a reason, one that cannot be ticked."""

    name: str
    summary: str
    paper: str
    reason: str


@dataclass(frozen=True)
class Group:
    """Metrics that look at the same things."""

    title: str
    needs: str
    choices: list[Choice]

    @property
    def reason(self) -> str:
        """Why most of them cannot be computed, where several have that reason: it is said once."""
        counted = Counter(choice.reason for choice in self.choices if choice.reason)
        [(reason, times)] = counted.most_common(1) or [("", 0)]
        return reason if times > 1 or len(self.choices) == 1 else ""


def metric_workers() -> list[MetricWorker]:
    """Those that were heard of lately."""
    since = timezone.now() - HEARD_OF_WITHIN
    return list(MetricWorker.objects.filter(seen_at__gte=since))


def models_offered(campaign: Campaign) -> list[str]:
    """Entries of METRIC_MODELS; for the demo's rendered scenes the demo model as well."""
    named = list(settings.METRIC_MODELS)
    return [*named, DEMO] if campaign.is_demo and DEMO not in named else named


def needs_consent(campaign: Campaign) -> bool:
    """Whether somebody could let the demo model judge what it was not made for."""
    models = map(ModelChoice.named, models_offered(campaign))
    return not campaign.is_demo and any(model.is_demo for model in models)


def metric_groups(
    campaign: Campaign, workers: list[MetricWorker], visible: QuerySet[Campaign]
) -> list[Group]:
    """Every metric there is. What no worker can compute gives the first worker's reason.

    Of those that learned from campaigns, the ones that learned from ``visible`` ones.
    """
    withheld = _learned_withheld(visible)
    lacking = _lacking(campaign)
    reasons = [worker.unavailable for worker in workers]
    found: dict[str, list[Choice]] = {
        title: [] for title in (WORDS, MEANING, LEARNED, ENCODED, SEEN, BOTH)
    }
    needs: dict[str, set[str]] = {title: set() for title in found}
    for family in families():
        needed = needs_of(family.metrics)
        title = LEARNED if family.trained else _title(needed)
        needs[title] |= needed
        for name, summary in family.metrics.items():
            if name in withheld:
                continue
            reason = next((text for need, text in lacking.items() if need in needed), "")
            reason = reason or _nobody(name, reasons)
            found[title].append(Choice(name, summary, family.paper, reason))
    return [
        Group(title, ", ".join(titles(needs[title] & {*Need, *embedding_models()})), choices)
        for title, choices in found.items()
        if choices
    ]


def _learned_withheld(visible: QuerySet[Campaign]) -> set[str]:
    """Trained metrics that are retired, or that learned from other campaigns; the
    others are known by their names from here on."""
    trained = set(LearnedMetric.objects.trained().values_list("name", flat=True))
    offered = {row.name for row in learned_offered(visible)} if trained else set()
    families_of(sorted(offered))
    return trained - offered


def _lacking(campaign: Campaign) -> dict[str, str]:
    lacking: dict[str, str] = {}
    if not campaign.systems.filter(role=System.Role.REFERENCE).exists():
        lacking[Need.REFERENCES] = NO_REFERENCES
    if not campaign.videos.exclude(file="").exists():
        lacking[Need.VIDEO] = NO_VIDEOS
    if not models_offered(campaign):
        lacking[IMAGE_TEXT.name] = NO_MODEL
    return lacking


def _nobody(name: str, reasons: list[Mapping[str, str]]) -> str:
    """The reason where every worker has one; without any worker nothing is known."""
    everybody = [reason[name] for reason in reasons if name in reason]
    return everybody[0] if everybody and len(everybody) == len(reasons) else ""


def _title(needs: Collection[str]) -> str:
    if Need.VIDEO in needs:
        return BOTH if Need.REFERENCES in needs else SEEN
    if IMAGE_TEXT.name in needs:
        return ENCODED
    return MEANING if SENTENCE.name in needs else WORDS
