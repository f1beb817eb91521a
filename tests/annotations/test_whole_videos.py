"""Consistency: pages with all captions of a video, saved caption by caption as ever."""

from __future__ import annotations

from collections import Counter

import pytest
from django.test import Client

from annotations.models import Rating
from annotations.samples import SAMPLE_TEXTS
from hits.models import HitItem
from hits.services.composing import batch_compose
from tests.annotations.person import Person, crowd_link, invite, link
from tests.annotations.test_preview import work_of
from tests.factories import make_campaign
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(db):
    """Six videos with three captions each, in two HITs, each with one hidden stranger."""
    made = make_campaign(
        videos=6, systems=2, protocol="consistency", hit_size=10, pairs=1, repeats=0
    )
    batch_compose(campaign=made)
    return made


@pytest.fixture
def person(campaign):
    return Person(link(invite(campaign)))


def pages(person):
    return Counter(tuple(item["page"]) for item in person.items.values())


def test_a_hit_shows_each_video_on_one_page_with_a_stranger_on_one_of_them(campaign):
    for hit in campaign.batches.get().hits.all():
        items = hit.items.order_by("position")
        videos = list(items.values_list("caption__video", flat=True))
        assert sorted(Counter(videos).values()) == [3, 3, 4]
        assert videos == sorted(videos, key=videos.index)
        stranger = items.get(kind=HitItem.Kind.DEGRADED)
        assert stranger.original.caption == stranger.caption
        assert stranger.caption.video.name not in stranger.text


def test_the_page_to_be_rated_and_the_next_are_handed_out_whole(person):
    first, second = sorted(pages(person))
    assert first[0] == 0
    assert second[0] == first[1]
    assert pages(person) == {first: first[1], second: second[1] - second[0]}


def test_captions_of_a_page_share_their_video_and_nothing_tells_the_stranger(person):
    for page in pages(person):
        shown = [item for item in person.items.values() if tuple(item["page"]) == page]
        assert len({item["media"] for item in shown}) == 1
        assert {frozenset(item) for item in shown} == {frozenset(shown[0])}
    for media in {item["media"] for item in person.items.values()}:
        assert person.get(media).status_code == 302


def test_with_the_last_caption_of_a_page_the_page_after_the_next_comes(person):
    (_, end), _ = sorted(pages(person))
    handed_out = [person.save(position, 3).json()["items"] for position in range(end)]
    assert [bool(items) for items in handed_out] == [False] * (end - 1) + [True]
    assert len(person.items) == person.work["total"]


@pytest.mark.parametrize("score", [0, 6, 50, 100])
def test_a_score_off_the_scale_is_refused_and_nothing_is_saved(person, score):
    response = person.save(0, score)
    assert response.status_code == 400
    assert response.json()["error"] == "A rating is a whole number from 1 to 5."
    assert not Rating.objects.exists()


def test_fluency_is_not_asked(person):
    assert person.save(0, 3, fluency=3).status_code == 400


def test_a_page_that_was_left_half_rated_comes_back_with_its_answers(person):
    person.save(0, 2)
    person.save(1, 5)
    work = person.reload()
    assert work["done"] == 2
    answers = [item["answer"] and item["answer"]["score"] for item in work["items"][:3]]
    assert answers == [2, 5, None]


def test_a_change_of_mind_is_a_revision_and_the_page_shows_it(person):
    (_, end), _ = sorted(pages(person))
    for position in range(end):
        person.save(position, 3)
    assert person.save(1, 5).json()["revision"] == 2
    response = person.get(f"/rate/item?position={end - 1}")
    found = {item["position"]: item["answer"]["score"] for item in response.json()["items"]}
    assert found == dict.fromkeys(range(end), 3) | {1: 5}


def test_a_repeated_post_is_saved_once(person):
    key = "0" * 8 + "-0000-4000-8000-" + "0" * 12
    assert person.save(0, 4, key=key).json() | {"items": []} == (
        person.save(0, 4, key=key).json() | {"items": []}
    )
    assert Rating.objects.count() == 1


def test_what_lies_beyond_the_next_page_is_not_handed_out(person):
    last = max(end for _, end in pages(person))
    assert person.get(f"/rate/item?position={last}").status_code == 404
    assert person.get(f"/rate/item?position={last - 1}").status_code == 200


def test_everything_rated_can_be_handed_in(person):
    for position in range(person.work["total"]):
        assert person.save(position, 1 + position % 5).status_code == 200
    assert person.submit().status_code == 200
    assert person.assignment.state == "submitted"


def test_the_page_explains_the_five_levels_with_examples(person):
    html = markup(person.client.get(person.page_path))
    assert "Five examples" in html
    assert html.count('type="radio"') == 5
    assert 'max="100"' not in html


def test_practice_and_previews_show_several_captions_of_one_video(campaign, person):
    assert [item["position"] for item in person.work["practice"]] == [-3, -2, -1]
    work = work_of(Client().get(crowd_link(campaign)))
    assert [item["text"] for item in work["items"]] == list(SAMPLE_TEXTS)
    assert {tuple(item["page"]) for item in work["items"]} == {(0, 3)}


def test_an_organiser_previews_whole_pages(campaign):
    client, hit = Client(), campaign.batches.get().hits.first()
    client.force_login(campaign.owner)
    work = work_of(client.get(f"/campaigns/{campaign.slug}/hits/{hit.pk}/preview/"))
    assert work["total"] == hit.items.count()
    assert len({tuple(item["page"]) for item in work["items"]}) == 3
