from __future__ import annotations

import pytest
from django.urls import reverse

from daplatform.jobs.services import job_run
from hits.models import Caption, Upload
from hits.views import batches
from tests.factories import make_campaign, make_hit, make_user
from tests.pages import markup, shown

LIST = reverse("hits:campaign-list")
HOSTILE = "<script>alert(1)</script>\u202e" + "x" * 150


def share(campaign):
    return reverse("hits:campaign-share", args=[campaign.slug])


def leave(campaign):
    return reverse("hits:campaign-leave", args=[campaign.slug])


def test_a_colleague_sees_who_shares_it_and_may_only_leave(client_of, stranger):
    campaign, colleague = make_campaign(), stranger
    campaign.colleagues.add(colleague)
    client = client_of(colleague)
    page = markup(client.get(campaign.get_absolute_url()))
    assert share(campaign) not in page
    assert leave(campaign) in page
    assert client.post(share(campaign), {"usernames": ""}).status_code == 403
    assert list(campaign.colleagues.all()) == [colleague]
    assert client.post(leave(campaign)).status_code == 302
    assert client.get(campaign.get_absolute_url()).status_code == 404


def test_the_owner_shares_and_cannot_leave(client_of, organiser):
    campaign = make_campaign(owner=organiser)
    client = client_of(organiser)
    page = markup(client.get(campaign.get_absolute_url()))
    assert share(campaign) in page
    assert leave(campaign) not in page
    assert client.post(leave(campaign)).status_code == 400


def test_the_list_shows_own_and_shared_campaigns_only(client_of, organiser):
    mine = make_campaign(owner=organiser, name="Of mine")
    shared = make_campaign(name="Of a colleague")
    shared.colleagues.add(organiser)
    make_campaign(name="Of a stranger")
    page = client_of(organiser).get(LIST)
    assert set(page.context["page"]) == {mine, shared}
    assert "Of a stranger" not in shown(page)


def test_the_list_counts_videos_ranked_systems_and_hits(client_of, organiser):
    campaign = make_campaign(owner=organiser, videos=5, systems=3)
    make_hit(campaign)
    make_hit(campaign)
    (row,) = client_of(organiser).get(LIST).context["page"]
    assert (row.video_count, row.system_count, row.hit_count) == (5, 4, 2)


def test_the_list_takes_as_many_queries_for_many_campaigns_as_for_one(
    client_of, organiser, django_assert_num_queries
):
    client = client_of(organiser)
    make_campaign(owner=organiser)
    client.get(LIST)
    # Session, user, the page's count and rows, unfinished uploads, how far the campaigns are and
    # which are rated, the person's permissions.
    with django_assert_num_queries(9):
        client.get(LIST)
    for _ in range(3):
        make_hit(make_campaign(owner=organiser))
    with django_assert_num_queries(9):
        client.get(LIST)


def test_a_newcomer_is_told_to_import(client_of, organiser):
    page = markup(client_of(organiser).get(LIST))
    assert "No campaign yet" in page
    assert reverse("hits:upload-create") in page


def test_an_analyst_without_campaigns_is_told_whom_to_ask(client_of, analyst):
    page = markup(client_of(analyst).get(LIST))
    assert "share it with" in page
    assert reverse("hits:upload-create") not in page


def test_the_list_leads_back_to_an_import_under_way(client_of, organiser):
    upload = Upload.objects.create(owner=organiser, filename="spring.zip")
    page = markup(client_of(organiser).get(LIST))
    assert reverse("hits:upload-detail", args=[upload.pk]) in page


def test_a_campaign_shows_its_systems_with_roles_and_counts(client_of, organiser):
    campaign = make_campaign(owner=organiser, videos=4, systems=1)
    Caption.objects.filter(system__name="system-0").latest("pk").delete()
    page = client_of(organiser).get(campaign.get_absolute_url())
    rows = [(row.name, row.role, row.captions) for row in page.context["systems"]]
    assert rows == [
        ("system-0", "candidate", 3),
        ("human-b", "human", 4),
        ("human-a", "reference", 4),
    ]
    assert "incomplete" in shown(page)


def test_retired_captions_are_not_counted(client_of, organiser):
    campaign = make_campaign(owner=organiser, videos=2, systems=1)
    Caption.objects.filter(system__name="system-0").update(retired_at="2026-01-01T00:00Z")
    page = client_of(organiser).get(campaign.get_absolute_url())
    assert page.context["systems"][0].captions == 0
    assert page.context["plan"].captions == 2


def test_a_campaign_takes_as_many_queries_however_large(
    client_of, organiser, django_assert_num_queries
):
    client = client_of(organiser)
    small = make_campaign(owner=organiser, videos=1, systems=1)
    large = make_campaign(owner=organiser, videos=15, systems=8)
    make_hit(small)
    make_hit(large)
    make_hit(large)
    client.get(small.get_absolute_url())
    # One of them is about conversions of videos, one about the pay at the expected pace.
    for campaign in (small, large):
        with django_assert_num_queries(29):
            client.get(campaign.get_absolute_url())


def test_names_and_captions_do_no_harm(client_of, organiser):
    campaign = make_campaign(owner=organiser, name=HOSTILE)
    campaign.systems.filter(name="system-0").update(name=HOSTILE[:100])
    campaign.videos.filter(name="clip00").update(name=HOSTILE)
    client = client_of(organiser)
    for page in (
        LIST,
        campaign.get_absolute_url(),
        reverse("hits:video-list", args=[campaign.slug]),
    ):
        content = markup(client.get(page))
        assert "<script>alert" not in content
        assert "&lt;script&gt;alert" in content


def test_it_composes_hits(client_of, organiser):
    campaign = make_campaign(owner=organiser, videos=12, systems=2, hit_size=10, pairs=1, repeats=1)
    response = client_of(organiser).post(reverse("hits:batch-compose", args=[campaign.slug]))
    assert response.url == campaign.get_absolute_url()
    batch = campaign.batches.get()
    assert batch.hits.count() == client_of(organiser).get(response.url).context["plan"].hits


def test_a_large_campaign_is_composed_by_a_worker_while_the_page_waits(
    client_of, organiser, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(batches, "COMPOSED_AT_ONCE", 35)  # 12 videos by 3 systems are 36 captions
    campaign = make_campaign(owner=organiser, videos=12, systems=2, hit_size=10, pairs=1, repeats=1)
    client = client_of(organiser)
    with django_capture_on_commit_callbacks() as queued:
        client.post(reverse("hits:batch-compose", args=[campaign.slug]))
    assert len(queued) == 1
    page = markup(client.get(campaign.get_absolute_url(), HTTP_HX_REQUEST="true"))
    assert "hx-trigger" in page
    assert "Being composed" in page
    job_run(campaign.batches.get())
    page = markup(client.get(campaign.get_absolute_url(), HTTP_HX_REQUEST="true"))
    assert "hx-trigger" not in page
    assert "<html" not in page
    assert "Compose another batch" in page


def test_the_address_of_composing_opened_leads_to_the_campaign(client_of, organiser):
    campaign = make_campaign(owner=organiser)
    response = client_of(organiser).get(reverse("hits:batch-compose", args=[campaign.slug]))
    assert response.url == campaign.get_absolute_url()
    assert not campaign.batches.exists()


def test_it_says_why_hits_cannot_be_composed(client_of, organiser):
    campaign = make_campaign(owner=organiser, state="closed")
    response = client_of(organiser).post(reverse("hits:batch-compose", args=[campaign.slug]))
    assert response.status_code == 400
    assert "closed" in response.context["error"]
    assert response.context["error"] in shown(response)
    assert not campaign.batches.exists()


def test_sharing_takes_names_separated_by_commas_or_spaces(client_of, organiser):
    campaign = make_campaign(owner=organiser)
    first, second = make_user("analysts"), make_user("organisers")
    names = {"usernames": f" {first.username},{second.username} "}
    client_of(organiser).post(share(campaign), names)
    assert set(campaign.colleagues.all()) == {first, second}


def test_sharing_with_nobody_takes_it_back(client_of, organiser, analyst):
    campaign = make_campaign(owner=organiser)
    campaign.colleagues.add(analyst)
    client_of(organiser).post(share(campaign), {"usernames": ""})
    assert not campaign.colleagues.exists()


def test_sharing_refuses_what_cannot_be_a_name(client_of, organiser):
    campaign = make_campaign(owner=organiser)
    response = client_of(organiser).post(share(campaign), {"usernames": "a\0b"})
    assert response.status_code == 400
    assert response.context["share_form"].errors["usernames"]


def test_sharing_with_someone_unknown_says_so_and_keeps_what_was_typed(client_of, organiser):
    campaign = make_campaign(owner=organiser)
    response = client_of(organiser).post(share(campaign), {"usernames": "nemo"})
    assert response.status_code == 400
    content = markup(response)
    assert "There is no account called nemo." in content
    assert 'value="nemo"' in content


@pytest.mark.parametrize(("state", "word"), [("draft", "Draft"), ("live", "Live")])
def test_the_page_says_what_state_the_campaign_is_in(client_of, organiser, state, word):
    campaign = make_campaign(owner=organiser, state=state)
    assert word in shown(client_of(organiser).get(campaign.get_absolute_url()))
