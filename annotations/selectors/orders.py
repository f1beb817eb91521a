"""What organisers have ordered lately, how much of it was sent, and what can still be undone."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotations.selectors.concerned import ABOUT_ONE, MOST_NAMES, people_concerned
from hits.models import Act, Campaign, Order

State = Act.State
SHOWN_FOR = dt.timedelta(days=1)
MOST_ORDERS, MOST_ACTS = 10, 100
Names = Mapping[int, list[str]]
WORDS = {
    State.WAITING: "waiting",
    State.CLAIMED: "sending",
    State.UNCLEAR: "sending",
    State.ASKING: "waits for you",
    State.DONE: "sent",
    State.FAILED: "failed",
    State.UNDONE: "undone",
}
ORDER_OF_WORDS = tuple(dict.fromkeys(WORDS.values()))


@dataclass(frozen=True)
class ActRow:
    """One act of an order that is about a single person."""

    pk: int
    annotator: str
    word: str
    error: str
    can_undo: bool


@dataclass(frozen=True)
class OrderRow:
    """An order, and how many of its acts are how far."""

    order: Order
    counts: tuple[tuple[str, int], ...]
    undoable: int
    minutes_left: int
    acts: tuple[ActRow, ...]
    names: tuple[str, ...]  # the first few it is about

    @property
    def others(self) -> int:
        """People it is about who are not among the names."""
        return max(0, self.order.people - len(self.names))

    @property
    def is_undone(self) -> bool:
        return self.word == "undone"

    @property
    def word(self) -> str:
        """How far it is as a whole; undone acts count only where there is nothing else."""
        words = [word for word, _ in self.counts if word != "undone"] or ["undone"]
        return words[0] if len(words) == 1 else "partly sent"

    @property
    def is_moving(self) -> bool:
        return any(word in ("waiting", "sending") for word, _ in self.counts)


def orders_shown(campaign: Campaign, *, now: dt.datetime) -> list[OrderRow]:
    """The latest first, each with its acts about single people. In five queries."""
    orders = list(
        campaign.orders.select_related("given_by").filter(created_at__gt=now - SHOWN_FOR)[
            :MOST_ORDERS
        ]
    )
    acts: defaultdict[int, list[Act]] = defaultdict(list)
    given = Act.objects.filter(order__in=orders).order_by("pk")
    single = given.filter(kind__in=ABOUT_ONE).defer("payload")  # there may be thousands
    for act in [*single, *given.exclude(kind__in=ABOUT_ONE)]:
        acts[act.order_id or 0].append(act)
    names = people_concerned(act for some in acts.values() for act in some[:MOST_ACTS])
    return [_row(order, acts[order.pk], names, now) for order in orders]


def _row(order: Order, acts: list[Act], names: Names, now: dt.datetime) -> OrderRow:
    counts = Counter(WORDS[State(act.state)] for act in acts)
    undoable = [act for act in acts if _can_undo(act)]
    seconds = max((act.next_try_at - now).total_seconds() for act in undoable) if undoable else 0
    everybody = {name for act in acts for name in names.get(act.pk, [])}
    return OrderRow(
        order=order,
        counts=tuple(
            (word, counts[word]) for word in dict.fromkeys(WORDS.values()) if counts[word]
        ),
        undoable=len(undoable),
        minutes_left=math.ceil(max(0, seconds) / 60),
        acts=tuple(_act_row(act, names) for act in acts[:MOST_ACTS] if act.kind in ABOUT_ONE),
        names=tuple(sorted(everybody)[:MOST_NAMES]),
    )


def _act_row(act: Act, names: Names) -> ActRow:
    name = next(iter(names.get(act.pk, [])), "")
    return ActRow(act.pk, name, WORDS[State(act.state)], act.error, _can_undo(act))


def _can_undo(act: Act) -> bool:
    return act.state == State.WAITING and not act.attempts
