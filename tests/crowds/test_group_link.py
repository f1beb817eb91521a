"""One link for a group: off at first, limited, slowed down, replaced and turned off."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
import time_machine
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.models import Annotator
from annotations.tokens import Entry, Group, entry_sign
from crowds.invite.group_links import (
    annotator_join,
    group_link_offer,
    group_link_replace,
    group_link_revoke,
    join_address,
)
from crowds.invite.invitations import annotators_invite
from crowds.models import AuditEntry, GroupLink, Invitation
from crowds.services.erasing import annotator_erase
from daplatform.errors import DomainError
from hits.models import Campaign
from tests.annotations.person import ORIGIN, Person
from tests.crowd import launch
from tests.factories import make_campaign, make_hit
from tests.pages import markup, shown


@pytest.fixture(autouse=True)
def steady_minute():
    """Whoever joins is counted by the minute: no test shall see the next one begin."""
    cache.clear()
    with time_machine.travel("2026-11-16T12:00:01Z"):
        yield


@pytest.fixture
def campaign(campaign):
    """Launched for invited people."""
    launch(campaign, crowd="invite", reward=Decimal("0"))
    return campaign


@pytest.fixture
def page(campaign):
    return f"/campaigns/{campaign.slug}/links/"


@pytest.fixture
def owner(campaign, client_of):
    return client_of(campaign.owner)


def spec(campaign, people=3):
    """The path of a group link that was turned on."""
    link = group_link_offer(campaign=campaign, people=people, by=campaign.owner)
    return path_of(link)


def path_of(link):
    address = join_address(link)
    return address[address.index("/rate/join/") :]


def join(path, name="Ben"):
    return Client(HTTP_ORIGIN=ORIGIN).post(path, {"name": name})


def messages():
    """What the trail says since the launch, oldest first."""
    rows = AuditEntry.objects.exclude(action__in=["launched", "changed the rules"]).order_by("pk")
    return [(row.who, row.action, row.detail) for row in rows]


def rows():
    return Annotator.objects.count(), Invitation.objects.count()


# On and off


def test_it_is_off_until_the_organiser_turns_it_on(campaign, page, owner):
    owner.post(page, {"names": "Anna"})
    assert "/rate/join/" not in markup(owner.get(page))
    assert owner.post(f"{page}group/", {"change": "offer", "people": "2"}).status_code == 302
    content = markup(owner.get(page))
    assert "/rate/join/" in content
    assert "0 of 2 joined" in content


def test_whoever_opens_it_gets_a_link_of_their_own(campaign, page, owner):
    path = spec(campaign)
    assert "Take part" in shown(Client().get(path))
    response = join(path, "Ben")
    assert response.status_code == 302
    assert Person(response["Location"]).work["done"] == 0
    content = markup(owner.get(page))
    assert "1 of 3 joined" in content
    assert '<span class="badge">joined</span>' in content


def test_the_page_and_the_command_say_what_it_cannot_prevent(campaign, page, owner):
    assert "one person may join several times" in markup(owner.get(page))
    out, err = io.StringIO(), io.StringIO()
    call_command("rating_links", campaign.slug, "--group", "5", stdout=out, stderr=err)
    assert "one person may join several times" in err.getvalue()


@pytest.mark.parametrize("change", ["replace", "revoke"])
def test_a_replaced_or_revoked_link_says_so_and_lets_nobody_in(campaign, page, owner, change):
    path = spec(campaign)
    before = rows()
    assert owner.post(f"{page}group/", {"change": change}).status_code == 302
    for response in (Client().get(path), join(path)):
        assert response.status_code == 410
        assert {"replace": "was replaced", "revoke": "turned off"}[change] in shown(response)
    assert rows() == before


def test_the_new_link_works_and_counts_on(campaign, page, owner):
    join(spec(campaign, people=2))
    new = path_of(group_link_replace(campaign=campaign, by=campaign.owner))
    assert "1 of 2 joined" in markup(owner.get(page))
    assert join(new, "Cleo").status_code == 302


def test_turned_on_again_the_old_link_stays_refused(campaign):
    path = spec(campaign)
    group_link_revoke(campaign=campaign, by=campaign.owner)
    assert spec(campaign) != path
    assert Client().get(path).status_code == 410


def test_who_has_joined_goes_on_after_it_was_turned_off(campaign):
    own = join(spec(campaign))["Location"]
    group_link_revoke(campaign=campaign, by=campaign.owner)
    assert Person(own).entered.status_code == 302


def test_it_waits_for_a_launch(db, client_of):
    composed = make_campaign()
    make_hit(composed)
    path = f"/campaigns/{composed.slug}/links/group/"
    response = client_of(composed.owner).post(path, {"change": "offer", "people": "5"})
    assert response.status_code == 400
    assert "Launch a batch for invited people first" in shown(response)
    assert not GroupLink.objects.exists()


def test_without_hits_it_says_what_to_do_first(db, client_of):
    empty = make_campaign()
    path = f"/campaigns/{empty.slug}/links/group/"
    response = client_of(empty.owner).post(path, {"change": "offer", "people": "5"})
    assert response.status_code == 400
    assert "Compose the HITs first" in markup(response)
    assert not GroupLink.objects.exists()


@pytest.mark.parametrize("change", ["replace", "revoke"])
def test_what_is_off_cannot_be_changed(campaign, page, owner, change):
    response = owner.post(f"{page}group/", {"change": change})
    assert response.status_code == 400
    assert "not turned on" in markup(response)


def test_a_link_without_a_row_lets_nobody_in(campaign):
    with pytest.raises(DomainError, match="turned off"):
        annotator_join(group=Group(campaign=campaign.pk, version=1), name="Ben")


@pytest.mark.parametrize("invited", [True, False])
def test_no_other_link_lets_people_join(campaign, invited):
    invitation = annotators_invite(campaign=campaign, names=["Anna"])[0].pk if invited else None
    token = entry_sign(Entry(campaign=campaign.pk, crowd="invite", invitation=invitation))
    assert Client().get(f"/rate/join/{token}/").status_code == 403


# How many


def test_no_more_people_join_than_may(campaign):
    path = spec(campaign, people=2)
    assert [join(path, name).status_code for name in ("Ben", "Cleo", "Dan")] == [302, 302, 409]
    refused = Client().get(path)
    assert refused.status_code == 409
    assert "No more people can join" in shown(refused)
    assert Invitation.objects.count() == 2


def test_people_invited_by_name_do_not_count(campaign):
    path = spec(campaign, people=1)
    annotators_invite(campaign=campaign, names=["Anna"])
    assert join(path, "Ben").status_code == 302


def test_the_limit_can_be_raised_and_the_link_stays(campaign, page, owner):
    path = spec(campaign, people=1)
    join(path, "Ben")
    owner.post(f"{page}group/", {"change": "offer", "people": "2"})
    assert join(path, "Cleo").status_code == 302


@pytest.mark.parametrize("people", ["", "0", "-1", "1001", "many", "1"])
def test_it_refuses_a_limit_that_makes_no_sense(campaign, page, owner, people):
    path = spec(campaign, people=3)
    join(path, "Ben")
    join(path, "Cleo")
    response = owner.post(f"{page}group/", {"change": "offer", "people": people})
    assert response.status_code == 400
    assert GroupLink.objects.get().people == 3


def test_it_refuses_a_change_there_is_not(campaign, page, owner):
    assert owner.post(f"{page}group/", {"change": "sell"}).status_code == 400


def test_nobody_joins_under_a_name_that_is_taken(campaign):
    path = spec(campaign)
    annotators_invite(campaign=campaign, names=["Anna"])
    before = rows()
    response = join(path, "Anna")
    assert response.status_code == 400
    assert "joined under this name" in markup(response)
    assert rows() == before


@pytest.mark.parametrize("name", ["", "x" * 101, "a\x07b"])
def test_nobody_joins_under_what_is_no_name(campaign, name):
    path = spec(campaign)
    assert join(path, name).status_code == 400
    assert not Invitation.objects.exists()


def test_nobody_joins_a_closed_study(campaign):
    path = spec(campaign)
    Campaign.objects.update(state=Campaign.State.CLOSED)
    response = join(path)
    assert response.status_code == 409
    assert "This study is closed" in shown(response)
    assert not Invitation.objects.exists()


def test_nobody_joins_for_nothing(campaign):
    """There is one HIT for one person: whoever comes later is told so before they give a name."""
    path = spec(campaign)
    Person(join(path, "Ben")["Location"])
    response = Client().get(path)
    assert response.status_code == 409
    assert "All tasks are taken" in shown(response)


# How often


def test_joining_from_one_address_is_slowed_down_and_writes_no_row(campaign, settings):
    settings.JOINS_PER_MINUTE = 2
    path = spec(campaign, people=9)
    assert [join(path, name).status_code for name in ("Ben", "Cleo")] == [302, 302]
    before, trail = rows(), AuditEntry.objects.count()
    response = join(path, "Dan")
    assert response.status_code == 429
    assert response["Retry-After"] == "60"
    assert "Wait a minute" in markup(response)
    assert (rows(), AuditEntry.objects.count()) == (before, trail)
    assert (
        Client(HTTP_ORIGIN=ORIGIN, REMOTE_ADDR="192.0.2.9").post(path, {"name": "Dan"}).status_code
        == 302
    )


def test_names_that_are_refused_count_too(campaign, settings):
    settings.JOINS_PER_MINUTE = 2
    path = spec(campaign)
    assert [join(path, "").status_code for _ in range(3)] == [400, 400, 429]


def test_looking_is_not_counted(campaign, settings):
    settings.JOINS_PER_MINUTE = 1
    path = spec(campaign)
    assert [Client().get(path).status_code for _ in range(3)] == [200] * 3


# Who did what


def test_every_act_is_in_the_trail(campaign, page, owner):
    for change in ({"change": "offer", "people": "3"}, {"change": "offer", "people": "4"}):
        owner.post(f"{page}group/", change)
    join(path_of(GroupLink.objects.get()), "Ben")
    for change in ("replace", "revoke"):
        owner.post(f"{page}group/", {"change": change})
    who, ben = campaign.owner.username, Annotator.objects.get().pseudonym
    assert messages() == [
        (who, "turned the group link on", "for 3 people"),
        (who, "limited the group link", "for 4 people"),
        ("", "joined", f"{ben} by the group link, 1 of 4 joined"),
        (who, "replaced the group link", "for 4 people"),
        (who, "turned the group link off", "for 4 people"),
    ]


def test_the_trail_holds_no_name_that_could_not_be_erased(campaign):
    join(spec(campaign), "ben@example.org")
    annotator_erase(annotator=Annotator.objects.get())
    assert not any("ben@example.org" in detail for _, _, detail in messages())


# The command


def printed(*args):
    out = io.StringIO()
    call_command("rating_links", *args, stdout=out, stderr=io.StringIO())
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_the_command_turns_it_on_limits_replaces_and_revokes(campaign, settings):
    settings.PUBLIC_URL = "https://rate.example"
    [first] = printed(campaign.slug, "--group", "2")
    assert first["person"] == "group, 0 of 2 joined"
    path = first["link"].removeprefix(settings.PUBLIC_URL)
    assert join(path).status_code == 302
    assert printed(campaign.slug, "--group", "5") == [
        {"person": "group, 1 of 5 joined", "link": first["link"]}
    ]
    [new] = printed(campaign.slug, "--replace-group")
    assert new["link"] != first["link"]
    assert Client().get(path).status_code == 410
    assert printed(campaign.slug, "--revoke-group") == []
    assert Client().get(new["link"].removeprefix(settings.PUBLIC_URL)).status_code == 410


@pytest.mark.parametrize("args", [("--group", "0"), ("--group", "1001"), ("--revoke-group",)])
def test_the_command_says_what_cannot_be_done(campaign, args):
    with pytest.raises(CommandError, match=r"people join|not turned on"):
        call_command("rating_links", campaign.slug, *args)
    assert not GroupLink.objects.exists()
