"""How well a told story matches what happens: the truth that an honest annotator goes by.

Every detail weighs something. Precision is the share of what was told that is right, recall the
share of what happens that was told. People forgive gaps more easily than errors, hence an F score
that leans towards precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from rehearsal.demo.kinds import FAMILIES, KINDS
from rehearsal.demo.places import PLACES
from rehearsal.demo.story import Actor, Story

LEANING = 0.75
"""The β of the F score: below 1, precision counts for more."""
KIND, MOTION, DETAIL, PLACE, SETTING, STRAY = 3.0, 3.0, 1.0, 1.5, 0.7, 1.0
"""What is weighed: who, what they do, a detail of it, where, what is about, a word out of place."""
SECOND = 0.6
"""What the second actor weighs, the first being 1."""
INVENTED = 0.9
"""What somebody who is not there at all weighs."""
TRUST = 0.35
"""What a right detail is worth when it is told of the wrong thing."""
VAGUE = {"animal": 0.5, "vehicle": 0.5, "person": 0.7, "thing": 0.2}
"""Part marks for naming only the family."""
ALIKE: dict[tuple[str, str], float] = {
    ("meet", "stop"): 0.6,
    ("meet", "cross"): 0.3,
    ("stop", "cross"): 0.4,
    ("turn", "cross"): 0.4,
    ("turn", "stop"): 0.4,
    ("hide", "cross"): 0.4,
    ("hide", "stop"): 0.3,
    ("land", "stop"): 0.3,
    ("chase", "cross"): 0.4,
    ("flee", "cross"): 0.4,
    ("bounce", "cross"): 0.3,
    ("cross", "move"): 0.6,
}
"""Part marks for a motion (first) told as one that looks somewhat like it (second)."""
STILL = ("rest", "wave")


@dataclass(frozen=True)
class _Tally:
    """Weight of what was said, and of what of it is right."""

    said: float = 0.0
    right: float = 0.0

    def __add__(self, other: _Tally) -> _Tally:
        return _Tally(self.said + other.said, self.right + other.right)

    def times(self, share: float) -> _Tally:
        return _Tally(share * self.said, share * self.right)


def quality(truth: Story, told: Story) -> float:
    """From 0, nothing told is right, to 1, all that happens is told and nothing else.

    >>> truth = Story(actors=(Actor("cat", 1, "black", "jump"),), place="kitchen", light="day")
    >>> quality(truth, truth)
    1.0
    >>> quality(truth, Story(actors=(Actor("dog", 1, "black", "jump"),), place="kitchen")) < 0.5
    True
    """
    tally = _cast(truth, told) + _setting(truth, told) + _Tally(said=STRAY * told.strays)
    happens = _cast(truth, truth) + _setting(truth, truth)
    if tally.right == 0:
        return 0.0
    precision, recall = tally.right / tally.said, min(1.0, tally.right / happens.said)
    return (1 + LEANING**2) * precision * recall / (LEANING**2 * precision + recall)


def _cast(truth: Story, told: Story) -> _Tally:
    """Everybody told compared with whom they fit best; whoever is left over is invented."""
    shares = [1.0, *[SECOND] * (len(truth.actors) - 1)]
    fit = [
        [_total(real, claim).times(share) for claim in told.actors]
        for real, share in zip(truth.actors, shares, strict=True)
    ]
    tally = [_Tally(said=INVENTED * _total(claim, claim).said) for claim in told.actors]
    for real, claim in _best_match(fit, len(told.actors)):
        tally[claim] = fit[real][claim]
    return sum(tally, _Tally())


def _best_match(fit: list[list[_Tally]], claims: int) -> list[tuple[int, int]]:
    """Which real actor (first) each claim (second) is best taken to be about."""
    orders = permutations([*range(claims), *[-1] * len(fit)], len(fit))
    matches = (
        [(real, claim) for real, claim in enumerate(order) if claim >= 0] for order in orders
    )
    return max(matches, key=lambda match: sum(fit[real][claim].right for real, claim in match))


def _total(real: Actor, claim: Actor) -> _Tally:
    return sum(_marks(real, claim), _Tally())


def _marks(real: Actor, claim: Actor) -> Iterator[_Tally]:
    """Marks for each detail of a claim about one actor."""
    known = _kind_credit(real.kind, claim.kind)
    trust = TRUST + (1 - TRUST) * known
    yield _Tally(KIND, KIND * known)
    if claim.motion is not None:
        yield _Tally(MOTION, MOTION * trust * _motion_credit(str(real.motion), claim.motion))
    for said, true in ((claim.colour, real.colour), (claim.heading, real.heading)):
        if said is not None:
            yield _Tally(DETAIL, DETAIL * trust * (said == true))
    # That there is one of a thing needs no saying; that there are three, or not one, does.
    if claim.count is not None and (claim.count, real.count) != (1, 1):
        yield _Tally(DETAIL, DETAIL * trust * (claim.count == real.count))


def _kind_credit(real: str, claim: str) -> float:
    if claim == real:
        return 1.0
    if claim in FAMILIES and claim in (KINDS[real].family if real in KINDS else real, "thing"):
        return VAGUE[claim]
    return 0.0


def _motion_credit(real: str, claim: str) -> float:
    if claim == real:
        return 1.0
    if claim == "move" and real not in STILL:
        return ALIKE.get((real, claim), 0.4)
    return ALIKE.get((real, claim), 0.0)


def _setting(truth: Story, told: Story) -> _Tally:
    tally = _Tally()
    if told.place is not None:
        tally += _Tally(PLACE, PLACE * _place_credit(str(truth.place), told.place))
    for said, true in ((told.weather, truth.weather), (told.landmark, truth.landmark)):
        if said is not None:
            tally += _Tally(SETTING, SETTING * (said == true))
    # Plain daylight goes without saying: it is right where it is told, and never missed.
    if told.light is not None and (told.light, truth.light) != ("day", "day"):
        tally += _Tally(SETTING, SETTING * (told.light == truth.light))
    return tally


def _place_credit(real: str, claim: str) -> float:
    if claim == real:
        return 1.0
    if claim in ("indoors", "outdoors"):
        return 0.4 * (PLACES[real].indoors == (claim == "indoors"))
    return 0.0
