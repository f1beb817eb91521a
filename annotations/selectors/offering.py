"""From a batch to the offers a crowd takes, and what they cost. Reads, and writes nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

from annotations.addresses import entry_address
from annotations.references import (
    audience_again,
    audience_enough,
    audience_not_again,
    batch_prefix,
    completion_codes,
)
from annotations.selectors.entry import work_estimate
from annotations.tokens import Entry
from hits.crowds.gateway import Facts, Gateway, Offer, Place, Price, Requirements
from hits.models import Batch, Launch, Policy
from hits.selectors.money import campaign_sums, policy_of

CENT = Decimal("0.01")
# The crowd approves by itself only if nobody here ever does.
CROWD_WAITS_LONGER = dt.timedelta(days=7)
DEFAULT_DESCRIPTION = (
    "Watch short videos and say for each how well a caption describes it, on a scale from "
    "“not at all” to “perfectly”."
)


@dataclass(frozen=True)
class Choices:
    """What an organiser chooses when launching."""

    crowd: str
    reward: Decimal
    title: str = "Rate captions of short videos"
    description: str = DEFAULT_DESCRIPTION
    keywords: tuple[str, ...] = ("video", "captions", "rating")
    lifetime_days: int = 7
    requirements: Requirements = field(default_factory=Requirements)
    only_again: bool = False
    tops_up: bool = True


@dataclass(frozen=True)
class Portion:
    """Some HITs that are published together, each for so many people."""

    hits: tuple[int, ...]
    people: int


@dataclass(frozen=True)
class Estimate:
    """What the page before launch shows."""

    crowd: Facts
    hits: int
    people: int  # over all HITs
    price: Price
    with_replacements: Price
    minutes: int
    hourly: Decimal
    budget: Decimal
    left: Decimal
    publications: int
    warnings: tuple[str, ...] = field(default=())

    @property
    def is_affordable(self) -> bool:
        return self.price.total <= self.left


def launch_draft(batch: Batch, choices: Choices, facts: Facts) -> Launch:
    """The launch as it would be, not saved."""
    campaign, wanted = batch.campaign, choices.requirements
    return Launch(
        batch=batch,
        crowd=choices.crowd,
        title=choices.title,
        description=choices.description,
        keywords=", ".join(choices.keywords),
        reward=choices.reward,
        currency=facts.currency,
        people=campaign.assignments,
        minutes_expected=max(1, work_estimate(campaign).minutes),
        lifetime_days=choices.lifetime_days,
        approval_rate=wanted.approval_rate,
        approved=wanted.approved,
        countries=", ".join(wanted.countries),
        only_again=choices.only_again,
        tops_up=choices.tops_up,
    )


def portions_of(hits: Sequence[int], people: int, facts: Facts) -> Iterator[Portion]:
    """Cut HITs into what one publication can hold, and their people into what one place can."""
    most_people = facts.people_per_place or people
    most_hits = facts.places_per_offer or len(hits)
    for taken in range(0, people, most_people):
        share = min(most_people, people - taken)
        for first in range(0, len(hits), most_hits):
            yield Portion(tuple(hits[first : first + most_hits]), share)


def offer_of(
    launch: Launch, portion: Portion, gateway: Gateway, *, number: int, policy: Policy
) -> Offer:
    """The `number`th publication of a launch, in a crowd's terms."""
    batch, campaign = launch.batch, launch.batch.campaign
    codes = completion_codes(batch)
    limited = campaign.max_hits_per_annotator is not None
    return Offer(
        reference=f"{batch_prefix(batch)}{number}",
        title=launch.title,
        description=launch.description,
        keywords=_words(launch.keywords),
        reward=launch.reward,
        minutes_expected=launch.minutes_expected,
        minutes_allowed=campaign.minutes_allowed,
        lifetime=dt.timedelta(days=launch.lifetime_days),
        auto_approval=_auto_approval(policy, gateway.facts),
        places=tuple(
            Place(f"hit-{hit}", entry_address(place_entry(launch, hit, gateway)), portion.people)
            for hit in portion.hits
        ),
        requirements=Requirements(launch.approval_rate, launch.approved, _words(launch.countries)),
        only=(audience_again(campaign),) if launch.only_again else (),
        without=(audience_not_again(campaign), *([audience_enough(campaign)] if limited else [])),
        codes=codes,
    )


def place_entry(launch: Launch, hit: int, gateway: Gateway) -> Entry:
    """What the link of one HIT says."""
    done = completion_codes(launch.batch).done
    return Entry(
        campaign=launch.batch.campaign_id,
        crowd=launch.crowd,
        hit=hit,
        return_to=gateway.completion_address(done),
    )


def offers_of(launch: Launch, gateway: Gateway) -> list[Offer]:
    """Everything a launch publishes."""
    hits = list(launch.batch.hits.order_by("number").values_list("pk", flat=True))
    portions = portions_of(hits, launch.people, gateway.facts)
    policy = policy_of(launch.batch.campaign)
    return [
        offer_of(launch, portion, gateway, number=number, policy=policy)
        for number, portion in enumerate(portions, start=1)
    ]


def prices_of(offers: Sequence[Offer], gateway: Gateway) -> list[Price]:
    """What each costs. Offers that differ in their HITs only cost the same, and are asked once."""
    known: dict[tuple[int, ...], Price] = {}
    for offer in offers:
        shape = tuple(place.people for place in offer.places)
        if shape not in known:
            known[shape] = gateway.price(offer)
    return [known[tuple(place.people for place in offer.places)] for offer in offers]


def price_total(prices: Sequence[Price]) -> Price:
    return Price(
        reward=sum((price.reward for price in prices), Decimal("0.00")),
        fee=sum((price.fee for price in prices), Decimal("0.00")),
    )


def launch_estimate(
    *, batch: Batch, choices: Choices, gateway: Gateway, budget: Decimal | None = None
) -> Estimate:
    """What launching would cost, with the campaign's own budget or another."""
    launch = launch_draft(batch, choices, gateway.facts)
    offers = offers_of(launch, gateway)
    prices = prices_of(offers, gateway)
    price = price_total(prices)
    budget = policy_of(batch.campaign).budget if budget is None else budget
    hourly = hourly_pay(launch.reward, Decimal(launch.minutes_expected))
    return Estimate(
        crowd=gateway.facts,
        hits=len({place.reference for offer in offers for place in offer.places}),
        people=sum(offer.people for offer in offers),
        price=price,
        with_replacements=_with_replacements(price, batch.campaign.assumed_pass_rate),
        minutes=launch.minutes_expected,
        hourly=hourly,
        budget=budget,
        left=budget - campaign_sums(batch.campaign).total,
        publications=len(offers),
        warnings=pay_warnings(hourly, gateway.facts),
    )


def hourly_pay(reward: Decimal, minutes: Decimal) -> Decimal:
    """What somebody earns in an hour who takes so long.

    >>> hourly_pay(Decimal("3.00"), Decimal("20"))
    Decimal('9.00')
    """
    return (reward * 60 / minutes).quantize(CENT, ROUND_HALF_UP) if minutes > 0 else Decimal("0.00")


def pay_warnings(hourly: Decimal, facts: Facts) -> tuple[str, ...]:
    """What is to be said about the pay; invited people may do it for nothing, or be paid apart."""
    if not facts.pays and not hourly:
        return ()
    if facts.lowest_hourly is None or hourly >= facts.lowest_hourly:
        return ()
    return (
        f"This pays about {hourly} {facts.currency} an hour, less than the "
        f"{facts.lowest_hourly} {facts.currency} that people should get ({facts.label}).",
    )


def _with_replacements(price: Price, pass_rate: float) -> Price:
    """The price when people who fail are replaced: everybody is paid, some twice as many."""
    factor = 1 / Decimal(str(pass_rate))
    return Price(
        (price.reward * factor).quantize(CENT, ROUND_CEILING),
        (price.fee * factor).quantize(CENT, ROUND_CEILING),
    )


def _auto_approval(policy: Policy, facts: Facts) -> dt.timedelta:
    wished = dt.timedelta(hours=policy.approve_after_hours) + CROWD_WAITS_LONGER
    return min(wished, facts.longest_auto_approval or wished)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())
