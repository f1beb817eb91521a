"""What messages are about, in words: HITs, lists, and people under their pseudonyms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Min

from crowds.models import OutboxMessage, PublishedHit

Kind = OutboxMessage.Kind
ABOUT_ONE = (Kind.APPROVE, Kind.REJECT, Kind.BONUS)
ABOUT_MANY = (Kind.MESSAGE, Kind.ENLIST, Kind.DELIST)
MOST_NAMES = 5
# The lists of `crowds.references`, by how their names end.
LISTS = {
    "-not-again": "Those not to be invited again",
    "-again": "Those to be invited again",
    "-enough": "Those who have rated enough here",
}


def people_concerned(messages: Iterable[OutboxMessage]) -> dict[int, list[str]]:
    """Pseudonyms by the message's pk, sorted. In two queries."""
    keys = [message.pk for message in messages]
    found: defaultdict[int, list[str]] = defaultdict(list)
    for path in ("submission__annotator__pseudonym", "annotators__pseudonym"):
        rows = OutboxMessage.objects.filter(pk__in=keys).filter(**{f"{path}__isnull": False})
        for pk, name in rows.order_by(path).values_list("pk", path):
            found[pk].append(name)
    return dict(found)


@dataclass(frozen=True)
class MessageShown:
    """A message, what it is about, and the first people it is about."""

    message: OutboxMessage
    about: str
    names: tuple[str, ...]
    others: int


def outbox_described(messages: Iterable[OutboxMessage]) -> list[MessageShown]:
    """In three queries."""
    messages = list(messages)
    hits = hits_of_publications(
        {message.publication_id for message in messages if message.publication_id}
    )
    people = people_concerned(messages)
    return [_described(message, hits, people.get(message.pk, [])) for message in messages]


def _described(message: OutboxMessage, hits: Mapping[int, str], names: list[str]) -> MessageShown:
    about = ""
    if message.kind in OutboxMessage.CHANGING:
        about = hits.get(message.publication_id or 0, "")
    elif audience := message.payload.get("audience", ""):
        about = next((words for end, words in LISTS.items() if audience.endswith(end)), "")
    return MessageShown(message, about, tuple(names[:MOST_NAMES]), len(names[MOST_NAMES:]))


def hits_of_publications(publications: Collection[int]) -> dict[int, str]:
    """The HITs of each publication, as pages name them. In one query."""
    places = (
        PublishedHit.objects.filter(publication__in=publications)
        .order_by()
        .values_list("publication")
    )
    counted = places.annotate(Min("hit__batch__number"), Min("hit__number"), Count("pk"))
    return {
        publication: f"HIT {batch}-{number}" if hits == 1 else f"{hits:,} HITs of batch {batch}"
        for publication, batch, number, hits in counted
    }
