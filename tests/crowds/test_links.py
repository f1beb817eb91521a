"""The organiser's page of personal links, and the command that prints them."""

from __future__ import annotations

import csv
import html
import io
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
from tests.factories import make_annotator, make_campaign
from tests.pages import markup, shown


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
    client.post(path, {"names": "Anna\n=HYPERLINK(1)"})
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}links.csv").text)))
    assert [row["name"] for row in rows] == ["Anna", "'=HYPERLINK(1)"]
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
    assert "Whoever opens a link now reads" not in shown(client.get(path))
    Assignment.objects.update(
        state="active",
        annotator=make_annotator(),
        claimed_at=timezone.now(),
        expires_at=timezone.now(),
    )
    assert "All tasks are taken at the moment" in shown(client.get(path))


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


def test_the_command_says_when_there_is_no_such_campaign(db):
    with pytest.raises(CommandError, match="no campaign"):
        call_command("rating_links", "nothing", "--count", "1")
