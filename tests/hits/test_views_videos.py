from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from hits.models import Caption, Video
from tests.factories import make_campaign
from tests.pages import markup, shown


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser, videos=3, systems=1)


@pytest.fixture
def stored(campaign):
    """A video of which we hold the file and a poster."""
    video = Video(campaign=campaign, name="stored", sha256="ab" * 32)
    video.file.save("stored.mp4", ContentFile(b"0123456789"), save=False)
    video.poster.save("stored.jpg", ContentFile(b"jpeg"), save=False)
    video.save()
    return video


def of_video(name, video):
    return reverse(f"hits:video-{name}", args=[video.campaign.slug, video.pk])


def test_a_video_shows_what_every_system_says_of_it(client_of, organiser, campaign):
    video = campaign.videos.get(name="clip01")
    page = client_of(organiser).get(of_video("detail", video))
    systems = [caption.system.name for caption in page.context["captions"]]
    assert systems == ["system-0", "human-b", "human-a"]
    for caption in video.captions.all():
        assert caption.text in shown(page)


def test_a_corrected_caption_is_shown_once(client_of, organiser, campaign):
    video = campaign.videos.get(name="clip01")
    wrong = video.captions.get(system__name="system-0")
    Caption.objects.filter(pk=wrong.pk).update(retired_at="2026-01-01T00:00Z")
    Caption.objects.create(video=video, system=wrong.system, text="Corrected.")
    page = markup(client_of(organiser).get(of_video("detail", video)))
    assert "Corrected." in page
    assert wrong.text not in page


def test_one_walks_through_the_videos_by_name(client_of, organiser, campaign):
    client = client_of(organiser)
    first, second, third = campaign.videos.order_by("name")
    middle = client.get(of_video("detail", second)).context
    assert (middle["before"], middle["after"]) == (first, third)
    assert client.get(of_video("detail", first)).context["before"] is None
    assert client.get(of_video("detail", third)).context["after"] is None


def test_a_page_may_play_its_own_video_from_elsewhere(client_of, organiser, campaign, stored):
    client = client_of(organiser)
    elsewhere = client.get(of_video("detail", campaign.videos.get(name="clip01")))
    assert "media-src 'self' https://videos.example" in elsewhere["Content-Security-Policy"]
    here = client.get(of_video("detail", stored))
    assert "videos.example" not in here["Content-Security-Policy"]


def test_a_stored_video_is_sent_in_parts(client_of, organiser, stored):
    response = client_of(organiser).get(of_video("file", stored), HTTP_RANGE="bytes=2-4")
    assert response.status_code == 206
    assert response.getvalue() == b"234"
    assert response["ETag"] == f'"{stored.sha256}"'


def test_a_poster_is_sent(client_of, organiser, stored):
    response = client_of(organiser).get(of_video("poster", stored))
    assert response["Content-Type"] == "image/jpeg"
    assert response.getvalue() == b"jpeg"


@pytest.mark.parametrize("name", ["file", "poster"])
def test_a_video_kept_elsewhere_has_no_file_here(client_of, organiser, campaign, name):
    video = campaign.videos.get(name="clip01")
    assert client_of(organiser).get(of_video(name, video)).status_code == 404


def test_a_video_is_found_only_in_its_own_campaign(client_of, organiser, campaign):
    other = make_campaign(owner=organiser)
    address = reverse("hits:video-detail", args=[other.slug, campaign.videos.first().pk])
    assert client_of(organiser).get(address).status_code == 404


def test_a_number_no_database_can_hold_is_not_found(client_of, organiser, campaign):
    address = reverse("hits:video-detail", args=[campaign.slug, 10**30])
    assert client_of(organiser).get(address).status_code == 404


def test_videos_are_found_by_part_of_their_name(client_of, organiser, campaign):
    address = reverse("hits:video-list", args=[campaign.slug])
    page = client_of(organiser).get(address, {"q": "P02"})
    assert [video.name for video in page.context["page"]] == ["clip02"]
    assert client_of(organiser).get(address, {"q": "clip"}).context["page"].paginator.count == 3
    nothing = markup(client_of(organiser).get(address, {"q": "&page=<b>"}))
    assert "No matching videos" in nothing


def test_a_long_list_comes_in_pages_that_keep_the_search(
    client_of, organiser, campaign, django_assert_num_queries
):
    Video.objects.bulk_create(
        Video(campaign=campaign, name=f"a&b {i:03}", url="https://videos.example/v")
        for i in range(100)
    )
    client = client_of(organiser)
    address = reverse("hits:video-list", args=[campaign.slug])
    client.get(address)
    with django_assert_num_queries(8):
        page = client.get(address, {"q": "a&b", "page": "2"})
    assert page.context["page"].number == 2
    assert "?q=a%26b&amp;page=3" in markup(page)
