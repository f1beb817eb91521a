"""One link for a group: turning it on, limiting, replacing and turning it off; joining by it.

Whoever changes the link or joins by it holds the campaign's row, so that no more people join than
may, and none by a link that was turned off a moment ago.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext as _

from annotations.errors import LinkWithdrawn, NothingToTake
from annotations.models import AnnotatorIdentity
from annotations.tokens import Group, group_sign, since
from crowds.invite.invitations import INVITED, annotators_invite, inviting_obstacle
from crowds.models import AuditEntry, GroupLink, Invitation
from crowds.selectors.entry import claim_obstacle
from crowds.services.money import campaign_lock
from daplatform.errors import DomainError
from hits.models import Campaign

MAX_PEOPLE = 1000
CAUTION = (
    "A group link cannot tell people apart: one person may join several times under different "
    "names. Where that matters, send everybody a personal link."
)


@transaction.atomic
def group_link_offer(*, campaign: Campaign, people: int, by: User | None) -> GroupLink:
    """Turn the group link of a launched campaign on for so many people; or change how many.

    Turned on again after it was turned off, it is a new link: the old one stays refused.
    """
    campaign_lock(campaign)
    _refuse_odd_limit(campaign, people)
    known = GroupLink.objects.filter(campaign=campaign)
    if known.filter(is_open=True).update(people=people):
        _note(campaign, by, "limited the group link", people)
        return known.get()
    if obstacle := inviting_obstacle(campaign):
        raise DomainError(obstacle)
    if not known.update(people=people, is_open=True, version=F("version") + 1):
        GroupLink.objects.create(campaign=campaign, people=people)
    _note(campaign, by, "turned the group link on", people)
    return known.get()


@transaction.atomic
def group_link_replace(*, campaign: Campaign, by: User | None) -> GroupLink:
    """A new link in the place of one that got into the wrong hands; who has joined stays."""
    campaign_lock(campaign)
    link = _turned_on(campaign)
    GroupLink.objects.filter(pk=link.pk).update(version=F("version") + 1)
    _note(campaign, by, "replaced the group link", link.people)
    link.refresh_from_db()
    return link


@transaction.atomic
def group_link_revoke(*, campaign: Campaign, by: User | None) -> None:
    """Let nobody else join; who has joined keeps the link they got."""
    campaign_lock(campaign)
    link = _turned_on(campaign)
    GroupLink.objects.filter(pk=link.pk).update(is_open=False)
    _note(campaign, by, "turned the group link off", link.people)


@transaction.atomic
def annotator_join(*, group: Group, name: str) -> Invitation:
    """An invitation for somebody who came by a group link, under a name nobody else has.

    A name is no proof of who somebody is: one that is taken leads nobody to another's work.
    """
    campaign = campaign_lock(group_link_opened(group).campaign)
    link = group_link_opened(group)  # again: it may have been changed while we waited
    if sentence := join_obstacle(link):
        raise NothingToTake(sentence)
    known = AnnotatorIdentity.objects.filter(crowd=INVITED, external_id=f"{campaign.pk}:{name}")
    if known.exists():
        raise DomainError(
            _(
                "Somebody has already joined under this name. If it was you, open the link you got "
                "then; otherwise choose another name."
            )
        )
    invitation = annotators_invite(campaign=campaign, names=[name], joined=True)[0]
    detail = f"{invitation.annotator} by the group link, {joined_sentence(link)}"
    AuditEntry.objects.create(campaign=campaign, action="joined", detail=detail)
    return invitation


def _turned_on(campaign: Campaign) -> GroupLink:
    link = group_link_of(campaign)
    if link is None:
        raise DomainError("The group link is not turned on.")
    return link


def _refuse_odd_limit(campaign: Campaign, people: int) -> None:
    joined = joined_count(campaign)
    if not max(joined, 1) <= people <= MAX_PEOPLE:
        already = f"{joined:,} have already joined: " if joined else ""
        raise DomainError(
            f"{already}let between {max(joined, 1):,} and {MAX_PEOPLE:,} people join."
        )


def _note(campaign: Campaign, by: User | None, action: str, people: int) -> None:
    AuditEntry.objects.create(
        campaign=campaign, person=by, action=action, detail=f"for {people:,} people"
    )


def group_link_of(campaign: Campaign) -> GroupLink | None:
    """The campaign's group link, if it is turned on."""
    return GroupLink.objects.filter(campaign=campaign, is_open=True).first()


def group_link_opened(group: Group) -> GroupLink:
    """The group link somebody opens, unless it was replaced or turned off."""
    links = GroupLink.objects.filter(campaign=group.campaign).select_related("campaign")
    link = links.first()
    is_lost = link is not None and group.since != since(link.campaign.created_at)
    if link is None or is_lost or not link.is_open:
        raise LinkWithdrawn(
            _("This link was turned off. Ask the person who sent it how to take part.")
        )
    if link.version != group.version:
        raise LinkWithdrawn(
            _("This link was replaced. Ask the person who sent it for the new one.")
        )
    return link


def joined_count(campaign: Campaign) -> int:
    return Invitation.objects.filter(campaign=campaign, joined=True).count()


def joined_sentence(link: GroupLink) -> str:
    """How many of how many people have joined."""
    return f"{joined_count(link.campaign):,} of {link.people:,} joined"


def join_obstacle(link: GroupLink) -> str:
    """Why nobody can join now, as a sentence for whoever wants to; empty when they can."""
    if joined_count(link.campaign) >= link.people:
        return _(
            "No more people can join through this link. If you have joined already, open the "
            "link you got then; otherwise ask the person who sent this one."
        )
    return claim_obstacle(campaign=link.campaign, annotator=None)


def join_address(link: GroupLink) -> str:
    """One link for everybody: whoever opens it gets a link of their own."""
    group = Group(link.campaign_id, link.version, since(link.campaign.created_at))
    return settings.PUBLIC_URL + reverse("crowds:join", args=[group_sign(group)])
