"""Prolific's notifications as they arrive at the site."""

from __future__ import annotations

import io

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from crowds import tasks
from crowds.models import ExternalId, Launch, Notice, Publication
from crowds.prolific.webhooks import EVENT_ID, SIGNATURE, WINDOW
from rehearsal.prolific.market import Event
from tests.factories import make_campaign, make_hit
from tests.pages import body

pytestmark = pytest.mark.django_db
PATH = "/crowds/prolific/webhook"


@pytest.fixture
def launch(db) -> Launch:
    batch = make_hit(make_campaign(hit_size=6, pairs=1, repeats=1)).batch
    owner: User = batch.campaign.owner
    launch = Launch.objects.create(
        batch=batch,
        crowd="prolific",
        title="Rate captions",
        description="Watch and rate.",
        reward="5.00",
        currency="USD",
        people=1,
        minutes_expected=30,
        launched_by=owner,
    )
    publication = Publication.objects.create(
        launch=launch, reference="da-1-1", unit_reward="5.00", fee="2.00", priced_people=1
    )
    ExternalId.objects.create(
        crowd="prolific", kind="publication", external_id="study1", publication=publication
    )
    return launch


@pytest.fixture
def synced(monkeypatch) -> list[int]:
    synced: list[int] = []
    monkeypatch.setattr(tasks.launch_sync_task, "delay_on_commit", synced.append)
    return synced


@pytest.fixture
def post(settings, stand_in, clock):
    """Post what the stand-in signs, at the moment the market's clock shows."""
    settings.PROLIFIC_WEBHOOK_SECRETS = [stand_in.hooks.new_secret()]

    def post(event="e1", study="study1", **headers):
        told = Event(event, "submission.status.change", "s1", "AWAITING REVIEW", study)
        delivery = stand_in.hooks.sign(told)
        with time_machine.travel(clock.now, tick=False):
            return Client(enforce_csrf_checks=True).post(
                PATH,
                delivery.body,
                content_type="application/json",
                headers={**delivery.headers, **headers},
            )

    return post


def test_a_notification_makes_us_look(post, launch, synced):
    assert post().status_code == 204
    assert synced == [launch.pk]


def test_a_second_delivery_is_thanked_for_and_ignored(post, launch, synced, clock):
    post()
    clock.now += WINDOW
    assert post().status_code == 204
    assert synced == [launch.pk]


def test_a_replay_under_another_id_is_ignored(post, launch, synced):
    post()
    assert post(**{EVENT_ID: "e2"}).status_code == 204
    assert synced == [launch.pk]


def test_a_forged_notification_is_refused(post, launch, synced):
    answer = post(**{SIGNATURE: "AAAA"})
    assert answer.status_code == 403
    assert body(answer) == b"The notification is not signed by Prolific."
    assert not synced
    assert not Notice.objects.exists()


def test_a_late_notification_is_refused(post, launch, synced, stand_in, clock):
    told = stand_in.hooks.sign(Event("e1", "study.status.change", "study1", "PAUSED", "study1"))
    clock.now += WINDOW * 2
    with time_machine.travel(clock.now, tick=False):
        answer = Client().post(
            PATH, told.body, content_type="application/json", headers=told.headers
        )
    assert (answer.status_code, synced) == (403, [])


def test_a_notification_about_somebody_else_s_study_is_thanked_for(post, launch, synced):
    assert post(study="study2").status_code == 204
    assert not synced


def test_without_a_secret_nothing_is_believed(post, settings, synced, launch):
    settings.PROLIFIC_WEBHOOK_SECRETS = []
    assert post().status_code == 403


def test_it_is_only_posted_to():
    assert Client().get(PATH).status_code == 405


@pytest.fixture
def subscribe(settings, stand_in):
    settings.PROLIFIC_URL, settings.PROLIFIC_TOKEN = stand_in.address, stand_in.market.token
    settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_WEBHOOK_SECRETS = "workspace", []

    def subscribe(*options):
        out = io.StringIO()
        call_command("prolific_webhook", *options, stdout=out)
        return out.getvalue()

    return subscribe


def test_the_command_subscribes_and_tells_the_secret(subscribe, settings, stand_in):
    said = subscribe()
    assert f"PROLIFIC_WEBHOOK_SECRETS={stand_in.hooks.secret} " in said
    assert {one.target for one in stand_in.hooks.subscriptions} == {settings.PUBLIC_URL + PATH}

    settings.PROLIFIC_WEBHOOK_SECRETS = [stand_in.hooks.secret]
    assert "nothing new" in subscribe()
    assert len(stand_in.hooks.subscriptions) == 2


def test_the_command_changes_the_secret_when_asked(subscribe, settings, stand_in):
    subscribe()
    first = stand_in.hooks.secret
    settings.PROLIFIC_WEBHOOK_SECRETS = [first]
    subscribe("--new-secret")
    assert stand_in.hooks.secret != first


def test_the_command_refuses_an_address_that_is_not_https(subscribe, settings):
    settings.PUBLIC_URL = "http://da.example"
    with pytest.raises(CommandError, match="https addresses only"):
        subscribe()


def test_the_command_says_what_prolific_says(subscribe, settings):
    settings.PROLIFIC_TOKEN = "wrong"
    with pytest.raises(CommandError, match="does not accept the API token"):
        subscribe()


def test_notifications_reach_the_site_over_http(subscribe, live_server, settings, stand_in, market):
    settings.PUBLIC_URL = live_server.url
    subscribe()
    settings.PROLIFIC_WEBHOOK_SECRETS = [stand_in.hooks.secret]
    market.clock = timezone.now
    market.events.append(Event("e1", "study.status.change", "study1", "PAUSED", "study1"))
    assert stand_in.hooks.deliver(times=2) == [204, 204]
