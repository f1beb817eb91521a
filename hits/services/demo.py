"""The demo campaign and its people, made once."""

from __future__ import annotations

from django.contrib.auth.models import Group, User
from django.db import transaction

from hits.demo.people import LOG_INS
from hits.importing import Reading
from hits.models import Campaign
from hits.services.campaigns import campaign_share
from hits.services.composing import batch_compose
from hits.services.importing import Progress, campaign_import


@transaction.atomic
def demo_people_create() -> list[User]:
    """The demo's accounts; those that are there stay as they are."""
    return [_person(*log_in) for log_in in LOG_INS]


def _person(username: str, password: str, group: str) -> User:
    person = User.objects.filter(username=username).first()
    if person is None:
        person = User.objects.create_user(username=username, password=password)
        person.groups.add(Group.objects.get(name=group))
    return person


def demo_campaign_create(*, reading: Reading, progress: Progress) -> Campaign:
    """The demo campaign, imported and composed; whatever of it is there stays as it is."""
    owner, *colleagues = demo_people_create()
    campaign = campaign_import(reading=reading, owner=owner, is_demo=True, progress=progress)
    if not campaign.batches.exists():
        names = [person.username for person in colleagues]
        campaign_share(campaign=campaign, usernames=names, by=owner)
        batch_compose(campaign=campaign)
    return campaign
