"""How each kind of act is carried out, looked up, and recorded in our rows.

Each errand is stateless. `perform` calls the crowd. `look_up` asks whether an act whose outcome is
unclear was done: what it returns is recorded as if `perform` had returned it, None means that it
was not done or that doing it again does no harm, and Undecidable leaves it to a person. `record`
and `give_up` change rows, inside the transaction that ends the act.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hits.crowds.gateway import Bonus, Gateway, PermanentFault, Price, Publication
from hits.crowds.offers import extensions_unpack, offer_unpack
from hits.models import Act, ExternalId, Place, Posting
from hits.services.money import (
    bonus_book,
    bonus_release,
    posting_release,
    posting_withdraw,
    reward_book,
    reward_release,
)

DONE = object()
Standing = Posting.Standing


class Undecidable(Exception):
    """Only a person can find out whether the act was done."""


class Errand:
    """An act that does no harm when it is done twice, and changes no row of ours."""

    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> Any:
        raise NotImplementedError

    def look_up(self, gateway: Gateway, act: Act) -> Any | None:
        return None

    def record(self, act: Act, outcome: Any) -> None:
        """Change the rows that depend on the act having been done."""

    def give_up(self, act: Act) -> None:
        """Change the rows that depended on the act."""


class Publish(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> Publication:
        return gateway.publish(offer_unpack(acts[0].payload["offer"]), key=acts[0].key)

    def look_up(self, gateway: Gateway, act: Act) -> Publication | None:
        return gateway.find(_posting(act).reference)

    def record(self, act: Act, outcome: Publication) -> None:
        _stand(act, Standing.OPEN)
        publication_record(_posting(act), outcome, crowd=act.crowd)

    def give_up(self, act: Act) -> None:
        _stand(act, Standing.CLOSED)
        posting_release(posting=_posting(act))


class Extend(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> Publication:
        act = acts[0]
        extensions = extensions_unpack(act.payload["extensions"])
        return gateway.extend(publication_id(act), extensions, key=act.key)

    def look_up(self, gateway: Gateway, act: Act) -> Publication | None:
        found = gateway.find(_posting(act).reference)
        return found if found and found.people >= act.payload["people"] else None

    def record(self, act: Act, outcome: Publication | None) -> None:
        _stand(act, Standing.OPEN)

    def give_up(self, act: Act) -> None:
        """The money is free again. The places keep what they were wished to have."""
        price = Price(Decimal(act.payload["reward"]), Decimal(act.payload["fee"]))
        more = sum(each["more"] for each in act.payload["extensions"])
        posting_withdraw(posting=_posting(act), price=price, people=more, subject=act.subject)


class Expire(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        gateway.expire(publication_id(acts[0]), key=acts[0].key)
        return DONE

    def record(self, act: Act, outcome: object) -> None:
        _stand(act, Standing.EXPIRED)


class Reopen(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        lifetime = dt.timedelta(days=acts[0].payload["days"])
        gateway.reopen(publication_id(acts[0]), lifetime=lifetime, key=acts[0].key)
        return DONE

    def record(self, act: Act, outcome: object) -> None:
        _stand(act, Standing.OPEN)


class Close(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        gateway.close(publication_id(acts[0]), key=acts[0].key)
        return DONE

    def record(self, act: Act, outcome: object) -> None:
        _stand(act, Standing.CLOSED)
        posting_release(posting=_posting(act))


class Approve(Errand):
    """Approving what is approved is no fault, so an unclear one is simply approved again."""

    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        gateway.approve(
            publication_id(acts[0]),
            [act.payload["submission"] for act in acts],
            key=acts[0].key,
            overrule=acts[0].payload["overrule"],
        )
        return DONE

    def record(self, act: Act, outcome: object) -> None:
        reward_book(posting=_posting(act), subject=act.subject)


class Reject(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        payload = acts[0].payload
        gateway.reject(
            publication_id(acts[0]),
            payload["submission"],
            reason=payload["reason"],
            category=payload["category"],
            key=acts[0].key,
        )
        return DONE

    def record(self, act: Act, outcome: object) -> None:
        reward_release(posting=_posting(act), subject=act.subject)


class PayBonus(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        gateway.bonus(_bonus(acts[0]), key=acts[0].key)
        return DONE

    def look_up(self, gateway: Gateway, act: Act) -> object | None:
        paid = gateway.find_bonus(_bonus(act), key=act.key)
        if paid is None:
            raise Undecidable("Look at the crowd's own page whether this bonus was paid.")
        return DONE if paid else None

    def record(self, act: Act, outcome: object) -> None:
        bonus_book(
            campaign=act.campaign,
            amount=Decimal(act.payload["amount"]),
            fee=Decimal(act.payload["fee"]),
            subject=act.subject,
        )

    def give_up(self, act: Act) -> None:
        amount = Decimal(act.payload["amount"]) + Decimal(act.payload["fee"])
        bonus_release(campaign=act.campaign, amount=amount, subject=act.subject)


class Message(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        payload = acts[0].payload
        gateway.message(
            payload["people"], subject=payload["subject"], text=payload["text"], key=acts[0].key
        )
        return DONE

    def look_up(self, gateway: Gateway, act: Act) -> None:
        raise Undecidable("Look whether this message was sent: nobody likes to get it twice.")


class Enlist(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        payload = acts[0].payload
        gateway.enlist(payload["audience"], payload["people"], key=acts[0].key)
        return DONE


class Delist(Errand):
    def perform(self, gateway: Gateway, acts: Sequence[Act]) -> object:
        payload = acts[0].payload
        gateway.delist(payload["audience"], payload["people"], key=acts[0].key)
        return DONE


ERRANDS: dict[Act.Kind, Errand] = {
    Act.Kind.PUBLISH: Publish(),
    Act.Kind.EXTEND: Extend(),
    Act.Kind.EXPIRE: Expire(),
    Act.Kind.REOPEN: Reopen(),
    Act.Kind.CLOSE: Close(),
    Act.Kind.APPROVE: Approve(),
    Act.Kind.REJECT: Reject(),
    Act.Kind.BONUS: PayBonus(),
    Act.Kind.MESSAGE: Message(),
    Act.Kind.ENLIST: Enlist(),
    Act.Kind.DELIST: Delist(),
}


def publication_record(posting: Posting, publication: Publication, *, crowd: str) -> None:
    """Remember what the crowd calls a posting and, where it names them, its places."""
    Posting.objects.filter(pk=posting.pk).update(address=publication.address)
    ExternalId.objects.get_or_create(
        crowd=crowd,
        kind=ExternalId.Kind.PUBLICATION,
        external_id=publication.external_id,
        posting=posting,
    )
    names = {
        reference: name
        for reference, name in publication.places.items()
        if name != publication.external_id
    }
    places = Place.objects.filter(posting=posting)
    ExternalId.objects.bulk_create(
        (
            ExternalId(
                crowd=crowd,
                kind=ExternalId.Kind.PLACE,
                external_id=names[place.reference],
                posting=posting,
                place=place,
            )
            for place in places
            if place.reference in names
        ),
        ignore_conflicts=True,
    )


def publication_id(act: Act) -> str:
    """What the crowd calls the act's posting."""
    known = ExternalId.objects.filter(
        posting=act.posting, crowd=act.crowd, kind=ExternalId.Kind.PUBLICATION
    ).first()
    if known is None:
        raise PermanentFault("This was never published.")
    return known.external_id


def _posting(act: Act) -> Posting:
    if act.posting is None:
        raise ValueError(f"act must have a posting: {act}")
    return act.posting


def _stand(act: Act, standing: Posting.Standing) -> None:
    Posting.objects.filter(pk=_posting(act).pk).update(standing=standing)


def _bonus(act: Act) -> Bonus:
    payload = act.payload
    return Bonus(
        submission=payload["submission"],
        publication=publication_id(act),
        person=payload["person"],
        amount=Decimal(payload["amount"]),
        reason=payload["reason"],
    )
