"""People whom the organiser invites by a link, without a marketplace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotations.errors import LinkRefused
from annotations.tokens import Entry
from crowds.gateway import Gateway
from crowds.visitors import Crowd, Visitor

if TYPE_CHECKING:
    from annotations.models import Assignment


class Invited(Crowd):
    """Links are personal: an invitation says who comes, and our own rows what they did."""

    label = "Invited people"
    is_marketplace = False

    def visitor(self, entry: Entry, query: Mapping[str, str]) -> Visitor:
        from crowds.invite.invitations import entry_invitation

        if entry.invitation is None:
            raise LinkRefused(_("This link is not for a particular person. Ask for your own."))
        return Visitor("", "", entry.return_to, entry_invitation(entry).annotator)

    def next_link(self, assignment: Assignment) -> str:
        """The person's own link, while there is something left for them to rate."""
        from crowds.invite.invitations import invitation_entry, invitation_of
        from crowds.selectors.entry import claim_obstacle, entry_path

        invitation = invitation_of(assignment)
        if invitation is None or claim_obstacle(
            campaign=assignment.campaign, annotator=invitation.annotator
        ):
            return ""
        return entry_path(invitation_entry(invitation))


CROWD = Invited()


def connect(*, hurried: bool = False) -> Gateway:
    from crowds.invite.gateway import Invitations

    return Invitations()
