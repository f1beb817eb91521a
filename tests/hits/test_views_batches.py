from __future__ import annotations

import pytest
from django.urls import reverse

from hits.models import Hit
from hits.selectors import replaced_words
from tests.factories import make_campaign, make_hit
from tests.pages import shown


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


@pytest.fixture
def hit(campaign):
    return make_hit(campaign)


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


def test_without_hits_the_page_says_how_to_get_them(client_of, organiser):
    large = make_campaign(owner=organiser, videos=24)
    page = client_of(organiser).get(reverse("hits:hit-list", args=[large.slug]))
    assert "Compose HITs" in shown(page)
