"""From a batch that can be launched to the publications a crowd takes, and what they cost."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Decimal

from django.db.models import QuerySet

from annotations.tokens import Entry, since
from crowds.gateway import Facts, Gateway, HitSpec, Price, PublicationSpec, Requirements
from crowds.models import Launch, Policy
from crowds.references import (
    audience_again,
    audience_enough,
    audience_not_again,
    completion_codes,
    publication_prefix,
)
from crowds.registry import crowd_named
from crowds.selectors.entry import entry_addresses, work_estimate
from crowds.selectors.money import campaign_sums, policy_of
from hits.models import Batch, Campaign
from hits.planning import QualityReach, hourly_pay
from hits.protocols.values import Advert
from hits.selectors import batch_reach, campaign_batches

CENT = Decimal("0.01")
# The crowd approves by itself only if nobody here ever does.
CROWD_WAITS_LONGER = dt.timedelta(days=7)


@dataclass(frozen=True)
class Choices:
    """What an organiser chooses when launching."""

    crowd: str
    reward: Decimal
    title: str = Advert.title
    description: str = Advert.description
    keywords: tuple[str, ...] = tuple(Advert.keywords.split(", "))
    lifetime_days: int = 7
    requirements: Requirements = field(default_factory=Requirements)
    only_again: bool = False
    tops_up: bool = True


@dataclass(frozen=True)
class Chunk:
    """Some HITs that are published together, each for so many people."""

    hits: tuple[int, ...]
    people: int

    @property
    def shape(self) -> tuple[int, int]:
        """Portions that differ in their HITs only have the same, and cost the same."""
        return len(self.hits), self.people


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
    reach: QualityReach
    warnings: tuple[str, ...] = field(default=())

    @property
    def obstacle(self) -> str:
        """Why this cannot be launched, in a few words; empty where it can."""
        if not self.reach.is_enough:
            return "Nobody could pass quality control."
        return "" if self.price.total <= self.left else "The budget is too small."


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


def chunks_of(hits: Sequence[int], people: int, facts: Facts) -> Iterator[Chunk]:
    """Cut HITs into what one publication can hold, and their people into what one place can."""
    most_people = facts.people_per_hit or people
    most_hits = facts.hits_per_publication or len(hits)
    for taken in range(0, people, most_people):
        share = min(most_people, people - taken)
        for first in range(0, len(hits), most_hits):
            yield Chunk(tuple(hits[first : first + most_hits]), share)


def specs_cut(
    launch: Launch, chunks: Sequence[Chunk], gateway: Gateway, *, first: int = 1
) -> list[PublicationSpec]:
    """Publications of a launch in a crowd's terms, numbered from `first` on.

    What they share is worked out once, and a HIT has one link however often it is published.
    """
    shared, prefix = _spec_shared(launch, gateway), publication_prefix(launch.batch)
    links = _links(launch, {hit for chunk in chunks for hit in chunk.hits}, gateway)
    return [
        replace(
            shared,
            reference=f"{prefix}{number}",
            places=tuple(HitSpec(f"hit-{hit}", links[hit], chunk.people) for hit in chunk.hits),
        )
        for number, chunk in enumerate(chunks, start=first)
    ]


def _spec_shared(launch: Launch, gateway: Gateway) -> PublicationSpec:
    """What is the same in all publications of a launch."""
    campaign = launch.batch.campaign
    limited = campaign.max_hits_per_annotator is not None
    return PublicationSpec(
        reference="",
        title=launch.title,
        description=launch.description,
        keywords=_words(launch.keywords),
        reward=launch.reward,
        minutes_expected=launch.minutes_expected,
        minutes_allowed=campaign.minutes_allowed,
        lifetime=dt.timedelta(days=launch.lifetime_days),
        auto_approval=_auto_approval(policy_of(campaign), gateway.facts),
        places=(),
        requirements=Requirements(launch.approval_rate, launch.approved, _words(launch.countries)),
        only=(audience_again(campaign),) if launch.only_again else (),
        without=(audience_not_again(campaign), *([audience_enough(campaign)] if limited else [])),
        codes=completion_codes(launch.batch),
    )


def _links(launch: Launch, hits: Collection[int], gateway: Gateway) -> dict[int, str]:
    """Where people of the crowd come in, for each HIT."""
    entry = Entry(
        campaign=launch.batch.campaign_id,
        crowd=launch.crowd,
        return_to=gateway.completion_address(completion_codes(launch.batch).done),
        since=since(launch.batch.created_at),
    )
    addresses = entry_addresses(replace(entry, hit=hit) for hit in hits)
    return dict(zip(hits, addresses, strict=True))


def chunks_whole(launch: Launch, facts: Facts) -> list[Chunk]:
    """Everything a launch publishes."""
    hits = launch.batch.hits.order_by("number").values_list("pk", flat=True)
    return list(chunks_of(list(hits), launch.people, facts))


def prices_of(specs: Sequence[PublicationSpec], gateway: Gateway) -> list[Price]:
    """What each costs. Offers that differ in their HITs only cost the same, and are asked once."""
    known: dict[tuple[int, ...], Price] = {}
    for spec in specs:
        shape = tuple(place.people for place in spec.places)
        if shape not in known:
            known[shape] = gateway.price(spec)
    return [known[tuple(place.people for place in spec.places)] for spec in specs]


def launch_estimate(
    *, batch: Batch, choices: Choices, gateway: Gateway, budget: Decimal | None = None
) -> Estimate:
    """What launching would cost, with the campaign's own budget or another."""
    launch = launch_draft(batch, choices, gateway.facts)
    chunks = chunks_whole(launch, gateway.facts)
    price = _price_whole(launch, chunks, gateway)
    budget = policy_of(batch.campaign).budget if budget is None else budget
    hourly = hourly_pay(launch.reward, Decimal(launch.minutes_expected))
    hits = len({hit for chunk in chunks for hit in chunk.hits})
    return Estimate(
        crowd=gateway.facts,
        hits=hits,
        people=sum(len(chunk.hits) * chunk.people for chunk in chunks),
        price=price,
        with_replacements=_with_replacements(price, batch.campaign.assumed_pass_rate),
        minutes=launch.minutes_expected,
        hourly=hourly,
        budget=budget,
        left=budget - campaign_sums(batch.campaign).total,
        publications=len(chunks),
        reach=batch_reach(batch),
        warnings=(
            *pay_warnings(hourly, gateway.facts),
            *people_warnings(batch.campaign, hits, choices.crowd),
        ),
    )


def _price_whole(launch: Launch, chunks: Sequence[Chunk], gateway: Gateway) -> Price:
    """What all of it costs. One of each shape is asked for, and only that gets links."""
    counts = Counter(chunk.shape for chunk in chunks)
    samples = {chunk.shape: chunk for chunk in chunks}
    specs = specs_cut(launch, list(samples.values()), gateway)
    prices = [
        (gateway.price(spec), counts[shape]) for shape, spec in zip(samples, specs, strict=True)
    ]
    return Price(
        reward=sum((price.reward * count for price, count in prices), Decimal("0.00")),
        fee=sum((price.fee * count for price, count in prices), Decimal("0.00")),
    )


def batches_to_launch(campaign: Campaign) -> QuerySet[Batch]:
    """Composed, with HITs, and rated by nobody yet; newest first, each with its `hit_count`."""
    composed = campaign_batches(campaign).filter(status=Batch.Status.DONE, launch=None)
    return composed.filter(is_begun=False, hit_count__gt=0)  # type: ignore[misc] # annotated there


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


def people_warnings(campaign: Campaign, hits: int, crowd: str) -> tuple[str, ...]:
    """Why the same people will not judge all videos, where the protocol wants that."""
    if not campaign.asked.same_people or hits < 2:
        return ()
    limit, said = campaign.max_hits_per_annotator, []
    if limit is not None and limit < hits:
        said.append(
            f"The same people should judge all videos, but nobody may take more than {limit} of "
            f"these {hits} HITs. Change “HITs per person, at most” in the settings."
        )
    if crowd_named(crowd).is_marketplace:
        said.append(
            "The same people should judge all videos, but on a marketplace everybody takes as many "
            f"HITs as they like. Invite {campaign.assignments} people by name instead."
        )
    return tuple(said)


def group_warnings(campaign: Campaign, people: int) -> tuple[str, ...]:
    """The same of a group link by which more people may join than judge a video."""
    if not campaign.asked.same_people or people <= campaign.assignments:
        return ()
    return (
        f"The same people should judge all videos. Each video is judged by {campaign.assignments}, "
        f"but {people} may join: let no more than {campaign.assignments} join, or invite them by "
        "name.",
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
