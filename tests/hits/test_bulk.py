"""Rows written in bulk are the rows that were given, on every database."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from crowds.models import OutboxMessage
from hits.bulk import ids_reserve, rows_write
from hits.models import Caption, HitItem, System, Video
from tests.factories import make_campaign, make_hit

# Everything PostgreSQL can store: no NUL, no lone surrogates.
texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1)


class TestBulkTexts(TestCase):
    @settings(max_examples=60, deadline=None)
    @given(texts)
    def test_any_text_survives(self, text):
        campaign = make_campaign(videos=1, systems=0)
        system = System.objects.create(campaign=campaign, name="new", role="candidate")
        video = Video.objects.get(campaign=campaign)
        rows_write(Caption, ["video_id", "system_id", "text"], [(video.pk, system.pk, text)])
        assert system.captions.get().text == text


@pytest.mark.django_db
@pytest.mark.parametrize("text", ['"', "\\.", "a,b", "\r\n", "\t", "NULL", "\\N", "é\u200f 字"])
def test_csv_and_copy_specials_survive(text):
    campaign = make_campaign(videos=1, systems=0)
    system = System.objects.create(campaign=campaign, name="new", role="candidate")
    rows_write(
        Caption, ["video_id", "system_id", "text"], [(campaign.videos.get().pk, system.pk, text)]
    )
    assert system.captions.get().text == text


@pytest.mark.django_db
def test_empty_texts_and_missing_values_stay_apart():
    hit = make_hit(make_campaign())
    caption = Caption.objects.first()
    columns = [
        "hit_id",
        "position",
        "kind",
        "caption_id",
        "original_id",
        "degraded_text",
        "words_replaced",
    ]
    rows_write(HitItem, columns, [(hit.pk, 50, "system", caption.pk, None, "", None)])
    item = hit.items.get(position=50)
    assert (item.degraded_text, item.original_id, item.words_replaced) == ("", None, None)


@pytest.mark.django_db
def test_json_survives():
    campaign = make_campaign()
    payload = {"words": 'a "quoted", \\N, é and\nmore', "people": 3, "codes": None}
    now = timezone.now()
    columns = ["campaign_id", "crowd", "kind", "occasion", "payload", "key", "state", "attempts"]
    row = (campaign.pk, "mturk", "publish", "one", payload, "key", "waiting", 0, now, now, "")
    rows_write(OutboxMessage, [*columns, "next_try_at", "created_at", "error"], [row], held=False)
    assert campaign.messages.get().payload == payload


@pytest.mark.django_db
def test_reserved_ids_are_new_and_do_not_overlap():
    make_hit(make_campaign())
    taken = set(HitItem.objects.values_list("pk", flat=True))
    with transaction.atomic():
        first = ids_reserve(HitItem, 10)
        if connection.vendor == "postgresql":
            second = ids_reserve(HitItem, 5)
            assert not set(first) & set(second)
    assert len(first) == 10
    assert not set(first) & taken


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("privileged", "held"), [(True, True), (False, True), (True, False)])
def test_a_missing_reference_is_refused_however_it_is_checked(privileged, held, monkeypatch):
    """The set-based check must be as strict as the row-by-row one."""
    if not privileged:
        monkeypatch.setattr("hits.bulk._may_pause_checks", lambda cursor: False)
    campaign = make_campaign(videos=1, systems=0)
    nowhere = System.objects.latest("pk").pk + 1_000
    rows = [(campaign.videos.get().pk, nowhere, "Points at nothing.")]
    before = Caption.objects.count()
    with pytest.raises(IntegrityError), transaction.atomic():
        rows_write(Caption, ["video_id", "system_id", "text"], rows, held=held)
    assert Caption.objects.count() == before
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone()[0] == "origin"


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_other_constraints_hold_during_a_bulk_write():
    campaign = make_campaign(videos=1, systems=0)
    caption = Caption.objects.first()
    with pytest.raises(IntegrityError, match="one_caption"), transaction.atomic():
        rows_write(
            Caption,
            ["video_id", "system_id", "text"],
            [(caption.video_id, caption.system_id, "Twice.")],
        )
    assert campaign.videos.exists()
