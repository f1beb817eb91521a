"""Every page a member opens asks the database as often of forty annotators as of ten."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from analysis.services.descriptions import description_request
from analysis.services.keys import key_create
from crowds.models import AuditEntry, LedgerEntry, OutboxMessage, Publication, Submission
from hits.models import Upload
from hits.services.composing import batch_compose
from tests.access.matrix import CHANGE, IMPORT, LOOK, MEMBER, ROWS, UPLOAD
from tests.analysis.pages.conftest import compute, quality
from tests.annotations.person import invite
from tests.factories import make_annotator, make_campaign, make_ratings

OPENED = (LOOK, CHANGE, MEMBER, IMPORT, UPLOAD)
MOST = 18
# Pages that put together what many tables know, and those that try what they ask about.
MORE = {
    "analysis:overview": 27,
    "analysis:metrics": 23,
    "hits:campaign-detail": 34,
    "analysis:annotator-detail": 21,
    "crowds:crowd": 27,
} | {
    f"crowds:launch-{turn}": 40
    for turn in ("close", "extend", "pause", "publish-again", "resume", "top-up")
}
# What is sent to these is a form; opened, they lead back to the page it is on.
LEADING_BACK = {"hits:batch-compose", "analysis:annotators-order"}


@pytest.fixture
def pages(things) -> dict[str, str]:
    """Every address that a member opens, by name."""
    return {
        name: reverse(name, args=[things[arg] for arg in row.args]) + row.query
        for name, row in ROWS.items()
        if row.methods.get("GET") in OPENED and name not in LEADING_BACK
    }


def counts(client, pages) -> dict[str, int]:
    """How many queries each page takes; downloads and pictures are no pages."""
    found = {}
    for name, address in pages.items():
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address)
            taken = len(captured)
        assert response.status_code == 200, name
        if "text/html" in response["Content-Type"]:
            found[name] = taken
    return found


def people_work(campaign, launch, number: int) -> None:
    """So many more annotators do a HIT each, some with a word about it, reported by the crowd."""
    hit = launch.batch.hits.first()
    items = list(hit.items.select_related("caption__system").order_by("position"))
    for _ in range(number):
        person = make_annotator()
        turn = make_ratings(hit, person, [quality(item) for item in items])
        turn.comment = "Some clips were dark."
        turn.save()
        publication = Publication.objects.create(
            launch=launch,
            reference=f"turn-{turn.pk}",
            unit_reward=0,
            fee=0,
            priced_people=1,
        )
        Submission.objects.create(
            crowd="invite",
            external_id=str(turn.pk),
            publication=publication,
            annotator=person,
            assignment=turn,
            status=Submission.Status.SUBMITTED,
            submitted_at=timezone.now(),
        )


def grow(campaign, number: int) -> None:
    """So many more of everything that pages list."""
    owner = campaign.owner
    launch = campaign.batches.get(number=1).launch
    people_work(campaign, launch, number)
    for each, publication in enumerate(launch.publications.order_by("-pk")[:number]):
        key, name = f"{campaign.trail.count()}-{each}", f"more-{campaign.messages.count()}"
        OutboxMessage.objects.create(
            campaign=campaign,
            publication=publication,
            crowd="invite",
            kind="publish",
            occasion=name,
        )
        LedgerEntry.objects.create(
            campaign=campaign,
            publication=publication,
            kind="paid",
            amount=Decimal(1),
            submission=publication.submissions.get(),
            reason="work",
        )
        AuditEntry.objects.create(campaign=campaign, person=owner, action=f"did {name}")
        campaign.review_actions.create(kind="approve", once=f"order-{key}", given_by=owner)
        invite(campaign, f"Person {key}")
        key_create(owner=owner, name=name)
        Upload.objects.create(owner=owner, filename=f"{key}.zip", status="done")
        campaign.exports.create(
            requested_by=owner, name="captions", format="csv", choices={}, rows=1, choices_key=key
        )
        make_campaign(owner=owner)
    batch_compose(campaign=campaign)
    compute(campaign)
    description_request(campaign=campaign)  # a row for what has come in, once


def test_no_page_asks_more_of_a_larger_campaign(clients, campaign, pages):
    client = clients["organiser"]
    grow(campaign, 5)
    counts(client, pages)  # what is asked once only, of every process, is asked now
    few = counts(client, pages)
    grow(campaign, 25)
    many = counts(client, pages)
    assert many == few
    assert len(few) > 25
    assert {name: taken for name, taken in few.items() if taken > MORE.get(name, MOST)} == {}
