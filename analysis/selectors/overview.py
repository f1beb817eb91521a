"""A campaign in five seconds: how far, how fast, what it cost, what it says, who must decide."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from analysis.models import Result
from analysis.presenting.charts import Chart
from analysis.presenting.pace import Finish, Pace, expected_finish, pace_chart
from analysis.results.findings.ranking import Ranking, ranking_sentence, system_rows
from analysis.results.findings.stopping import Stopping, stopping_sentence
from analysis.results.numbers import from_json
from analysis.results.registry import Context, Counts
from analysis.results.settings import Settings
from analysis.selectors.decisions import Decision, campaign_decisions
from analysis.selectors.progress import Progress, campaign_arrivals, campaign_progress
from annotations.selectors.work import campaigns_rated
from crowds.models import Launch
from crowds.selectors.counting import uses_everybody
from crowds.selectors.money import campaign_currency, campaign_sums, policy_of
from hits.models import Batch, Campaign

SYSTEMS_SHOWN = 5  # or one more, where no other is left
TRAIL_SHOWN = 5
# Of a result's numbers: they hold every annotator, too much to fetch every few seconds.
RESULT_SHOWN = (
    "status",
    "problem",
    "created_at",
    "finished_at",
    "summary__counts",
    "summary__notes",
    "summary__settings",
    "summary__numbers__ranking",
    "summary__numbers__stopping",
)
WIDTH = 100.0
MARGIN = 4.0  # so that a mark at the end of the line is not cut


class Step(StrEnum):
    """What is to be done next where nothing is rated yet; NONE once something is."""

    COMPOSE = "compose"
    WAIT_FOR_HITS = "wait_for_hits"
    OFFER = "offer"
    WAIT_FOR_RATINGS = "wait_for_ratings"
    NONE = ""


@dataclass(frozen=True)
class Money:
    """Of a campaign that has a budget."""

    budget: Decimal
    spent: Decimal
    promised: Decimal
    currency: str  # empty where launches differ in it


@dataclass(frozen=True)
class Findings:
    """What the last result says, as the ranking's page says it."""

    made_at: datetime
    ratings: int
    passed: int
    judged: int
    undecided: int  # people: too few pairs to say
    lede: str
    stopping: str
    enough: bool
    notes: tuple[str, ...]
    systems: int
    standings: tuple[RankedSystem, ...]

    @property
    def percent_passed(self) -> float | None:
        return 100 * self.passed / self.judged if self.judged else None

    @property
    def scale(self) -> tuple[float, float]:
        """The scores at the two ends of the line that the intervals are drawn on."""
        ends = [end for row in self.standings for end in (row.low, row.z, row.high)]
        known = [end for end in ends if end is not None]
        return min(known), max(known)


@dataclass(frozen=True)
class AuditRow:
    """A line of the audit trail."""

    when: datetime
    who: str
    what: str
    detail: str


@dataclass(frozen=True)
class Overview:
    """Everything the block shows: equal digests, equal blocks."""

    step: Step
    progress: Progress
    is_paused: bool
    is_rated: bool  # all that was asked for
    pace: Pace
    finish: Finish
    chart: Chart
    money: Money | None
    decisions: tuple[Decision, ...]
    findings: Findings | None
    problem: str
    is_renewing: bool
    trail: tuple[AuditRow, ...]
    may_change: bool

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


def overview_choices(campaign: Campaign) -> Settings:
    """By which the block's ranking is made: the campaign's own rule."""
    return Settings(minimum_pairs=campaign.min_pairs, keep_all_annotators=uses_everybody(campaign))


def campaign_overview(campaign: Campaign, choices_key: str, *, now: datetime) -> Overview:
    """In a fixed number of queries, none of which reads all ratings."""
    progress = campaign_progress(campaign)
    pace, hours = campaign_arrivals(campaign, now=now)
    launches = list(Launch.objects.filter(batch__campaign=campaign).select_related("batch"))
    result, is_renewing = _results(campaign, choices_key)
    findings = _findings(result)
    decisions = tuple(campaign_decisions(campaign, launches, _settled(findings), now=now))
    step = _next_step(campaign, progress)
    is_paused = _is_paused(launches)
    is_moving = campaign.state == Campaign.State.LIVE and bool(progress.left or decisions)
    return Overview(
        step=step,
        progress=progress,
        is_paused=is_paused,
        is_rated=campaigns_rated(Campaign.objects.filter(pk=campaign.pk)).exists(),
        pace=pace,
        finish=expected_finish(left=progress.left, pace=pace, now=now, is_paused=is_paused),
        chart=pace_chart(hours, now=now),
        money=_money(campaign),
        decisions=decisions,
        findings=findings,
        problem=result["problem"] if result else "",
        is_renewing=is_renewing,
        trail=_trail(campaign),
        may_change=is_moving or is_renewing or step == Step.WAIT_FOR_HITS,
    )


def _is_paused(launches: list[Launch]) -> bool:
    states = {launch.state for launch in launches}
    return Launch.State.PAUSED in states and Launch.State.LIVE not in states


def _next_step(campaign: Campaign, progress: Progress) -> Step:
    if progress.rated:
        return Step.NONE
    if progress.hits_offered:
        return Step.WAIT_FOR_RATINGS
    if progress.hits:
        return Step.OFFER
    is_composing = campaign.batches.filter(status__in=Batch.ACTIVE).exists()
    return Step.WAIT_FOR_HITS if is_composing else Step.COMPOSE


def _money(campaign: Campaign) -> Money | None:
    budget = policy_of(campaign).budget
    if not budget:
        return None
    sums = campaign_sums(campaign)
    return Money(budget, sums.spent, sums.outstanding, campaign_currency(campaign))


def _results(campaign: Campaign, choices_key: str) -> tuple[dict[str, Any] | None, bool]:
    """The newest finished result, and whether a newer one is being made."""
    same = Result.objects.filter(campaign=campaign, choices_key=choices_key)
    finished = same.shown().order_by("-last_rating").values(*RESULT_SHOWN)
    return finished.first(), same.active().exists()


def _findings(result: dict[str, Any] | None) -> Findings | None:
    if result is None or result["status"] == Result.Status.FAILED:
        return None
    counts = from_json(Counts, result["summary__counts"])
    ranking = from_json(Ranking, result["summary__numbers__ranking"])
    stopping = from_json(Stopping, result["summary__numbers__stopping"])
    context = Context(from_json(Settings, result["summary__settings"]), counts)
    systems = system_rows(ranking)
    shows_all = len(systems) <= SYSTEMS_SHOWN + 1
    return Findings(
        made_at=result["finished_at"] or result["created_at"],
        ratings=counts.ratings,
        passed=counts.annotators_passed,
        judged=counts.annotators_passed + counts.annotators_failed,
        undecided=counts.annotators_insufficient,
        lede=ranking_sentence(ranking, context),
        stopping=stopping_sentence(stopping),
        enough=stopping.is_enough,
        notes=tuple(result["summary__notes"]),
        systems=len(systems),
        standings=tuple(top_systems(systems, len(systems) if shows_all else SYSTEMS_SHOWN)),
    )


def _settled(findings: Findings | None) -> str:
    """The order of systems that more ratings would not change; empty while they might."""
    if findings is None or not findings.enough:
        return ""
    names = [standing.system for standing in findings.standings]
    return " > ".join([*names, "…"] if findings.systems > len(names) else names)


def _trail(campaign: Campaign) -> tuple[AuditRow, ...]:
    entries = campaign.trail.select_related("person")[:TRAIL_SHOWN]
    return tuple(
        AuditRow(entry.created_at, entry.who, entry.action, entry.detail) for entry in entries
    )


@dataclass(frozen=True)
class RankedSystem:
    """A system's place; ``left``, ``mark`` and ``right`` are places on the line, 0 to `WIDTH`."""

    ranks: str
    system: str
    z: float
    low: float | None
    high: float | None
    left: float
    mark: float
    right: float


def top_systems(systems: Sequence[Mapping[str, Any]], count: int) -> list[RankedSystem]:
    """The first ``count`` of a result's systems; those without a score have no place."""
    rows = [row for row in systems if row["z"] is not None][:count]
    ends = [end for row in rows for end in _ends(row)]
    if not ends:
        return []
    lowest, span = min(ends), max(ends) - min(ends)

    def place(value: float) -> float:
        share = (value - lowest) / span if span else 0.5
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    return [
        RankedSystem(
            ranks=_ranks(row["range_low"], row["range_high"]),
            system=row["system"],
            z=row["z"],
            low=row["z_low"],
            high=row["z_high"],
            left=place(min(_ends(row))),
            mark=place(row["z"]),
            right=place(max(_ends(row))),
        )
        for row in rows
    ]


def _ends(row: Mapping[str, Any]) -> Iterable[float]:
    """Without an interval, as of a single caption, the score is all there is."""
    return [row[name] for name in ("z_low", "z", "z_high") if row[name] is not None]


def _ranks(low: float | None, high: float | None) -> str:
    """
    >>> _ranks(1.0, 1.0), _ranks(2, 4), _ranks(None, None)
    ('1', '2–4', '–')
    """
    if low is None or high is None:
        return "–"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
