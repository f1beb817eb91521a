"""Changing, sharing, freezing and correcting a campaign."""

from __future__ import annotations

from decimal import Decimal

import pytest

from daplatform.errors import DomainError
from hits.models import Campaign, Caption
from hits.services.campaigns import (
    campaign_close,
    campaign_go_live,
    campaign_leave,
    campaign_share,
    campaign_update,
)
from hits.services.importing import caption_correct
from tests.factories import make_campaign, make_hit, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(db) -> Campaign:
    return make_campaign()


def test_a_drafts_settings_can_change(campaign):
    campaign_update(campaign=campaign, reward=Decimal("1.50"), redundancy=3)
    campaign.refresh_from_db()
    assert (campaign.reward, campaign.redundancy) == (Decimal("1.50"), 3)


def test_it_refuses_settings_that_make_no_sense(campaign):
    with pytest.raises(DomainError):
        campaign_update(campaign=campaign, hit_size=10, pairs=10)
    campaign.refresh_from_db()
    assert campaign.hit_size == 100


def test_it_refuses_a_hit_that_cannot_be_laid_out(campaign):
    with pytest.raises(DomainError, match="These numbers cannot fit into a HIT"):
        campaign_update(campaign=campaign, hit_size=95)


def test_it_refuses_to_change_what_came_with_the_material(campaign):
    with pytest.raises(TypeError, match="source_digest"):
        campaign_update(campaign=campaign, source_digest="0" * 64)


def test_it_refuses_to_change_a_live_campaign(campaign):
    make_hit(campaign)
    campaign_go_live(campaign=campaign)
    with pytest.raises(DomainError, match="live"):
        campaign_update(campaign=campaign, redundancy=3)


def test_it_does_not_go_live_without_hits(campaign):
    with pytest.raises(DomainError, match="Compose"):
        campaign_go_live(campaign=campaign)


def test_going_live_and_closing_twice_changes_nothing(campaign):
    make_hit(campaign)
    for act, state in ((campaign_go_live, "live"), (campaign_close, "closed")):
        act(campaign=campaign)
        act(campaign=campaign)
        campaign.refresh_from_db()
        assert campaign.state == state


def test_a_closed_campaign_stays_closed(campaign):
    make_hit(campaign)
    campaign_go_live(campaign=campaign)
    campaign_close(campaign=campaign)
    with pytest.raises(DomainError, match="closed"):
        campaign_go_live(campaign=campaign)


def test_a_draft_cannot_be_closed(campaign):
    with pytest.raises(DomainError, match="draft"):
        campaign_close(campaign=campaign)


def test_sharing_names_exactly_the_colleagues(campaign):
    first, second = make_user("analysts"), make_user("organisers")
    owner = campaign.owner
    names = [first.username, second.username]
    campaign_share(campaign=campaign, usernames=names, by=owner)
    campaign_share(campaign=campaign, usernames=[owner.username, second.username], by=owner)
    assert list(campaign.colleagues.all()) == [second]


def test_sharing_with_an_unknown_name_changes_nothing(campaign):
    known = make_user("analysts")
    with pytest.raises(DomainError, match="nobody-here"):
        campaign_share(
            campaign=campaign, usernames=[known.username, "nobody-here"], by=campaign.owner
        )
    assert not campaign.colleagues.exists()


def test_a_colleague_neither_shares_on_nor_takes_anybody_out(campaign):
    colleague, other = make_user("organisers"), make_user("organisers")
    campaign.colleagues.add(colleague, other)
    for names in ([colleague.username], [], [make_user("analysts").username]):
        with pytest.raises(DomainError, match="Only the owner"):
            campaign_share(campaign=campaign, usernames=names, by=colleague)
    assert set(campaign.colleagues.all()) == {colleague, other}


def test_a_colleague_may_leave_and_only_for_themselves(campaign):
    colleague, other = make_user("organisers"), make_user("analysts")
    campaign.colleagues.add(colleague, other)
    campaign_leave(campaign=campaign, colleague=colleague)
    assert list(campaign.colleagues.all()) == [other]


def test_the_owner_cannot_leave(campaign):
    with pytest.raises(DomainError, match="nothing to leave"):
        campaign_leave(campaign=campaign, colleague=campaign.owner)


def test_a_correction_is_a_new_row_and_hits_keep_the_old_one(campaign):
    hit = make_hit(campaign)
    campaign_go_live(campaign=campaign)
    wrong = hit.items.get(position=0).caption
    right = caption_correct(caption=wrong, text=" What it should have said. ")
    assert right.pk != wrong.pk
    assert right.text == "What it should have said."
    assert hit.items.get(position=0).text == wrong.text
    assert list(
        Caption.objects.filter(video=wrong.video, system=wrong.system, retired_at=None)
    ) == [right]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_it_refuses_an_empty_correction(campaign, text):
    with pytest.raises(DomainError, match="empty"):
        caption_correct(caption=Caption.objects.first(), text=text)


def test_it_refuses_a_second_correction_of_the_same_row(campaign):
    caption = Caption.objects.first()
    caption_correct(caption=caption, text="First.")
    with pytest.raises(DomainError, match="already"):
        caption_correct(caption=caption, text="Second.")
