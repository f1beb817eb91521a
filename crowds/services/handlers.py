"""How each kind of message is carried out, looked up, and recorded in our rows.

Each handler is stateless. `perform` calls the crowd. `look_up` asks whether a message whose outcome
is unclear was done: what it returns is recorded as if `perform` had returned it, None means that it
was not done or that doing it again does no harm, and Undecidable leaves it to a person. `record`
and `give_up` change rows, inside the transaction that ends the message.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from annotations.models import AnnotatorIdentity
from crowds.gateway import Bonus, Gateway, PermanentFault, Price, PublicationReport
from crowds.models import ExternalId, OutboxMessage, Publication, PublishedHit, Submission
from crowds.services.money import (
    bonus_book,
    bonus_release,
    publication_release,
    publication_withdraw,
    reward_book,
    reward_release,
)
from crowds.services.restoring import IN_DOUBT
from crowds.specs import extensions_unpack, spec_unpack

DONE = object()
Status = Publication.Status


class Undecidable(Exception):
    """Only a person can find out whether the message was done."""


class Handler:
    """A message that does no harm when it is done twice, and changes no row of ours."""

    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> Any:
        raise NotImplementedError

    def look_up(self, gateway: Gateway, message: OutboxMessage) -> Any | None:
        return None

    def record(self, message: OutboxMessage, outcome: Any) -> None:
        """Change the rows that depend on the message having been done."""

    def give_up(self, message: OutboxMessage) -> None:
        """Change the rows that depended on the message."""


class Publish(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> PublicationReport:
        return gateway.publish(spec_unpack(messages[0].payload["spec"]), key=messages[0].key)

    def look_up(self, gateway: Gateway, message: OutboxMessage) -> PublicationReport | None:
        found = gateway.find(_publication(message).reference)
        if found is None and message.payload.get(IN_DOUBT):
            raise Undecidable(
                "The database was restored, and the crowd does not have this: it was never "
                "published, or was deleted there since. Try again to publish it; say that it was "
                "not done to leave it."
            )
        return found

    def record(self, message: OutboxMessage, outcome: PublicationReport) -> None:
        _set_status(message, Status.OPEN)
        publication_record(_publication(message), outcome, crowd=message.crowd)

    def give_up(self, message: OutboxMessage) -> None:
        _set_status(message, Status.CLOSED)
        publication_release(publication=_publication(message))


class Extend(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> PublicationReport:
        message = messages[0]
        extensions = extensions_unpack(message.payload["extensions"])
        return gateway.extend(name_of(message), extensions, key=message.key)

    def look_up(self, gateway: Gateway, message: OutboxMessage) -> PublicationReport | None:
        found = gateway.find(_publication(message).reference)
        return found if found and found.people >= message.payload["people"] else None

    def record(self, message: OutboxMessage, outcome: PublicationReport | None) -> None:
        _set_status(message, Status.OPEN)

    def give_up(self, message: OutboxMessage) -> None:
        """The money is free again. The places keep what they were wished to have."""
        price = Price(Decimal(message.payload["reward"]), Decimal(message.payload["fee"]))
        more = sum(each["more"] for each in message.payload["extensions"])
        publication_withdraw(
            publication=_publication(message), price=price, people=more, occasion=message.occasion
        )


class Expire(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        gateway.expire(name_of(messages[0]), key=messages[0].key)
        return DONE

    def record(self, message: OutboxMessage, outcome: object) -> None:
        _set_status(message, Status.EXPIRED)


class Reopen(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        lifetime = dt.timedelta(days=messages[0].payload["days"])
        gateway.reopen(name_of(messages[0]), lifetime=lifetime, key=messages[0].key)
        return DONE

    def record(self, message: OutboxMessage, outcome: object) -> None:
        _set_status(message, Status.OPEN)


class Close(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        gateway.close(name_of(messages[0]), key=messages[0].key)
        return DONE

    def record(self, message: OutboxMessage, outcome: object) -> None:
        _set_status(message, Status.CLOSED)
        publication_release(publication=_publication(message))


class Approve(Handler):
    """Approving what is approved is no fault, so an unclear one is simply approved again."""

    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        gateway.approve(
            name_of(messages[0]),
            _submission_ids(messages),
            key=messages[0].key,
            overrule=messages[0].payload["overrule"],
        )
        return DONE

    def record(self, message: OutboxMessage, outcome: object) -> None:
        reward_book(submission=_submission(message))


class Reject(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        payload = messages[0].payload
        gateway.reject(
            name_of(messages[0]),
            _submission(messages[0]).external_id,
            reason=payload["reason"],
            category=payload["category"],
            key=messages[0].key,
        )
        return DONE

    def record(self, message: OutboxMessage, outcome: object) -> None:
        reward_release(submission=_submission(message))


class PayBonus(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        gateway.bonus(_bonus(messages[0]), key=messages[0].key)
        return DONE

    def look_up(self, gateway: Gateway, message: OutboxMessage) -> object | None:
        paid = gateway.find_bonus(_bonus(message), key=message.key)
        if paid is None:
            raise Undecidable("Check on the crowd's site whether this bonus was paid.")
        return DONE if paid else None

    def record(self, message: OutboxMessage, outcome: object) -> None:
        bonus_book(
            submission=_submission(message),
            occasion=message.occasion,
            amount=Decimal(message.payload["amount"]),
            fee=Decimal(message.payload["fee"]),
        )

    def give_up(self, message: OutboxMessage) -> None:
        amount = Decimal(message.payload["amount"]) + Decimal(message.payload["fee"])
        bonus_release(submission=_submission(message), occasion=message.occasion, amount=amount)


class SendMessage(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        payload, people = messages[0].payload, people_of(messages[0])
        if people:
            subject, text = payload["subject"], payload["text"]
            gateway.message(people, subject=subject, text=text, key=messages[0].key)
        return DONE

    def look_up(self, gateway: Gateway, message: OutboxMessage) -> None:
        raise Undecidable("Check whether this message was sent, so that nobody gets it twice.")


class Enlist(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        if people := people_of(messages[0]):
            gateway.enlist(messages[0].payload["audience"], people, key=messages[0].key)
        return DONE


class Delist(Handler):
    def perform(self, gateway: Gateway, messages: Sequence[OutboxMessage]) -> object:
        if people := people_of(messages[0]):
            gateway.delist(messages[0].payload["audience"], people, key=messages[0].key)
        return DONE


HANDLERS: dict[OutboxMessage.Kind, Handler] = {
    OutboxMessage.Kind.PUBLISH: Publish(),
    OutboxMessage.Kind.EXTEND: Extend(),
    OutboxMessage.Kind.EXPIRE: Expire(),
    OutboxMessage.Kind.REOPEN: Reopen(),
    OutboxMessage.Kind.CLOSE: Close(),
    OutboxMessage.Kind.APPROVE: Approve(),
    OutboxMessage.Kind.REJECT: Reject(),
    OutboxMessage.Kind.BONUS: PayBonus(),
    OutboxMessage.Kind.MESSAGE: SendMessage(),
    OutboxMessage.Kind.ENLIST: Enlist(),
    OutboxMessage.Kind.DELIST: Delist(),
}


def publication_record(publication: Publication, report: PublicationReport, *, crowd: str) -> None:
    """Remember what the crowd calls a publication and, where it names them, its places."""
    Publication.objects.filter(pk=publication.pk).update(address=report.address)
    ExternalId.objects.get_or_create(
        crowd=crowd,
        kind=ExternalId.Kind.PUBLICATION,
        external_id=report.external_id,
        publication=publication,
    )
    names = {
        reference: name for reference, name in report.places.items() if name != report.external_id
    }
    places = PublishedHit.objects.filter(publication=publication)
    ExternalId.objects.bulk_create(
        (
            ExternalId(
                crowd=crowd,
                kind=ExternalId.Kind.HIT,
                external_id=names[place.reference],
                publication=publication,
                published_hit=place,
            )
            for place in places
            if place.reference in names
        ),
        ignore_conflicts=True,
    )


def name_of(message: OutboxMessage) -> str:
    """What the crowd calls the message's publication."""
    known = ExternalId.objects.filter(
        publication=message.publication, crowd=message.crowd, kind=ExternalId.Kind.PUBLICATION
    ).first()
    if known is None:
        raise PermanentFault("This was never published.")
    return known.external_id


def _publication(message: OutboxMessage) -> Publication:
    if message.publication is None:
        raise ValueError(f"message must have a publication: {message}")
    return message.publication


def _submission(message: OutboxMessage) -> Submission:
    if message.submission is None:
        raise ValueError(f"message must have a submission: {message}")
    return message.submission


def _submission_ids(messages: Sequence[OutboxMessage]) -> list[str]:
    """What the crowd calls the submissions of messages, in their order and in one query."""
    keys = [message.submission_id for message in messages if message.submission_id is not None]
    names = dict(Submission.objects.filter(pk__in=keys).values_list("pk", "external_id"))
    return [names[key] for key in keys]


def people_of(message: OutboxMessage) -> list[str]:
    """What the crowd calls those a message is about; who was erased meanwhile has no name there."""
    known = AnnotatorIdentity.objects.filter(annotator__messages=message)
    return sorted(known.values_list("external_id", flat=True))


def _set_status(message: OutboxMessage, status: Publication.Status) -> None:
    Publication.objects.filter(pk=_publication(message).pk).update(status=status)


def _bonus(message: OutboxMessage) -> Bonus:
    payload, submission = message.payload, _submission(message)
    return Bonus(
        submission=submission.external_id,
        publication=name_of(message),
        person=submission.annotator.identity.external_id,
        amount=Decimal(payload["amount"]),
        reason=payload["reason"],
    )
