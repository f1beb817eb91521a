"""A campaign in full swing, everybody around it, and what its addresses are made of."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from analysis.models import MetricRun
from analysis.services.keys import key_create
from annotations.addresses import join_address
from annotations.selectors.offering import Choices
from annotations.services.group_links import group_link_offer
from annotations.services.launches import batch_launch
from annotations.tokens import media_name
from annotations.views.guards import TOKEN_HEADER
from hits.importing import read_campaign
from hits.models import Act, Upload
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.analysis.workbench.conftest import compute, make_export, rate
from tests.annotations.person import ORIGIN, Person, invite, link
from tests.factories import make_user
from tests.folders import make_folder


@pytest.fixture
def campaign(settings, tmp_path, organiser):
    """Rated, with a result, and with work left."""
    settings.DATA_DIR = tmp_path / "data"
    folder = make_folder(tmp_path / "campaign", videos=20, systems=6)
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    campaign.assignments = 5
    campaign.save()
    rate(campaign)
    compute(campaign)
    for name in ("clip.mp4", "clip.webp"):
        default_storage.save(name, ContentFile(b"picture and sound"))
    campaign.videos.update(file="clip.mp4", poster="clip.webp", url="")
    return campaign


@pytest.fixture
def anna(campaign):
    return Person(link(invite(campaign)), consent="yes")


@pytest.fixture
def clients(campaign, anna, organiser, stranger, client_of):
    """A browser for each kind of person."""
    colleague, fellow = make_user("analysts"), make_user("organisers")
    campaign.colleagues.add(colleague, fellow)
    people = {
        "anonymous": Client(),
        "annotator": Client(headers={TOKEN_HEADER: anna.token}),
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
def things(campaign, anna, organiser):
    """What stands in addresses: rows of the organiser's, tokens of Anna's."""
    key_create(owner=organiser, name="for a script")
    group_link = group_link_offer(campaign=campaign, people=20, by=organiser)
    batch, unlaunched = campaign.batches.get(), batch_compose(campaign=campaign)
    launch = batch_launch(
        batch=batch, choices=Choices(crowd="invite", reward=Decimal(0)), by=organiser
    )
    act = Act.objects.create(campaign=campaign, crowd="invite", kind="publish", subject="one")
    run = MetricRun.objects.create(campaign=campaign, metrics=["bleu4"], choices={}, last_caption=1)
    return {
        "slug": campaign.slug,
        "hit": batch.hits.first().pk,
        "batch_number": unlaunched.number,
        "video": campaign.videos.first().pk,
        "caption": campaign.videos.first().captions.first().pk,
        "frame_time": 100,
        "pseudonym": campaign.ratings.first().annotator.pseudonym,
        "upload": Upload.objects.create(owner=organiser, filename="a.zip", state="checked").pk,
        "key": organiser.api_keys.get().pk,
        "result": campaign.results.get().pk,
        "result_name": "systems.csv",
        "list_name": "captions",
        "person_list": "pairs",
        "table_format": "csv",
        "export": make_export(campaign, organiser).pk,
        "run": run.pk,
        "scores_name": "scores.csv",
        "launch": launch.pk,
        "act": act.pk,
        "order": campaign.orders.create(kind="approve", once="1", given_by=organiser).pk,
        "assignment": anna.assignment.pk,
        "media_name": media_name(assignment=anna.assignment.pk, position=0),
        "entry_token": link(invite(campaign, "Ben")).split("/")[-2],
        "join_token": join_address(group_link).split("/")[-2],
        "turn_token": anna.token,
    }
