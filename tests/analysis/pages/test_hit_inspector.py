"""One HIT: captions in order with their kinds, and who rated them how."""

from __future__ import annotations

import pytest
from django.urls import reverse

from analysis.views.inspector import MOST_TURNS
from hits.models import HitItem
from tests.factories import make_annotator, make_campaign, make_hit, make_rating, make_ratings
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def hit(organiser):
    return make_hit(make_campaign(owner=organiser))


@pytest.fixture
def open_hit(page_of):
    return lambda hit: page_of("hit-detail", hit.batch.campaign, hit.pk)


def test_a_hit_shows_its_items_in_order_with_their_kinds(open_hit, hit):
    page = open_hit(hit)
    kinds = [item.row.item.kind for item in page.context["items"]]
    assert kinds == ["system", "system", "system", "reference", "degraded", "repeat"]
    assert [item.row.position for item in page.context["items"]] == [1, 2, 3, 4, 5, 6]
    assert dict(page.context["kinds"]) == {"system": 3, "reference": 1, "degraded": 1, "repeat": 1}
    assert "Nobody has taken this HIT yet" in shown(page)


def test_copies_lead_to_their_originals(open_hit, hit):
    page = open_hit(hit)
    originals = [item.row.original for item in page.context["items"]]
    assert originals == [None, None, None, None, 4, 1]
    assert 'href="#item-4"' in markup(page)


def test_the_replaced_words_are_marked(open_hit, hit):
    content = markup(open_hit(hit))
    assert "<mark>human caption that swims green what clip</mark>" in content


def test_every_caption_has_everybodys_last_score(open_hit, hit):
    first = make_ratings(hit, make_annotator(), [10, 20, 30, 40, 50, 60])
    make_ratings(hit, make_annotator(), [11, 21, 31, 41, 51, 61])
    make_rating(first, hit.items.get(position=2), 99, revision=2)
    page = open_hit(hit)
    scores = [item.scores for item in page.context["items"]]
    assert scores == [[10, 11], [20, 21], [99, 31], [40, 41], [50, 51], [60, 61]]
    assert [item.mean for item in page.context["items"]][:3] == [10.5, 20.5, 65]
    for turn in page.context["turns"]:
        assert turn.annotator.pseudonym in shown(page)


def test_what_was_not_rated_says_so(open_hit, hit):
    turn = make_ratings(hit, make_annotator(), [1, 2, 3, 4, 5, 6])
    make_ratings(hit, make_annotator(), [1, 2, 3, 4, 5, 6])
    late = HitItem.objects.create(
        hit=hit, position=6, kind="system", caption=hit.items.get(position=0).caption
    )
    make_rating(turn, late, 70)
    last = open_hit(hit).context["items"][-1]
    assert (last.scores, last.mean) == ([70, None], 70)


def test_of_very_many_turns_the_latest_are_shown(open_hit, hit):
    people = [make_annotator() for _ in range(MOST_TURNS + 1)]
    for person in people:
        make_ratings(hit, person, [1, 2, 3, 4, 5, 6])
    shown = [turn.annotator for turn in open_hit(hit).context["turns"]]
    assert shown == people[1:]


def test_a_hit_takes_as_many_queries_however_many_ratings(open_hit, hit, django_assert_num_queries):
    open_hit(hit)
    with django_assert_num_queries(10):
        open_hit(hit)
    for _ in range(3):
        make_ratings(hit, make_annotator(), [1, 2, 3, 4, 5, 6])
    with django_assert_num_queries(11):
        open_hit(hit)


def test_a_hit_is_found_only_in_its_own_campaign(page_of, organiser, hit):
    assert page_of("hit-detail", make_campaign(owner=organiser), hit.pk).status_code == 404


def test_strangers_are_refused(hit, client_of, stranger, client):
    address = reverse("analysis:hit-detail", args=[hit.batch.campaign.slug, hit.pk])
    assert client_of(stranger).get(address).status_code == 404
    assert client.get(address).status_code == 302


def test_an_analyst_may_look_at_what_is_shared(hit, client_of, analyst):
    hit.batch.campaign.colleagues.add(analyst)
    address = reverse("analysis:hit-detail", args=[hit.batch.campaign.slug, hit.pk])
    assert client_of(analyst).get(address).status_code == 200


def test_harmful_words_do_no_harm(open_hit, harmful):
    content = markup(open_hit(harmful.batches.get().hits.first()))
    assert "&lt;script&gt;alert(1)" in content
    assert "<script>alert" not in content
