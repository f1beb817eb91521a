from __future__ import annotations

import pytest
from django.urls import reverse

from hits.models import Hit
from hits.selectors import replaced_words
from tests.factories import make_campaign, make_hit


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


@pytest.fixture
def hit(campaign):
    return make_hit(campaign)


def of_hit(hit):
    return reverse("hits:hit-detail", args=[hit.batch.campaign.slug, hit.pk])


def test_a_hit_shows_its_items_in_order_with_their_kinds(client_of, organiser, hit):
    page = client_of(organiser).get(of_hit(hit))
    kinds = [row.item.kind for row in page.context["rows"]]
    assert kinds == ["system", "system", "system", "reference", "degraded", "repeat"]
    assert [row.position for row in page.context["rows"]] == [1, 2, 3, 4, 5, 6]
    assert dict(page.context["kinds"]) == {
        "system": 3,
        "reference": 1,
        "degraded": 1,
        "repeat": 1,
    }


def test_copies_lead_to_their_originals(client_of, organiser, hit):
    page = client_of(organiser).get(of_hit(hit))
    assert [row.original for row in page.context["rows"]] == [None, None, None, None, 4, 1]
    assert 'href="#item-4"' in page.content.decode()


def test_the_replaced_words_are_marked(client_of, organiser, hit):
    content = client_of(organiser).get(of_hit(hit)).content.decode()
    assert "<mark>human caption that swims green what clip</mark>" in content


@pytest.mark.parametrize(
    ("original", "text", "parts"),
    [
        ("a b c d", "a b c d", ("a b c d", "", "")),
        ("a b c d", "a x y d", ("a ", "x y", " d")),
        ("a b a b a", "a b x b a", ("a b ", "x", " b a")),
        ("a", "x", ("", "x", "")),
        ("a b", "a x", ("a ", "x", "")),
        ("a a a a", "a a b a", ("a a ", "b", " a")),
        ("a b c", "a b b c", ("a b ", "b", " c")),
    ],
)
def test_a_text_is_taken_apart_at_what_differs(original, text, parts):
    assert replaced_words(original, text) == parts
    assert "".join(parts) == text


def test_a_hit_takes_as_many_queries_however_many_items(
    client_of, organiser, hit, django_assert_num_queries
):
    client = client_of(organiser)
    client.get(of_hit(hit))
    with django_assert_num_queries(9):
        client.get(of_hit(hit))


def test_a_hit_is_found_only_in_its_own_campaign(client_of, organiser, hit):
    other = make_campaign(owner=organiser)
    address = reverse("hits:hit-detail", args=[other.slug, hit.pk])
    assert client_of(organiser).get(address).status_code == 404


def test_hits_are_listed_newest_batch_first(client_of, organiser, campaign, hit):
    newer = make_hit(campaign)
    page = client_of(organiser).get(reverse("hits:hit-list", args=[campaign.slug]))
    assert list(page.context["page"]) == [newer, hit]


@pytest.mark.parametrize(("batch", "count"), [("1", 1), ("9", 0), ("", 2), ("x", 2), ("9" * 30, 2)])
def test_hits_of_one_batch_are_listed(client_of, organiser, campaign, hit, batch, count):
    make_hit(campaign)
    address = reverse("hits:hit-list", args=[campaign.slug])
    page = client_of(organiser).get(address, {"batch": batch})
    assert page.context["page"].paginator.count == count


def test_a_long_list_takes_a_fixed_number_of_queries(
    client_of, organiser, hit, campaign, django_assert_num_queries
):
    Hit.objects.bulk_create(Hit(batch=hit.batch, number=number) for number in range(2, 200))
    client = client_of(organiser)
    address = reverse("hits:hit-list", args=[campaign.slug])
    client.get(address)
    with django_assert_num_queries(8):
        client.get(address, {"page": 3})


def test_without_hits_the_page_says_how_to_get_them(client_of, organiser, campaign):
    page = client_of(organiser).get(reverse("hits:hit-list", args=[campaign.slug]))
    assert "Compose HITs" in page.content.decode()
