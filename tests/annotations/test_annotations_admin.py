"""The admin site shows the work and changes none of it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotations.models import AnnotatorIdentity, Rating
from tests.factories import make_user

MODELS = [
    *(f"annotations_{name}" for name in ("annotator", "annotatoridentity", "assignment", "rating")),
    *(f"crowds_{name}" for name in ("invitation", "arrival")),
]


@pytest.fixture
def admin(db, client_of):
    return client_of(make_user(is_staff=True, is_superuser=True))


@pytest.mark.parametrize("model", MODELS)
def test_every_table_can_be_listed_searched_and_opened(admin, anna, model):
    anna.save(0)
    listing = reverse(f"admin:{model}_changelist")
    found = admin.get(listing, {"q": "a"})
    assert found.status_code == 200
    row = found.context["cl"].model_admin.model.objects.first()
    opened = admin.get(reverse(f"admin:{model}_change", args=[row.pk]))
    assert opened.status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_nothing_can_be_changed(admin, anna, model):
    anna.save(0)
    row = admin.get(reverse(f"admin:{model}_changelist")).context["cl"].queryset.first()
    assert admin.post(reverse(f"admin:{model}_change", args=[row.pk])).status_code == 403


def test_a_rating_cannot_be_deleted_but_an_identity_can(admin, anna):
    anna.save(0)
    rating, identity = Rating.objects.get(), AnnotatorIdentity.objects.get()
    address = reverse("admin:annotations_rating_delete", args=[rating.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 403
    address = reverse("admin:annotations_annotatoridentity_delete", args=[identity.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 302
    assert not AnnotatorIdentity.objects.exists()
    assert Rating.objects.count() == 1
