"""A campaign once more, a draft that is deleted, and a batch that is."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from daplatform.errors import DomainError
from hits.models import Campaign, Caption, Hit, HitItem, Video
from hits.services.campaigns import (
    CHANGEABLE,
    campaign_delete,
    campaign_duplicate,
    campaign_go_live,
)
from hits.services.composing import batch_create, batch_delete
from hits.services.importing import caption_correct
from tests.factories import make_campaign, make_hit, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(organiser, settings, tmp_path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path
    campaign = make_campaign(owner=organiser)
    name = default_storage.save("campaigns/clip.mp4", ContentFile(b"clip"))
    campaign.videos.filter(pk=campaign.videos.first().pk).update(url="", file=name)
    return campaign


def texts(campaign: Campaign) -> list[tuple[str, str, str]]:
    rows = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    return sorted(rows.values_list("video__name", "system__name", "text"))


def test_a_copy_has_the_material_and_settings_and_nothing_else(campaign, organiser):
    campaign.language, campaign.translations = "de", {"fr": {"consent": "Oui."}}
    campaign.save()
    make_hit(campaign)
    caption_correct(caption=Caption.objects.filter(system__campaign=campaign)[0], text="New words.")
    campaign_go_live(campaign=campaign)
    copy = campaign_duplicate(campaign=campaign, owner=organiser)
    assert (copy.name, copy.state, copy.owner) == (f"{campaign.name} (copy)", "draft", organiser)
    assert texts(copy) == texts(campaign)
    assert not copy.batches.exists()
    for name in (*CHANGEABLE, "translations"):
        assert getattr(copy, name) == getattr(campaign, name), name


OWN = {"id", "name", "slug", "owner", "source_digest", "state", "created_at"}


def test_every_field_but_those_that_name_the_campaign_is_copied(campaign, organiser):
    changed = {
        "comment": True,
        "form": [{"name": "town", "text": "Where do you live?", "kind": "text"}],
    }
    Campaign.objects.filter(pk=campaign.pk).update(questions=changed)
    campaign.refresh_from_db()
    copy = campaign_duplicate(campaign=campaign, owner=organiser)
    fields = {field.name for field in Campaign._meta.concrete_fields} - OWN
    different = {name for name in fields if getattr(copy, name) != getattr(campaign, name)}
    assert different == set()
    assert copy.questions == changed


def test_every_copy_has_a_name_of_its_own(campaign, organiser):
    names = [campaign_duplicate(campaign=campaign, owner=organiser).name for _ in range(3)]
    assert len(set(names)) == 3


def test_a_deleted_draft_is_gone_with_its_files(campaign):
    make_hit(campaign)
    campaign_delete(campaign=campaign)
    for model in (Campaign, Video, Caption, Hit, HitItem):
        assert not model.objects.exists()
    assert not default_storage.exists("campaigns/clip.mp4")


def test_files_that_a_copy_shows_are_kept(campaign, organiser):
    copy = campaign_duplicate(campaign=campaign, owner=organiser)
    campaign_delete(campaign=campaign)
    assert default_storage.exists("campaigns/clip.mp4")
    campaign_delete(campaign=copy)
    assert not default_storage.exists("campaigns/clip.mp4")


def test_a_live_campaign_is_not_deleted(campaign):
    make_hit(campaign)
    campaign_go_live(campaign=campaign)
    with pytest.raises(DomainError, match="was launched"):
        campaign_delete(campaign=campaign)
    with pytest.raises(DomainError, match="its HITs are kept"):
        batch_delete(batch=campaign.batches.get())
    assert Hit.objects.count() == 1


def test_the_number_of_a_deleted_batch_is_given_again_only_if_it_was_the_last(campaign):
    first, _ = make_hit(campaign).batch, make_hit(campaign)
    batch_delete(batch=first)
    assert batch_create(campaign=campaign).number == 3


def test_the_page_wants_the_name_before_it_deletes(campaign, organiser, client_of):
    address = reverse("hits:campaign-delete", args=[campaign.slug])
    refused = client_of(organiser).post(address, {"name": "Another"})
    assert refused.status_code == 400
    assert "This is not the campaign’s name." in shown(refused)
    assert client_of(organiser).post(address, {"name": campaign.name}).status_code == 302
    assert not Campaign.objects.exists()


def test_only_the_owner_deletes(campaign, client_of):
    fellow = make_user("organisers")
    campaign.colleagues.add(fellow)
    address = reverse("hits:campaign-delete", args=[campaign.slug])
    assert client_of(fellow).post(address, {"name": campaign.name}).status_code == 403
    assert Campaign.objects.exists()


def test_a_copy_is_made_from_the_settings_page(campaign, organiser, client_of):
    address = reverse("hits:campaign-duplicate", args=[campaign.slug])
    response = client_of(organiser).post(address)
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    assert response.url == reverse("hits:campaign-settings", args=[copy.slug])


def test_a_batch_of_a_draft_is_deleted_from_the_campaigns_page(campaign, organiser, client_of):
    make_hit(campaign)
    address = reverse("hits:batch-delete", args=[campaign.slug, 1])
    assert client_of(organiser).post(address).status_code == 302
    assert not Hit.objects.exists()
