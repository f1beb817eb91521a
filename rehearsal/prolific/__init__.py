"""A stand-in for Prolific on the organiser's own machine, to rehearse and to test against.

It speaks the part of the API the gateway uses, over HTTP; checks every body against Prolific's
own document where that is at hand; and keeps studies, submissions, money and notifications the
way the documentation describes. What people on Prolific would do is done by `Market`'s methods.
"""

from __future__ import annotations

from rehearsal.prolific.faults import Fault, Faults
from rehearsal.prolific.market import Market
from rehearsal.prolific.server import StandIn

__all__ = ["Fault", "Faults", "Market", "StandIn"]
