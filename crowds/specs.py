"""Specs as plain values, so that they can wait in a row until they are sent."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from crowds.gateway import Codes, Extension, HitSpec, PublicationSpec, Requirements


def spec_pack(spec: PublicationSpec) -> dict[str, Any]:
    """The spec as JSON holds it. Not `asdict`, which copies every word of every spec."""
    return vars(spec) | {
        "reward": str(spec.reward),
        "lifetime": spec.lifetime.total_seconds(),
        "auto_approval": spec.auto_approval.total_seconds(),
        "places": [{**vars(place)} for place in spec.places],
        "requirements": {**vars(spec.requirements)},
        "codes": spec.codes and {**vars(spec.codes)},
    }


def spec_unpack(packed: dict[str, Any]) -> PublicationSpec:
    """The spec that `spec_pack` packed, after a journey through JSON."""
    requirements = packed["requirements"]
    return PublicationSpec(
        **packed
        | {
            "reward": Decimal(packed["reward"]),
            "lifetime": dt.timedelta(seconds=packed["lifetime"]),
            "auto_approval": dt.timedelta(seconds=packed["auto_approval"]),
            "places": tuple(HitSpec(**place) for place in packed["places"]),
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
    return [Extension(place=HitSpec(**each["place"]), more=each["more"]) for each in packed]
