"""What the database itself refuses, whoever writes."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from hits.models import Batch, Campaign, Caption, Hit, HitItem, System, Video
from hits.services.campaigns import campaign_go_live
from tests.factories import make_campaign, make_hit

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(db) -> Campaign:
    return make_campaign()


@pytest.fixture
def hit(campaign) -> Hit:
    return make_hit(campaign)


def refused(constraint: str):
    return pytest.raises(IntegrityError, match=constraint)


def test_a_video_and_system_have_one_caption(campaign):
    caption = Caption.objects.first()
    with pytest.raises(IntegrityError):
        Caption.objects.create(video=caption.video, system=caption.system, text="Another one.")


def test_a_retired_caption_makes_room_for_its_correction(campaign):
    caption = Caption.objects.first()
    Caption.objects.filter(pk=caption.pk).update(retired_at=timezone.now())
    assert Caption.objects.create(video=caption.video, system=caption.system, text="Right.").pk


def test_a_caption_is_not_empty(campaign):
    with refused("caption_not_empty"):
        Caption.objects.update(text="")


def test_a_campaign_has_one_control_set(campaign):
    with pytest.raises(IntegrityError):
        System.objects.create(campaign=campaign, name="human-c", role="reference", is_control=True)


def test_only_a_reference_can_be_the_control_set(campaign):
    with refused("control_is_a_reference"):
        campaign.systems.filter(is_control=True).update(role="candidate")


@pytest.mark.parametrize(
    "fields", [{"file": "", "url": ""}, {"file": "a.mp4", "url": "https://a.example/a.mp4"}]
)
def test_a_video_is_either_a_file_or_an_address(campaign, fields):
    with refused("video_is_file_or_url"):
        Video.objects.create(campaign=campaign, name="other", **fields)


def test_a_position_holds_one_item(hit):
    with pytest.raises(IntegrityError):
        HitItem.objects.create(hit=hit, position=0, kind="system", caption=Caption.objects.first())


@pytest.mark.parametrize("kind", ["degraded", "repeat"])
def test_a_copy_has_an_original(hit, kind):
    text = "Other words." if kind == "degraded" else ""
    with refused("copies_have_an_original"):
        HitItem.objects.create(
            hit=hit, position=9, kind=kind, caption=Caption.objects.first(), degraded_text=text
        )


def test_a_fresh_item_has_no_original(hit):
    with refused("copies_have_an_original"):
        hit.items.filter(position=1).update(original=hit.items.get(position=0))


def test_only_degraded_items_carry_their_own_text(hit):
    with refused("only_degraded_items_carry_text"):
        hit.items.filter(kind="system").update(degraded_text="Smuggled in.")


def test_a_hit_must_leave_room_for_system_captions(campaign):
    with refused("campaign_hit_has_room_for_systems"):
        Campaign.objects.update(hit_size=30, pairs=10, repeats=10)


def test_a_caption_in_a_hit_cannot_be_deleted(hit):
    with pytest.raises(ProtectedError):
        Caption.objects.all().delete()


def test_a_campaign_with_hits_cannot_be_deleted(hit):
    with pytest.raises(ProtectedError):
        hit.batch.campaign.delete()


LIVE_CHANGES = {
    "editing a caption": lambda hit: Caption.objects.update(text="Quietly changed."),
    "moving a caption": lambda hit: Caption.objects.update(video=Video.objects.first()),
    "deleting a caption": lambda hit: Caption.objects.filter(items=None)[:1].get().delete(),
    "editing an item": lambda hit: hit.items.update(kind="system"),
    "deleting an item": lambda hit: hit.items.filter(kind="repeat").delete(),
    "editing a HIT": lambda hit: Hit.objects.update(number=99),
    "deleting a HIT": lambda hit: Hit.objects.filter(items=None).delete(),
}


@pytest.mark.parametrize("change", LIVE_CHANGES.values(), ids=LIVE_CHANGES.keys())
def test_a_live_campaign_is_frozen(hit, change):
    Hit.objects.create(batch=hit.batch, number=2)
    campaign_go_live(campaign=hit.batch.campaign)
    with pytest.raises(DatabaseError, match="cannot change"), transaction.atomic():
        change(hit)


@pytest.mark.parametrize(
    "change", [LIVE_CHANGES["editing a caption"], LIVE_CHANGES["deleting an item"]]
)
def test_a_draft_is_not_frozen(hit, change):
    change(hit)


def test_a_batch_number_is_used_once(hit):
    with pytest.raises(IntegrityError):
        Batch.objects.create(
            campaign=hit.batch.campaign, number=hit.batch.number, seed=1, hit_size=100, pairs=10,
            repeats=10, redundancy=1, merge_identical=False,
        )  # fmt: skip
