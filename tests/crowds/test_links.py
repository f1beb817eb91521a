"""The organiser's page of personal links, and the command that prints them."""

from __future__ import annotations

import csv
import html
import io
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
import segno
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotations.models import Assignment
from crowds.invite.group_links import group_link_offer
from crowds.models import Invitation
from tests.annotations.person import Person, link
from tests.crowd import launch
from tests.factories import make_annotator, make_campaign, make_hit
from tests.pages import markup, shown


@pytest.fixture
def campaign(campaign):
    """Launched for invited people."""
    launch(campaign, crowd="invite", reward=Decimal("0"))
    return campaign


@pytest.fixture
def path(campaign):
    return f"/campaigns/{campaign.slug}/links/"


def test_the_organiser_gets_a_link_for_everybody_named(campaign, path, client_of):
    client = client_of(campaign.owner)
    response = client.post(path, {"names": "Anna\n\n  ben@example.org \nAnna\n"})
    assert response.status_code == 302
    assert [row.name for row in Invitation.objects.all()] == ["Anna", "ben@example.org"]
    content = markup(client.get(path))
    assert content.count("/rate/enter/") == 2
    assert "ben@example.org" in content


def test_the_page_shows_how_far_everybody_is(campaign, path, client_of):
    client = client_of(campaign.owner)
    client.post(path, {"names": "Anna\nBen"})
    anna = Person(link(Invitation.objects.first()))
    assert "rating" in shown(client.get(path))
    anna.save_all()
    anna.submit()
    rows = client.get(path).context["rows"]
    assert [(row.name, row.finished, row.active) for row, _ in rows] == [
        ("Anna", 1, 0),
        ("Ben", 0, 0),
    ]


def test_the_links_are_a_file_for_mail_merge(campaign, path, client_of):
    client = client_of(campaign.owner)
    client.post(path, {"names": "Anna\n=HYPERLINK(1)\nben@example.org"})
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}links.csv").text)))
    assert [row["name"] for row in rows] == ["Anna", "'=HYPERLINK(1)", "ben@example.org"]
    assert [row["email"] for row in rows] == ["", "", "ben@example.org"]
    assert {(row["minutes"], row["pay"]) for row in rows} == {("15", "none")}
    assert Client().get(urlsplit(rows[0]["link"]).path).status_code == 200


def test_a_link_is_a_code_that_a_phone_reads(campaign, path, client_of):
    client = client_of(campaign.owner)
    client.post(path, {"names": "Anna"})
    anna = Invitation.objects.get()
    page = client.get(f"{path}{anna.pk}/code/")
    address = page.context["address"]
    assert Client().get(urlsplit(address).path).status_code == 200
    code = segno.make(address, micro=False).svg_data_uri(scale=8, border=4)
    assert code in html.unescape(page.text)
    assert client.get(f"{path}group/code/").status_code == 404
    group_link_offer(campaign=campaign, people=3, by=campaign.owner)
    assert client.get(f"{path}group/code/").status_code == 200


def test_the_page_takes_the_same_few_queries_for_many_people(
    campaign, path, client_of, django_assert_max_num_queries
):
    client = client_of(campaign.owner)
    client.post(path, {"names": "\n".join(f"Person {number}" for number in range(40))})
    with django_assert_max_num_queries(12):
        client.get(path)


def unlaunched():
    campaign = make_campaign()
    make_hit(campaign)
    return campaign


def test_links_wait_for_a_launch_and_the_page_leads_to_it(db, client_of):
    campaign = unlaunched()
    client, path = client_of(campaign.owner), f"/campaigns/{campaign.slug}/links/"
    response = client.get(path)
    assert "Launch batch 1 for invited people" in shown(response)
    assert "People to invite" not in shown(response)
    refused = client.post(path, {"names": "Anna"})
    assert refused.status_code == 400
    assert "Launch a batch for invited people first" in shown(refused)
    campaign.refresh_from_db()
    assert (campaign.state, Invitation.objects.count()) == ("draft", 0)


def test_inviting_people_is_a_launch_like_any_other(db, client_of):
    campaign = unlaunched()
    client, path = client_of(campaign.owner), f"/campaigns/{campaign.slug}/links/"
    launch_path = f"/campaigns/{campaign.slug}/crowd/launch/1/"
    page = client.get(launch_path, {"crowd": "invite"})
    assert 'value="invite" selected' in markup(page)
    sent = {"crowd": "invite", "reward": "0", "budget": "0", "lifetime_days": "7"}
    sent |= {"title": "Rate", "description": "Rate captions", "seen": "0.00 USD"}
    response = client.post(launch_path, sent)
    assert response["Location"] == path
    client.post(path, {"names": "Anna\nBen"})
    trail = list(campaign.trail.order_by("pk").values_list("action", "detail"))
    assert trail == [
        ("launched", "batch 1, Invited people for 0.00 USD"),
        ("invited", "2 people by personal links"),
    ]
    assert "See the cost" not in shown(client.get(f"/campaigns/{campaign.slug}/crowd/"))
    assert client.get(launch_path).status_code == 302


def test_what_people_rate_is_not_offered_for_launch(db, client_of):
    campaign = unlaunched()
    call_command("simulate_crowd", campaign.slug, annotators=1, seed=1, stdout=io.StringIO())
    page = client_of(campaign.owner).get(f"/campaigns/{campaign.slug}/crowd/")
    assert "Batches to launch" not in shown(page)


def test_a_campaign_without_hits_says_what_to_do_first(db, client_of):
    campaign = make_campaign()
    response = client_of(campaign.owner).post(
        f"/campaigns/{campaign.slug}/links/", {"names": "Anna"}
    )
    assert response.status_code == 400
    assert "Compose the HITs first" in shown(response)
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("names", ["", "  \n ", "x" * 151, "a\x07b"])
def test_it_refuses_what_is_nobodys_name(campaign, path, client_of, names):
    response = client_of(campaign.owner).post(path, {"names": names})
    assert response.status_code == 400
    assert not Invitation.objects.exists()


def test_the_page_says_that_simulated_annotators_took_part(campaign, path, client_of):
    client = client_of(campaign.owner)
    client.post(path, {"names": "Anna"})
    assert "Simulated annotators" not in shown(client.get(path))
    call_command("simulate_crowd", campaign.slug, annotators=1, seed=1, stdout=io.StringIO())
    assert "Simulated annotators have rated" in shown(client.get(path))


def test_the_page_says_when_all_tasks_are_taken(campaign, path, client_of):
    client = client_of(campaign.owner)
    client.post(path, {"names": "Anna"})
    assert "People who open a link now see" not in shown(client.get(path))
    Assignment.objects.update(
        state="active",
        annotator=make_annotator(),
        claimed_at=timezone.now(),
        expires_at=timezone.now(),
    )
    assert "All tasks are taken at the moment" in shown(client.get(path))
    Assignment.objects.update(state="submitted", submitted_at=timezone.now())
    assert "All tasks are done" in shown(client.get(path))


def test_a_stranger_is_refused(path, client_of, stranger):
    assert client_of(stranger).get(path).status_code == 404


def test_an_analyst_of_the_campaign_may_not_invite(campaign, path, client_of, analyst):
    campaign.colleagues.add(analyst)
    assert client_of(analyst).get(path).status_code == 403


def test_somebody_not_logged_in_is_sent_to_log_in(path):
    assert Client().get(path).status_code == 302


def test_the_command_prints_a_table_of_links(campaign, settings):
    settings.PUBLIC_URL = "https://rate.example"
    out = io.StringIO()
    call_command("rating_links", campaign.slug, "--people", "Anna", "Ben", stdout=out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["person"] for row in rows] == ["Anna", "Ben"]
    assert all(row["link"].startswith("https://rate.example/rate/enter/") for row in rows)
    assert Person(rows[0]["link"].removeprefix(settings.PUBLIC_URL)).work["done"] == 0


def test_the_command_makes_up_names_where_only_a_number_is_given(campaign):
    out = io.StringIO()
    call_command("rating_links", campaign.slug, "--count", "3", stdout=out)
    assert len(out.getvalue().splitlines()) == 4
    assert Invitation.objects.count() == 3


def test_the_command_launches_only_when_it_is_told_to(db):
    campaign = unlaunched()
    with pytest.raises(CommandError, match="Launch a batch for invited people first"):
        call_command("rating_links", campaign.slug, "--count", "1", stdout=io.StringIO())
    call_command("rating_links", campaign.slug, "--count", "1", "--launch", stdout=io.StringIO())
    assert campaign.batches.get().launch.crowd == "invite"


def test_the_command_says_when_there_is_no_such_campaign(db):
    with pytest.raises(CommandError, match="no campaign"):
        call_command("rating_links", "nothing", "--count", "1")


@pytest.mark.parametrize(
    ("is_demo", "address", "shows"),
    [
        (True, "http://192.0.2.7:8000", True),
        (True, "http://127.0.0.1:8000", False),
        (False, "https://da.example", False),
    ],
)
def test_a_demo_that_phones_can_reach_has_its_code_on_the_page(
    campaign, client_of, settings, is_demo, address, shows
):
    settings.PUBLIC_URL = address
    type(campaign).objects.filter(pk=campaign.pk).update(is_demo=is_demo)
    campaign.refresh_from_db()
    page = f"/campaigns/{campaign.slug}/links/"
    client = client_of(campaign.owner)
    client.post(page, {"names": "Anna"})
    shown_page = client.get(page)
    ((_, personal),) = shown_page.context["rows"]
    code = segno.make(personal, micro=False).svg_data_uri(scale=8, border=4)
    assert (html.escape(code) in markup(shown_page)) is shows
