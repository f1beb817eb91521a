"""The admin shows every model and cannot break an invariant."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.factories import make_campaign, make_hit, make_user
from tests.pages import shown

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error::DeprecationWarning")]

OURS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in ("hits", "annotations", "crowds", "analysis")
]


@pytest.fixture
def administrator():
    return make_user(is_staff=True, is_superuser=True)


def address(model, page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_model_can_be_listed_searched_and_filtered(model, administrator, client_of):
    make_hit(make_campaign(owner=administrator))
    page = client_of(administrator).get(address(model, "changelist"), {"q": "clip"})
    assert page.status_code == 200
    options = admin.site._registry[model]
    assert options.search_fields
    assert options.list_filter


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_nothing_can_be_added_or_deleted(model, administrator, client_of):
    make_hit(make_campaign(owner=administrator))
    client = client_of(administrator)
    assert client.get(address(model, "add")).status_code == 403
    row = model.objects.first()
    if row is not None:
        assert client.get(address(model, "change", row.pk)).status_code == 200
        assert client.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403


def test_a_campaigns_owner_can_be_changed_and_its_state_cannot(administrator, client_of):
    campaign = make_campaign()
    heir = make_user("organisers")
    fields = {"owner": heir.pk, "colleagues": [], "state": "closed", "name": "Renamed"}
    client_of(administrator).post(address(type(campaign), "change", campaign.pk), fields)
    campaign.refresh_from_db()
    assert campaign.owner == heir
    assert (campaign.state, campaign.name != "Renamed") == ("draft", True)


def test_a_campaign_is_not_given_to_someone_who_has_one_of_that_name(administrator, client_of):
    campaign, twin = make_campaign(name="Twins"), make_campaign(name="Twins")
    page = client_of(administrator).post(
        address(type(campaign), "change", campaign.pk), {"owner": twin.owner.pk}
    )
    assert "has a campaign of that name" in shown(page)
    campaign.refresh_from_db()
    assert campaign.owner != twin.owner


def test_organisers_do_not_enter(organiser, client_of):
    assert client_of(organiser).get(reverse("admin:index")).status_code == 302
