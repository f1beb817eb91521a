"""How people of a crowd arrive and go back: all that must be known without an account there.

Each crowd's package has one `CROWD`, an object of this class or of one that changes what differs.
Whatever a visitor's address says was typed, or could be forged, by the person who opens the link.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotations.errors import LinkRefused
from annotations.tokens import Entry
from crowds.gateway import SubmissionReport
from daplatform.errors import DomainError

if TYPE_CHECKING:
    from annotations.models import Annotator, Assignment

EXTERNAL_ID = re.compile(r"[\w.:@+-]{1,200}", re.ASCII)


class NoticeRefused(DomainError):
    """A notice that is not the crowd's, or not a recent one."""


@dataclass(frozen=True)
class Visitor:
    """Somebody sent here by a crowd."""

    person: str  # what the crowd calls them
    external_id: str  # and their assignment
    return_to: str
    annotator: Annotator | None = None  # where the link says who they are
    proof: str = ""  # what the crowd has signed, where it does


@dataclass(frozen=True)
class Notice:
    """What a crowd told us by itself. A repetition has at least one of the same ids."""

    ids: tuple[str, ...]
    publication: str


class Crowd:
    """A marketplace: it sends people, names them in its links, and reports what they did."""

    label = ""
    is_marketplace = True  # False: people and their work are known from our own rows alone
    ends_with_form = False  # the last page posts a form to the crowd
    confirms_at_once = False  # `confirm` can be asked while somebody waits at the door

    def parameters(self) -> tuple[str, str]:
        """The query parameters that name the person and their assignment."""
        return "", ""

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Whether somebody only looks who has not accepted the task."""
        return False

    def visitor(self, entry: Entry, query: Mapping[str, str]) -> Visitor:
        """Who comes and for which assignment, as their link and the crowd's address say."""
        person, external_id = (query.get(name, "") for name in self.parameters())
        if not (EXTERNAL_ID.fullmatch(person) and EXTERNAL_ID.fullmatch(external_id)):
            raise LinkRefused(
                _("This link is incomplete. Open the task again from the site where you found it.")
            )
        return Visitor(person, external_id, self.return_address(entry, query))

    def return_address(self, entry: Entry, query: Mapping[str, str]) -> str:
        """Where the browser goes at the end."""
        return entry.return_to

    def confirm(self, visitor: Visitor) -> SubmissionReport:
        """Whose assignment this is, by proof or by one quick look. Raises CrowdError."""
        raise NotImplementedError

    def notice_read(self, headers: Mapping[str, str], body: bytes, *, now: dt.datetime) -> Notice:
        """The notice in a request; nothing in it is believed before its signature fits."""
        raise NoticeRefused(f"Notices from {self.label} are not expected here.")

    def next_link(self, assignment: Assignment) -> str:
        """The way from finished work to more of it, where that is not on the crowd's own pages."""
        return ""
