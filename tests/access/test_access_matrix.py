"""Every address × every kind of person × every method, against the table in matrix.py."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from analysis.models import MetricRun
from analysis.services.keys import key_create
from annotations.addresses import join_address
from annotations.selectors.offering import Choices
from annotations.services.launches import batch_launch
from annotations.tokens import media_name
from annotations.views.guards import TOKEN_HEADER
from hits.importing import read_campaign
from hits.models import Act, Upload
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.access.matrix import FORBIDDEN, IN, LOGIN, NOTHING, PEOPLE, ROWS, STAFF
from tests.analysis.workbench.conftest import compute, rate
from tests.annotations.person import ORIGIN, Person, invite, link
from tests.factories import make_user
from tests.folders import make_folder

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# These only ever tell the same, however they are asked.
READ_BY_ANY = {"home", "login", "api:openapi-json", "api:api-root"}
WORDS = {401: LOGIN, 403: FORBIDDEN, 404: NOTHING, 405: "not this way"}


def addresses(resolver=None, space="") -> Iterator[str]:
    """The name of every address the site has."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern, inner)
        else:
            yield f"{space}{pattern.name}"


def test_every_address_has_a_row():
    assert {name for name in addresses() if not name.startswith("admin:")} == set(ROWS)


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
    return Person(link(invite(campaign)))


@pytest.fixture
def clients(campaign, anna, organiser, stranger, client_of):
    """A browser for each kind of person."""
    colleague = make_user("analysts")
    campaign.colleagues.add(colleague)
    people = {
        "anonymous": Client(),
        "annotator": Client(headers={TOKEN_HEADER: anna.token}),
        "stranger": client_of(stranger),
        "analyst": client_of(make_user("analysts")),
        "colleague": client_of(colleague),
        "organiser": client_of(organiser),
        "admin": client_of(make_user(is_staff=True, is_superuser=True)),
    }
    for client in people.values():
        client.defaults["HTTP_ORIGIN"] = ORIGIN
    return people


@pytest.fixture
def things(campaign, anna, organiser):
    """What stands in addresses: rows of the organiser's, tokens of Anna's."""
    key_create(owner=organiser, name="for a script")
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
        "pseudonym": campaign.ratings.first().annotator.pseudonym,
        "upload": Upload.objects.create(owner=organiser, filename="a.zip", state="checked").pk,
        "key": organiser.api_keys.get().pk,
        "result": campaign.results.get().pk,
        "result_name": "systems.csv",
        "ratings_format": "csv",
        "table_format": "csv",
        "run": run.pk,
        "scores_name": "scores.csv",
        "launch": launch.pk,
        "act": act.pk,
        "assignment": anna.assignment.pk,
        "media_name": media_name(assignment=anna.assignment.pk, position=0),
        "entry_token": link(invite(campaign, "Ben")).split("/")[-2],
        "join_token": join_address(campaign).split("/")[-2],
        "turn_token": anna.token,
    }


def outcome(response) -> str:
    if response.status_code == 302 and "/login/?next=" in response.url:
        return LOGIN
    return WORDS.get(response.status_code, IN if response.status_code < 500 else "a fault")


def ask(client: Client, method: str, address: str) -> str:
    """What becomes of a request, which leaves nothing behind for the next one."""
    with transaction.atomic():
        response = client.generic(method, address)
        transaction.set_rollback(True)
    return outcome(response)


@pytest.mark.parametrize("space", ["", "api:", "hits:", "annotations:", "analysis:"])
def test_everybody_gets_as_far_as_the_table_says(space, clients, things):
    expected, found = {}, {}
    for name in (name for name in ROWS if name[: name.find(":") + 1] == space):
        row = ROWS[name]
        address = reverse(name, args=[things[arg] for arg in row.args]) + row.query
        expected |= {(name, method): people for method, people in row.methods.items()}
        for method in row.methods:
            found[name, method] = {who: ask(clients[who], method, address) for who in PEOPLE}
        for method in set(METHODS) - set(row.methods):
            assert name in READ_BY_ANY or ask(clients["admin"], method, address) != IN, name
    wrong = {key: found[key] for key in found if found[key] != expected[key]}
    assert not wrong


def test_the_admin_is_for_staff(clients):
    address = reverse("admin:index")
    assert {who: outcome(clients[who].get(address)) for who in PEOPLE} == STAFF
