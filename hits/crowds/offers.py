"""Offers as plain values, so that they can wait in a row until they are sent."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from hits.crowds.gateway import Codes, Extension, Offer, Place, Requirements


def offer_pack(offer: Offer) -> dict[str, Any]:
    """The offer as JSON holds it. Not `asdict`, which copies every word of every offer."""
    return vars(offer) | {
        "reward": str(offer.reward),
        "lifetime": offer.lifetime.total_seconds(),
        "auto_approval": offer.auto_approval.total_seconds(),
        "places": [{**vars(place)} for place in offer.places],
        "requirements": {**vars(offer.requirements)},
        "codes": offer.codes and {**vars(offer.codes)},
    }


def offer_unpack(packed: dict[str, Any]) -> Offer:
    """The offer that `offer_pack` packed, after a journey through JSON."""
    requirements = packed["requirements"]
    return Offer(
        **packed
        | {
            "reward": Decimal(packed["reward"]),
            "lifetime": dt.timedelta(seconds=packed["lifetime"]),
            "auto_approval": dt.timedelta(seconds=packed["auto_approval"]),
            "places": tuple(Place(**place) for place in packed["places"]),
            "keywords": tuple(packed["keywords"]),
            "requirements": Requirements(
                **requirements | {"countries": tuple(requirements["countries"])}
            ),
            "only": tuple(packed["only"]),
            "without": tuple(packed["without"]),
            "codes": packed["codes"] and Codes(**packed["codes"]),
        }
    )


def extensions_pack(extensions: list[Extension]) -> list[dict[str, Any]]:
    return [{"place": {**vars(each.place)}, "more": each.more} for each in extensions]


def extensions_unpack(packed: list[dict[str, Any]]) -> list[Extension]:
    return [Extension(place=Place(**each["place"]), more=each["more"]) for each in packed]
