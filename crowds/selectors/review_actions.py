"""What organisers have ordered lately, how much of it was sent, and what can still be undone."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowds.models import OutboxMessage, ReviewAction
from crowds.selectors.outbox import ABOUT_ONE, MOST_NAMES, people_concerned
from hits.models import Campaign

State = OutboxMessage.State
SHOWN_FOR = dt.timedelta(days=1)
MOST_ORDERS, MOST_ACTS = 10, 100
Names = Mapping[int, list[str]]
WORDS = {
    State.WAITING: "waiting",
    State.CLAIMED: "sending",
    State.UNCLEAR: "sending",
    State.ASKING: "needs you",
    State.DONE: "sent",
    State.FAILED: "failed",
    State.UNDONE: "undone",
}
ORDER_OF_WORDS = tuple(dict.fromkeys(WORDS.values()))


@dataclass(frozen=True)
class MessageRow:
    """One message of a review action that is about a single person."""

    pk: int
    annotator: str
    word: str
    error: str
    can_undo: bool


@dataclass(frozen=True)
class ActionRow:
    """A review action, and how many of its messages are how far."""

    action: ReviewAction
    counts: tuple[tuple[str, int], ...]
    undoable: int
    minutes_left: int
    messages: tuple[MessageRow, ...]
    names: tuple[str, ...]  # the first few it is about

    @property
    def others(self) -> int:
        """People it is about who are not among the names."""
        return max(0, self.action.people - len(self.names))

    @property
    def is_undone(self) -> bool:
        return self.word == "undone"

    @property
    def word(self) -> str:
        """How far it is as a whole; undone messages count only where there is nothing else."""
        words = [word for word, _ in self.counts if word != "undone"] or ["undone"]
        return words[0] if len(words) == 1 else "partly sent"

    @property
    def is_moving(self) -> bool:
        return any(word in ("waiting", "sending") for word, _ in self.counts)


def review_actions_context(campaign: Campaign, *, now: dt.datetime) -> dict[str, Any]:
    """What the block of them shows; equal digests, equal blocks."""
    rows = review_actions_shown(campaign, now=now)
    return {
        "campaign": campaign,
        "review_actions": [row for row in rows if not row.is_undone],
        "undone": [row for row in rows if row.is_undone],
        "digest": hashlib.sha256(repr(rows).encode()).hexdigest()[:16],
        "is_moving": any(row.is_moving for row in rows),
    }


def review_actions_shown(campaign: Campaign, *, now: dt.datetime) -> list[ActionRow]:
    """The latest first, each with its messages about single people. In five queries."""
    review_actions = list(
        campaign.review_actions.select_related("given_by").filter(created_at__gt=now - SHOWN_FOR)[
            :MOST_ORDERS
        ]
    )
    messages: defaultdict[int, list[OutboxMessage]] = defaultdict(list)
    given = OutboxMessage.objects.filter(action__in=review_actions).order_by("pk")
    single = given.filter(kind__in=ABOUT_ONE).defer("payload")  # there may be thousands
    for message in [*single, *given.exclude(kind__in=ABOUT_ONE)]:
        messages[message.action_id or 0].append(message)
    names = people_concerned(message for some in messages.values() for message in some[:MOST_ACTS])
    return [_row(action, messages[action.pk], names, now) for action in review_actions]


def _row(
    action: ReviewAction, messages: list[OutboxMessage], names: Names, now: dt.datetime
) -> ActionRow:
    counts = Counter(WORDS[State(message.state)] for message in messages)
    undoable = [message for message in messages if _can_undo(message)]
    seconds = (
        max((message.next_try_at - now).total_seconds() for message in undoable) if undoable else 0
    )
    everybody = {name for message in messages for name in names.get(message.pk, [])}
    return ActionRow(
        action=action,
        counts=tuple(
            (word, counts[word]) for word in dict.fromkeys(WORDS.values()) if counts[word]
        ),
        undoable=len(undoable),
        minutes_left=math.ceil(max(0, seconds) / 60),
        messages=tuple(
            _message_row(message, names)
            for message in messages[:MOST_ACTS]
            if message.kind in ABOUT_ONE
        ),
        names=tuple(sorted(everybody)[:MOST_NAMES]),
    )


def _message_row(message: OutboxMessage, names: Names) -> MessageRow:
    name = next(iter(names.get(message.pk, [])), "")
    return MessageRow(
        message.pk, name, WORDS[State(message.state)], message.error, _can_undo(message)
    )


def _can_undo(message: OutboxMessage) -> bool:
    return message.state == State.WAITING and not message.attempts
