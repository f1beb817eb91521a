"""A campaign of any kind, everybody around it, and what its addresses are made of."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

import pytest
from django.test import Client

from analysis.models import LearnedMetric, MetricRun
from analysis.services.keys import key_create
from annotations.tokens import media_name
from annotations.views.guards import TOKEN_HEADER
from crowds.invite.group_links import group_link_offer, join_address
from crowds.models import OutboxMessage
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch
from hits.models import Upload
from hits.services.composing import batch_compose
from tests.access.kinds import KINDS, Kind
from tests.analysis.pages.conftest import make_export
from tests.annotations.person import ORIGIN, Person, invite, link
from tests.factories import make_user


@pytest.fixture
def kind(request) -> Kind:
    """At what stage of its life the campaign is."""
    return KINDS[getattr(request, "param", "usual")]


@pytest.fixture
def campaign(settings, tmp_path, organiser, kind):
    settings.DATA_DIR = tmp_path / "data"
    return kind.begin(organiser, tmp_path)


@pytest.fixture
def anna(campaign):
    """Somebody at work, where there is any."""
    if not campaign.batches.exists():
        return None
    about = {"form-town": "Examplebury", "form-english": "none"}  # where a campaign asks
    return Person(link(invite(campaign)), consent="yes", **about)


@pytest.fixture
def clients(campaign, anna, organiser, stranger, client_of):
    """A browser for each kind of person."""
    colleague, fellow = make_user("analysts"), make_user("organisers")
    campaign.colleagues.add(colleague, fellow)
    people = {
        "anonymous": Client(),
        "annotator": Client(headers={TOKEN_HEADER: anna.token if anna else ""}),
        "stranger": client_of(stranger),
        "analyst": client_of(make_user("analysts")),
        "colleague": client_of(colleague),
        "organiser": client_of(organiser),
        "admin": client_of(make_user(is_staff=True, is_superuser=True)),
        "fellow": client_of(fellow),
    }
    for client in people.values():
        client.defaults["HTTP_ORIGIN"] = ORIGIN
    return people


@pytest.fixture
def things(campaign, anna, organiser, kind):
    """What stands in addresses: rows and tokens; 0 for what is not there."""
    key_create(owner=organiser, name="for a script")
    found = {
        "slug": campaign.slug,
        "upload": Upload.objects.create(owner=organiser, filename="a.zip", status="done").pk,
        "key": organiser.api_keys.get().pk,
        "frame_time": 100,
        "crowd": "prolific",
        "result_name": "systems.csv",
        "scores_name": "scores.csv",
        "list_name": "videos",
        "person_list": "pairs",
        "table_format": "csv",
        **rows_of(campaign, organiser),
        **(work_of(campaign, organiser, anna) if anna else {}),
        **(results_of(campaign, organiser) if campaign.results.exists() else {}),
    }
    kind.end(campaign)
    if not campaign.invitations.exists():
        found |= {"entry_token": 0, "invitation": 0}
    return defaultdict(int, found)


def rows_of(campaign, organiser):
    """Of what every campaign may have, however young."""
    video = campaign.videos.first()
    message = OutboxMessage.objects.create(campaign=campaign, crowd="invite", kind="publish")
    run = MetricRun.objects.create(campaign=campaign, metrics=["bleu4"], choices={}, last_caption=1)
    learned = LearnedMetric.objects.create(
        campaign=campaign, name="head-of-access", kind="head", last_rating=1
    )
    return {
        "learned": learned.pk,
        "learned_name": learned.name,
        "video": video.pk if video else 0,
        "caption": video.captions.first().pk if video else 0,
        "message": message.pk,
        "run": run.pk,
        "order": campaign.review_actions.create(kind="approve", once="1", given_by=organiser).pk,
    }


def work_of(campaign, organiser, anna):
    batch, unlaunched = campaign.batches.get(), batch_compose(campaign=campaign)
    launch = batch_launch(
        batch=batch, choices=Choices(crowd="invite", reward=Decimal(0)), by=organiser
    )
    group_link = group_link_offer(campaign=campaign, people=20, by=organiser)
    return {
        "group_link": group_link.pk,
        "join_token": join_address(group_link).split("/")[-2],
        "hit": batch.hits.first().pk,
        "batch_number": unlaunched.number,
        "launch": launch.pk,
        "assignment": anna.assignment.pk,
        "media_name": media_name(assignment=anna.assignment.pk, position=0),
        "entry_token": link(ben := invite(campaign, "Ben")).split("/")[-2],
        "invitation": ben.pk,
        "turn_token": anna.token,
    }


def results_of(campaign, organiser):
    return {
        "pseudonym": campaign.ratings.first().annotator.pseudonym,
        "result": campaign.results.get().pk,
        "export": make_export(campaign, organiser).pk,
        "list_name": "captions",
    }
