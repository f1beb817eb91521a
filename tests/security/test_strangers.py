"""Somebody with nothing but a HIT's preview address, and names they make up.

The marketplace is our rehearsal of Mechanical Turk, behind a port; real workers accept, rate and
hand in there. Strangers come straight to the rating pages.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import uuid
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import time_machine
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from analysis.models import Result
from analysis.results.settings import Settings
from analysis.selectors.progress import campaign_arrivals, campaign_progress
from analysis.selectors.results import result_folder
from analysis.services.requests import result_request
from annotations.models import Annotator, AnnotatorIdentity, Assignment, Rating
from annotations.selectors.work import campaigns_rated
from annotations.tasks import assignments_expire_task
from crowds.models import Arrival, Submission
from crowds.services.outbox import outbox_run
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from crowds.tasks import origins_forget_task
from daplatform.jobs.services import job_run
from hits.models import Campaign
from hits.services.composing import batch_compose
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.worker_client import WorkerClient
from tests.annotations.person import Person
from tests.crowd import launch
from tests.factories import make_campaign, make_hit, make_hit_like
from tests.pages import markup
from tests.rehearsal.mturk.market import KEYS

HITS = 30
RATED = 10
pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings, tmp_path):
    with running(MarketService(), KEYS) as server:
        settings.DATA_DIR = tmp_path
        settings.MTURK_ENDPOINT_URL = server.origin
        settings.MTURK_ACCESS_KEY_ID = KEYS.access
        settings.MTURK_SECRET_ACCESS_KEY = KEYS.secret
        settings.MTURK_SUBMIT_ORIGINS = [server.origin]
        yield server


def launched(hits, **fields):
    campaign = make_campaign(**fields)
    first = make_hit(campaign)
    for number in range(2, hits + 1):
        make_hit_like(first, number=number)
    made = launch(campaign)
    outbox_run(crowd="mturk")
    return made


@pytest.fixture
def made(server):
    """One HIT for one person."""
    return launched(1)


class Worker:
    """Somebody with an account at the marketplace."""

    def __init__(self, server, name: str) -> None:
        self.name, self.client = name, WorkerClient(server.origin, name)
        self.client.sign_in()

    def accept(self, hit: str, **visit: str) -> Person:
        self.assignment = self.client.accept(hit)
        self.path = local(self.client.frame(self.assignment))
        self.person = Person(self.path, **visit)
        return self.person

    def finish(self) -> None:
        self.person.save_all()
        assert self.person.submit().status_code == 200
        self.client.submit(self.assignment, code="done")


def local(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def names(server) -> list[str]:
    """What the marketplace calls the HITs."""
    return list(server.service.market.hits)


def stranger(server, hit: str, *, worker: str = "", address: str = "127.0.0.1") -> Person:
    """The preview's address, with ids that nobody gave out."""
    preview = urlsplit(Worker(server, "ALOOKER").client.preview(hit))
    made_up = {
        "assignmentId": uuid.uuid4().hex,
        "workerId": worker or f"A{uuid.uuid4().hex.upper()}",
        "turkSubmitTo": server.origin,
    }
    query = dict(parse_qsl(preview.query)) | made_up
    return Person(f"{preview.path}?{urlencode(query)}", address=address)


def rows() -> list[int]:
    return [model.objects.count() for model in (Annotator, AnnotatorIdentity, Arrival, Assignment)]


def said(command: str) -> str:
    out = io.StringIO()
    call_command(command, stdout=out)
    return out.getvalue()


# The attack


def test_strangers_at_every_hit_keep_no_worker_out(server):
    made = launched(HITS)
    hits = names(server)
    assert len(hits) == HITS
    assert {stranger(server, hit).entered.status_code for hit in hits} == {302}
    worker = Worker(server, "AWORKER1")
    assert worker.accept(hits[-1]).entered.status_code == 302
    worker.finish()
    launch_sync(launch=made)
    turn = worker.person.assignment
    assert (turn.slot, turn.state) == (1, "submitted")
    assert Assignment.objects.filter(state="open").count() == HITS - 1


def ranking(campaign) -> tuple[int, dict[str, bytes]]:
    """The result's row, and every byte of its files."""
    result = result_request(campaign=campaign, choices=Settings(keep_all_annotators=True, draws=50))
    assert result is not None
    job_run(result)
    result.refresh_from_db()
    assert result.status == Result.Status.DONE, result.problem
    folder = result_folder(result)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return result.pk, {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("hands_in", [False, True])
def test_what_strangers_rate_changes_no_byte_of_the_ranking(server, hands_in):
    shape = {"hit_size": 10, "pairs": 1, "repeats": 1}
    campaign = make_campaign(videos=24, systems=4, **shape)
    batch_compose(campaign=campaign)
    made = launch(campaign)
    outbox_run(crowd="mturk")
    hits = names(server)
    assert len(hits) > RATED
    for number, hit in enumerate(hits[RATED:]):
        worker = Worker(server, f"AWORKER{number}")
        worker.accept(hit)
        worker.finish()
    launch_sync(launch=made)
    before = ranking(campaign)
    status = campaign_progress(campaign)
    pace = campaign_arrivals(campaign, now=timezone.now())[0].last_hour
    for hit in hits[:RATED]:
        person = stranger(server, hit)
        person.save_all()
        if hands_in:
            assert person.submit().status_code == 200
    launch_sync(launch=made)
    assert ranking(campaign) == before
    Result.objects.all().delete()  # made anew, with the strangers' ratings in the database
    assert ranking(campaign)[1] == before[1]
    assert campaign_progress(campaign) == status
    assert campaign_arrivals(campaign, now=timezone.now())[0].last_hour == pace
    assert not campaigns_rated(Campaign.objects.all()).exists()


def test_work_that_strangers_hand_in_fills_no_place_and_is_named_everywhere(
    server, made, client_of
):
    person = stranger(server, names(server)[0])
    person.save_all()
    assert person.submit().status_code == 200
    launch_sync(launch=made)
    campaign, turn = made.batch.campaign, person.assignment
    assert turn.slot is None
    assert Assignment.objects.filter(state="open").count() == 1
    lacking = launch_top_up(launch=made)
    assert lacking.people == 0  # the marketplace offers the place already
    assert "1 place waits to be taken" in lacking.obstacle
    assert "1 assignment is not confirmed by the marketplace" in lacking.obstacle
    owner = client_of(campaign.owner)
    review = reverse("crowds:review", args=[campaign.slug])
    assert "1 assignment is not confirmed yet" in markup(owner.get(review))
    page = markup(owner.get(f"{review}?show=unconfirmed"))
    assert str(turn.annotator) in page
    assert "Handed in, not confirmed yet" in page
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=61)):
        assert "notice--warning" in markup(owner.get(review))
        assert "Handed in, not confirmed<" in markup(owner.get(f"{review}?show=unconfirmed"))
    named = f"{turn} of {turn.annotator} was handed in here"
    assert named in said("verify")
    assert named in said("reconcile")
    assert "Nothing differs." in said("reconcile")


def test_a_worker_at_work_is_not_confirmed_yet_and_no_suspect(server, made, client_of):
    worker = Worker(server, "AWORKER1")
    worker.accept(names(server)[0])
    owner = client_of(made.batch.campaign.owner)
    review = reverse("crowds:review", args=[made.batch.campaign.slug])
    page = markup(owner.get(review))
    assert "1 assignment is not confirmed yet" in page
    assert "notice--warning" not in page
    assert "In progress, not confirmed yet" in markup(owner.get(f"{review}?show=unconfirmed"))
    named = f"{worker.person.assignment.annotator} is in progress here"
    assert named in said("verify")
    assert named in said("reconcile")
    worker.finish()
    launch_sync(launch=made)
    assert "not confirmed" not in markup(owner.get(review)).replace(">Not confirmed<", "")


def test_a_worker_and_a_stranger_both_keep_their_ratings_and_the_worker_the_place(server, made):
    (hit,) = names(server)
    first = stranger(server, hit)
    first.save_all()
    first.submit()
    worker = Worker(server, "AWORKER1")
    worker.accept(hit)
    second = stranger(server, hit)
    second.save(0)
    worker.finish()
    launch_sync(launch=made)
    assert (worker.person.assignment.slot, first.assignment.slot) == (1, None)
    assert not Assignment.objects.filter(state="open").exists()
    total = first.work["total"]
    assert Rating.objects.count() == 2 * total + 1
    assert second.save(1).status_code == 200  # nobody is stopped in the middle of a HIT
    assert campaigns_rated(Campaign.objects.all()).exists()


def test_who_uses_a_workers_name_does_not_keep_the_worker_out(server, made):
    (hit,) = names(server)
    stranger(server, hit, worker="AWORKER1").save(0)
    worker = Worker(server, "AWORKER1")
    assert worker.accept(hit).entered.status_code == 302
    worker.finish()
    launch_sync(launch=made)
    assert Submission.objects.get().problem == ""
    assert worker.person.assignment.slot == 1


def test_unconfirmed_work_is_let_go_of_after_its_lease(server):
    """A limit per person counts it until then: else one could take two at once."""
    made = launched(2, max_hits_per_annotator=1)
    first, second = names(server)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        person = stranger(server, first, worker="AWORKER1", address="192.0.2.7")
        person.save_all()
        person.submit()
        worker = Worker(server, "AWORKER1")
        assert worker.accept(second).entered.status_code == 409
        clock.shift(dt.timedelta(minutes=61))
        assert Person(worker.path).entered.status_code == 302
        assignments_expire_task()
        origins_forget_task()
    assert set(Arrival.objects.values_list("origin", flat=True)) == {""}
    worker.person = Person(worker.path)
    worker.finish()
    launch_sync(launch=made)
    assert Submission.objects.get().problem == ""


def test_work_the_marketplace_names_late_counts_from_then_on(server, made):
    worker = Worker(server, "AWORKER1")
    person = worker.accept(names(server)[0])
    person.save_all()
    person.submit()
    with time_machine.travel(timezone.now() + dt.timedelta(hours=2), tick=False):
        assignments_expire_task()
        origins_forget_task()
        assert result_request(campaign=made.batch.campaign, choices=Settings()) is None
    worker.client.submit(worker.assignment, code="done")
    launch_sync(launch=made)
    assert person.assignment.slot == 1
    assert result_request(campaign=made.batch.campaign, choices=Settings()) is not None


# How much strangers can begin


@pytest.mark.parametrize(
    ("first", "same", "other"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("192.0.2.7", "::ffff:192.0.2.7", "::ffff:192.0.2.8"),
        ("2001:db8:0:1::7", "2001:db8:0:1:ffff::8", "2001:db8:0:2::7"),
    ],
)
def test_one_network_begins_so_many_turns_at_a_hit(server, made, settings, first, same, other):
    settings.CLAIMS_PER_HIT = 2
    (hit,) = names(server)
    for _ in range(2):
        assert stranger(server, hit, address=first).entered.status_code == 302
    before = rows()
    refused = stranger(server, hit, address=same).entered
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert "from your network" in markup(refused)
    assert rows() == before
    assert stranger(server, hit, address=other).entered.status_code == 302


def test_one_network_begins_so_many_turns_in_a_minute(server, settings):
    settings.CLAIMS_PER_MINUTE = 2
    launched(3)
    hits = names(server)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        visits = [stranger(server, hit, address="192.0.2.7") for hit in hits]
        assert [visit.entered.status_code for visit in visits] == [302, 302, 429]
        clock.shift(dt.timedelta(seconds=61))
        assert stranger(server, hits[2], address="192.0.2.7").entered.status_code == 302


def test_whom_the_marketplace_has_named_counts_against_nobody(server, settings):
    settings.CLAIMS_PER_HIT = 1
    made = launched(1, assignments=2)
    (hit,) = names(server)
    first, second = Worker(server, "AWORKER1"), Worker(server, "AWORKER2")
    first.accept(hit, address="192.0.2.7")
    first.finish()
    launch_sync(launch=made)
    assert second.accept(hit, address="192.0.2.7").entered.status_code == 302


def test_where_people_come_from_is_not_kept_in_the_clear(server, made):
    stranger(server, names(server)[0], address="192.0.2.7")
    assert re.fullmatch("[0-9a-f]{16}", Arrival.objects.get().origin)


def test_a_visit_that_is_refused_writes_no_row(server, made):
    (hit,) = names(server)
    worker = Worker(server, "AWORKER1")
    worker.accept(hit)
    preview = Worker(server, "ALOOKER").client.preview(hit)
    worker.finish()
    launch_sync(launch=made)  # now the place is really taken
    before = rows()
    query = {"assignmentId": "new", "workerId": "NEW", "turkSubmitTo": server.origin}
    refused = Person(f"{urlsplit(preview).path}?{urlencode(query)}").entered
    assert refused.status_code == 409
    assert "All tasks are done" in markup(refused)
    assert rows() == before
