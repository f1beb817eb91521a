"""The link by which a group joins: whether it still lets people in, and how many it has let in."""

from __future__ import annotations

from annotations.errors import LinkWithdrawn
from annotations.models import GroupLink, Invitation
from annotations.selectors.entry import claim_obstacle
from annotations.tokens import Group
from hits.models import Campaign

CAUTION = (
    "A group link cannot tell people apart: one person may join several times, under different "
    "names. Where that matters, send everybody a link of their own."
)


def group_link_of(campaign: Campaign) -> GroupLink | None:
    """The campaign's group link, if it is turned on."""
    return GroupLink.objects.filter(campaign=campaign, is_open=True).first()


def group_link_opened(group: Group) -> GroupLink:
    """The group link somebody opens, unless it was replaced or turned off."""
    links = GroupLink.objects.filter(campaign=group.campaign).select_related("campaign")
    link = links.first()
    if link is None or not link.is_open:
        raise LinkWithdrawn("This link was turned off. Ask whoever sent it how to take part.")
    if link.version != group.version:
        raise LinkWithdrawn("This link was replaced. Ask whoever sent it for the new one.")
    return link


def joined_count(campaign: Campaign) -> int:
    return Invitation.objects.filter(campaign=campaign, joined=True).count()


def joined_sentence(link: GroupLink) -> str:
    """How many of how many people have joined."""
    return f"{joined_count(link.campaign):,} of {link.people:,} joined"


def join_obstacle(link: GroupLink) -> str:
    """Why nobody can join now, as a sentence for whoever wants to; empty when they can."""
    if joined_count(link.campaign) >= link.people:
        return (
            "As many people have joined as this link lets in. If you are one of them, open the "
            "link you got then; otherwise ask whoever sent this one."
        )
    return claim_obstacle(campaign=link.campaign, annotator=None)
