"""How people of each crowd arrive: what the crowd adds to a link, and how one goes back to it.

The marketplaces' own interfaces are in hits/crowds; this is only what the annotator's browser
brings along. Everything here was typed or could be forged by the person who opens the link.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotations.errors import LinkRefused

MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
MTURK_SUBMIT_PATH = "/mturk/externalSubmit"
EXTERNAL_ID = re.compile(r"[\w.:@+-]{1,200}", re.ASCII)


@dataclass(frozen=True)
class Crowd:
    """The query parameters by which a crowd says who comes, and for which of its assignments."""

    name: str
    person: str = ""
    turn: str = ""
    ends_with_form: bool = False


@dataclass(frozen=True)
class Visitor:
    """Somebody sent here by a crowd."""

    person: str
    turn: str
    return_to: str


def crowd_named(name: str) -> Crowd:
    """What the links of a crowd bring along. A crowd like Prolific may have words of its own."""
    if name == "mturk":
        return Crowd(name, person="workerId", turn="assignmentId", ends_with_form=True)
    if name == "prolific":
        person, _, turn = settings.PROLIFIC_PARAMETERS
        return Crowd(name, person=person, turn=turn)
    return Crowd(name)


def is_preview(crowd: Crowd, query: Mapping[str, str]) -> bool:
    """Mechanical Turk shows tasks to people who have not accepted them."""
    return crowd.ends_with_form and query.get(crowd.turn, MTURK_PREVIEW) == MTURK_PREVIEW


def read_visitor(
    crowd: Crowd, query: Mapping[str, str], *, return_to: str, submit_origins: Collection[str]
) -> Visitor:
    """Who comes and for which assignment, as the crowd's address says."""
    person, turn = query.get(crowd.person, ""), query.get(crowd.turn, "")
    if not (EXTERNAL_ID.fullmatch(person) and EXTERNAL_ID.fullmatch(turn)):
        raise LinkRefused(
            "This link is incomplete. Open the task again from the site you found it on."
        )
    if crowd.ends_with_form:
        return_to = _submit_address(query.get("turkSubmitTo", ""), submit_origins)
    return Visitor(person=person, turn=turn, return_to=return_to)


def _submit_address(origin: str, allowed: Collection[str]) -> str:
    """Where the finished work is reported; never to an origin that is not on the list."""
    parts = urlsplit(origin)
    plain = f"{parts.scheme}://{parts.netloc}"
    if plain not in allowed:
        raise LinkRefused("This task was opened from a site that is not known here.")
    return plain + MTURK_SUBMIT_PATH
