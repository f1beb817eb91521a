"""What a campaign will take: HITs, people, money, and how small a difference it can find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

from hits.composition.shape import Cut, VideoShape, cut_by_video
from hits.power import PowerPoint, Spread, minimal_difference, power_curve

CENT = Decimal("0.01")
REWARD = Decimal("0.99")  # USD a HIT, direct-assessment-2018: what its authors paid, not fair pay
FAIR_HOURLY = Decimal("8.00")  # USD: what Prolific asks for at least, and above US minimum wage
# Reading a short caption and placing a mark, besides watching.
SECONDS_PER_ANSWER = 4
FEE_RATE = Decimal("0.20")
FEE_RATE_MANY = Decimal("0.40")
MANY_ASSIGNMENTS = 10

PASS_RATE_PAPER = 0.80  # 72 of 90 annotators, direct-assessment-2018
PASS_RATE_RECENT = 0.35  # seen on Mechanical Turk since

LEAST_PAIRS = 2  # that a paired t-test needs to say anything (PROTOCOL §4)

SPREAD = Spread()
DIFFERENCES = (0.05, 0.1, 0.2, 0.3)
CURVE_POINTS = 40


@dataclass(frozen=True)
class Cost:
    """Money in the currency of the reward, exact to the cent."""

    reward: Decimal
    fee: Decimal

    @property
    def total(self) -> Decimal:
        return self.reward + self.fee


@dataclass(frozen=True)
class Plan:
    """Everything the page before launch shows; `plan_campaign` makes it."""

    captions: int
    systems: int
    hits: int
    captions_per_hit: int  # fresh ones; controls, degraded captions and repeats come on top
    ratings: int  # everything that is rated, controls included
    ratings_per_caption: int
    assignments: int  # over the campaign
    assignments_needed: int  # to have that many from people who pass
    annotators_needed: int
    cost: Cost
    cost_with_replacements: Cost
    captions_per_system: float  # those rated by at least one person who passed
    ratings_per_scored_caption: float  # of people who passed, over those captions
    minimal_difference: float  # between two systems, in z, found with the power asked for
    power_curve: tuple[PowerPoint, ...]


def plan_campaign(
    *,
    captions: int,
    systems: int,
    hit_size: int = 100,
    pairs: int = 10,
    repeats: int = 10,
    redundancy: int = 1,
    assignments: int = 1,
    reward: Decimal = REWARD,
    fee_rate: Decimal | None = None,
    pass_rate: float = PASS_RATE_PAPER,
    hits_per_annotator: int = 1,
    spread: Spread = SPREAD,
    alpha: float = 0.05,
    power: float = 0.8,
    differences: Sequence[float] = DIFFERENCES,
    cut: Cut | None = None,
) -> Plan:
    """Plan a campaign of ``captions`` (video, system) captions by ``systems`` ranked systems.

    ``assignments`` is people per HIT. ``fee_rate`` replaces the marketplace's own
    (`marketplace_fee`) for a crowd that charges otherwise. ``cut`` says how many HITs
    there are, where they are not cut by sizes but by videos. What can be found counts only the
    ratings of people expected to pass; ``cost_with_replacements`` is the price of replacing the
    others, at the same fee because replacements are launched as further HITs.
    """
    _require_positive(
        captions=captions,
        systems=systems,
        redundancy=redundancy,
        assignments=assignments,
        hits_per_annotator=hits_per_annotator,
    )
    if not 0 < pass_rate <= 1:
        raise ValueError("pass_rate must lie above 0 and not above 1")
    if cut is None:
        fresh = captions_per_hit(hit_size, pairs, repeats)
        cut = Cut(hits_needed(captions, fresh, redundancy), fresh, hit_size)
    hits, fresh = cut.hits, cut.fresh
    total = hits * assignments
    needed = math.ceil(total / Decimal(str(pass_rate)))
    fee = marketplace_fee(assignments) if fee_rate is None else fee_rate
    scored, ratings = scored_captions(redundancy * assignments, pass_rate)
    variance = spread.variance(ratings)
    return Plan(
        captions=captions,
        systems=systems,
        hits=hits,
        captions_per_hit=fresh,
        ratings=total * cut.size,
        ratings_per_caption=redundancy * assignments,
        assignments=total,
        assignments_needed=needed,
        annotators_needed=max(assignments, math.ceil(needed / hits_per_annotator)),
        cost=campaign_cost(total, reward, fee),
        cost_with_replacements=campaign_cost(needed, reward, fee),
        captions_per_system=scored * captions / systems,
        ratings_per_scored_caption=ratings,
        minimal_difference=minimal_difference(
            scored * captions / systems, variance, alpha=alpha, power=power
        ),
        power_curve=power_curve(
            _hit_counts(hits),
            differences,
            captions_per_hit=scored * fresh / (redundancy * systems),
            variance=variance,
            alpha=alpha,
        ),
    )


@dataclass(frozen=True)
class QualityReach:
    """Whether quality control can judge anybody: the pairs it needs, and those one can rate.

    >>> QualityReach(needed=10, per_hit=8, hits=3).hits_needed
    2
    >>> QualityReach(needed=10, per_hit=8, hits=1).is_enough
    False
    """

    needed: int
    per_hit: int
    hits: int  # that one person may take

    @property
    def hits_needed(self) -> int:
        return math.ceil(self.needed / self.per_hit) if self.per_hit else 0

    @property
    def is_enough(self) -> bool:
        """A campaign without pairs does not ask for quality control."""
        return not self.per_hit or self.per_hit * self.hits >= self.needed

    def __str__(self) -> str:
        if not self.per_hit:
            return "There are no pairs, so quality control checks nobody."
        if not self.is_enough:
            most = self.per_hit * self.hits
            return (
                f"Nobody could pass: quality control needs {self.needed} pairs of a person, and "
                f"one person can rate {most}. Ask for fewer pairs in the settings, put more pairs "
                "into a HIT, or let people take more HITs."
            )
        if self.hits_needed == 1:
            return f"Quality control needs {self.needed} pairs; every HIT has {self.per_hit}."
        return (
            f"Quality control needs {self.needed} pairs and a HIT has {self.per_hit}: it decides "
            f"about a person who has rated {self.hits_needed} HITs."
        )


def quality_reach(
    *, pairs: int, hits: int, min_pairs: int = 0, most_hits: int | None = None
) -> QualityReach:
    """A person rates each HIT once, and at most ``most_hits`` of them."""
    return QualityReach(
        needed=max(min_pairs, LEAST_PAIRS), per_hit=pairs, hits=min(hits, most_hits or hits)
    )


def expected_minutes(captions: int, seconds: float) -> int:
    """How long a HIT takes whose videos last so many seconds on average, up to five minutes more.

    >>> expected_minutes(100, 6.0)
    20
    """
    return max(5, 5 * math.ceil(captions * (seconds + SECONDS_PER_ANSWER) / 60 / 5))


def hourly_pay(reward: Decimal, minutes: Decimal) -> Decimal:
    """What somebody earns in an hour who takes so long.

    >>> hourly_pay(Decimal("3.00"), Decimal("20"))
    Decimal('9.00')
    """
    return (reward * 60 / minutes).quantize(CENT, ROUND_HALF_UP) if minutes > 0 else Decimal("0.00")


def fair_reward(minutes: int) -> Decimal:
    """The reward that pays `FAIR_HOURLY` for so many minutes, up to a cent more.

    >>> fair_reward(20), hourly_pay(fair_reward(20), Decimal(20))
    (Decimal('2.67'), Decimal('8.01'))
    """
    return (FAIR_HOURLY * minutes / 60).quantize(CENT, ROUND_CEILING)


def video_cut(shape: VideoShape, captions: Sequence[int], redundancy: int) -> Cut:
    """HITs of whole videos, by the captions of each system; by number alone while none fits."""
    try:
        return videos_cut(shape, captions, redundancy)
    except ValueError:
        fresh = shape.size - shape.pairs
        return Cut(hits_needed(sum(captions), fresh, redundancy), fresh, shape.size)


def videos_cut(shape: VideoShape, captions: Sequence[int], redundancy: int = 1) -> Cut:
    """As many videos as the fullest system describes; composing counts them one by one."""
    counts = [each for each in captions if each]
    return cut_by_video(
        shape,
        videos=max(counts, default=0),
        captions=sum(counts),
        most=len(counts),
        redundancy=redundancy,
    )


def captions_per_hit(hit_size: int = 100, pairs: int = 10, repeats: int = 10) -> int:
    """Fresh system captions in a HIT: its size less controls, degraded captions and repeats.

    >>> captions_per_hit()
    70
    """
    fresh = hit_size - 2 * pairs - repeats
    if pairs < 0 or repeats < 0 or fresh < 1:
        raise ValueError("hit_size must leave room for a system caption beside pairs and repeats")
    return fresh


def hits_needed(captions: int, captions_per_hit: int = 70, redundancy: int = 1) -> int:
    """HITs that hold every caption ``redundancy`` times, never twice in one HIT.

    >>> hits_needed(141, 70)
    3
    """
    return max(redundancy, math.ceil(captions * redundancy / captions_per_hit))


def marketplace_fee(assignments: int) -> Decimal:
    """Mechanical Turk's fee on the reward (PROTOCOL §9): dearer from ten people per HIT up."""
    return FEE_RATE_MANY if assignments >= MANY_ASSIGNMENTS else FEE_RATE


def campaign_cost(assignments: int, reward: Decimal, fee_rate: Decimal) -> Cost:
    """Price of that many paid assignments; the fee is rounded up to a cent, never down.

    >>> campaign_cost(90, Decimal("0.99"), Decimal("0.20")).total
    Decimal('106.92')
    """
    if reward < 0 or reward != reward.quantize(CENT):
        raise ValueError("reward must be a number of whole cents, not negative")
    if fee_rate < 0:
        raise ValueError("fee_rate must not be negative")
    paid = (reward * assignments).quantize(CENT)
    return Cost(reward=paid, fee=(paid * fee_rate).quantize(CENT, ROUND_CEILING))


def scored_captions(ratings: int, pass_rate: float) -> tuple[float, float]:
    """Share of captions that someone who passed has rated, and by how many such people on average.

    >>> scored_captions(2, 0.5)
    (0.75, 1.3333333333333333)
    """
    scored = 1 - (1 - pass_rate) ** ratings
    return scored, max(1.0, ratings * pass_rate / scored)


def _hit_counts(hits: int) -> list[int]:
    """About `CURVE_POINTS` counts up to twice the plan, the plan itself among them."""
    step = max(1, round(2 * hits / CURVE_POINTS))
    return sorted({*range(step, 2 * hits + 1, step), hits})


def _require_positive(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be at least 1")
