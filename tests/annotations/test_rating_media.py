"""Videos as the rating page gets them."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from annotations.tokens import media_name
from tests.annotations.person import Person, invite, link

CONTENT = b"0123456789" * 30


@pytest.fixture
def stored(campaign):
    for video in campaign.videos.all():
        video.url = ""
        video.file.save(f"{video.name}.mp4", ContentFile(CONTENT), save=True)
    return Person(link(invite(campaign)))


def watch(person, position=0, **headers):
    return Client().get(person.items[position]["media"], headers=headers)


def test_it_sends_the_part_that_was_asked_for(stored):
    response = watch(stored, Range="bytes=10-19")
    assert response.status_code == 206
    assert b"".join(response) == CONTENT[10:20]
    assert response["Content-Type"] == "video/mp4"


def test_four_queries_find_a_video(stored, django_assert_num_queries):
    """One for each rating, by hundreds of people at once."""
    with django_assert_num_queries(4):
        watch(stored)


def test_a_video_may_be_kept_by_the_browser_but_not_by_a_proxy(stored):
    cache = watch(stored)["Cache-Control"]
    assert "private" in cache
    assert "no-store" not in cache


def test_a_reload_finds_the_video_under_the_same_address(stored):
    before = stored.items[0]["media"]
    stored.reload()
    assert stored.items[0]["media"] == before


def test_the_same_video_has_another_address_and_tag_in_every_item(stored):
    stored.save_all()
    original, repeat = stored.items[0], stored.items[5]
    assert original["text"] == repeat["text"]
    assert original["media"] != repeat["media"]
    assert watch(stored, 0)["ETag"] != watch(stored, 5)["ETag"]
    assert "Last-Modified" not in watch(stored)


def test_a_video_on_another_site_is_reached_through_an_address_of_our_own(anna, campaign):
    response = watch(anna)
    assert response.status_code == 302
    assert response["Location"].startswith("https://videos.example/")
    policy = anna.client.get(anna.page_path)["Content-Security-Policy"]
    assert "media-src 'self' https://videos.example" in policy


def test_a_guessed_name_is_refused(stored):
    path = stored.items[0]["media"].rpartition("/")[0]
    assert Client().get(f"{path}/AAAAAAAAAAAAAAAAAAAA").status_code == 404


def test_a_name_of_another_assignment_is_refused(stored):
    pk = stored.assignment.pk
    name = media_name(assignment=pk + 1, position=0)
    assert Client().get(f"/rate/media/{pk}/{name}").status_code == 404
    assert Client().get(f"/rate/media/{pk + 1}/{name}").status_code == 404


def test_videos_end_with_the_work(stored):
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=181)):
        assert watch(stored).status_code == 410
