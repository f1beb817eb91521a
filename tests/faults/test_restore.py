"""The walk of docs/operations.md with money: what was sent after the dump is not sent again.

A day passes at the marketplace before the restore, so that its own tokens against doing something
twice are forgotten.
"""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from rehearsal.management.commands.rehearse import environment
from rehearsal.prolific import Market, StandIn
from tests.faults.backing_up import dump, restore
from tests.faults.crowd_stage import WAITING, ask

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
TOKENS_LAST = dt.timedelta(days=1, minutes=1)
WORK = "import django; django.setup(); from crowds.tasks import outbox_run_task as t; t('{}')"
ASKING = "SELECT count(*) FROM crowds_outboxmessage WHERE state = 'asking'"
DUE = "UPDATE crowds_outboxmessage SET next_try_at = now() WHERE state = 'unclear'"
SPENT = (
    "SELECT coalesce(sum(amount), 0) FROM crowds_ledgerentry WHERE kind IN ('paid', 'fee', 'bonus')"
)


@pytest.fixture
def site(fresh_site):
    """A site with a campaign; its workers' task is run by hand."""
    fresh_site.links(1)
    return fresh_site


@pytest.fixture
def turk(site, marketplace):
    site.environment |= environment(marketplace.origin)
    site.run("-m", "tests.faults.launch")
    return marketplace.service


@pytest.fixture
def prolific(site):
    with StandIn(Market(balance=1_000_000)) as stand_in:
        site.environment |= {
            "PROLIFIC_URL": stand_in.address,
            "PROLIFIC_TOKEN": stand_in.market.token,
            "PROLIFIC_WORKSPACE": stand_in.market.workspace,
            "PROLIFIC_PROJECT": stand_in.market.project,
        }
        site.run("-m", "tests.faults.launch", "prolific", "5.00")
        yield stand_in.market


def work(site, crowd: str = "mturk") -> None:
    """What a worker does, without waiting until crowds list what they have done."""
    ask(site, DUE)
    site.run("-c", WORK.format(crowd))


def hand_in(site, service) -> None:
    turns = []
    for number, hit in enumerate(list(service.market.hits)):
        name = service.act("accept", {"hit": hit, "worker": f"A{number}"})["assignment"]
        service.act("submit", {"assignment": name, "fields": {"code": "C"}})
        turns.append([hit, f"A{number}", name])
    site.run("-m", "tests.faults.handing_in", json.dumps(turns))


def as_documented(site, file) -> None:
    """Workers and site are stopped; the database is restored; rows are looked through."""
    restore(site, file)
    site.run("manage.py", "verify", "--repair")
    site.serve()


def without_looking(site, file) -> None:
    restore(site, file)


def assert_all_agrees(site, paid: Decimal) -> None:
    assert ask(site, WAITING) == 0
    assert ask(site, SPENT) == paid
    assert "hold." in site.run("manage.py", "verify")
    assert "Nothing differs." in site.run("manage.py", "reconcile")


@pytest.mark.parametrize("put_back", [as_documented, without_looking])
def test_a_bonus_is_paid_once_and_the_books_agree_to_the_cent(site, turk, tmp_path, put_back):
    work(site)
    hand_in(site, turk)
    site.run("-m", "tests.faults.paying", "0.30")
    dump(site, tmp_path / "da.dump")
    before = ask(site, SPENT)
    work(site)
    assert turk.market.account.paid == before + Decimal("0.36")  # with the fee
    turk.ahead += TOKENS_LAST
    put_back(site, tmp_path / "da.dump")
    assert ask(site, SPENT) == before
    work(site)
    work(site)
    assert turk.market.account.paid == before + Decimal("0.36")
    assert_all_agrees(site, turk.market.account.paid)


def test_a_bonus_that_the_restored_database_never_knew_is_named(site, turk, tmp_path):
    work(site)
    hand_in(site, turk)
    site.run("-m", "tests.faults.paying", "0.30")
    work(site)
    dump(site, tmp_path / "da.dump")
    site.run("-m", "tests.faults.paying", "0.50", "twice")
    work(site)
    as_documented(site, tmp_path / "da.dump")
    ours, theirs = ask(site, SPENT), turk.market.account.paid
    assert theirs - ours == Decimal("0.60")
    said = site.fail("manage.py", "reconcile")
    assert "are 0.30 here and 0.80 at the crowd." in said
    assert f"the ledger has {ours} USD paid for this launch, and the crowd {theirs}." in said


def test_no_hit_is_published_twice(site, turk, tmp_path):
    dump(site, tmp_path / "da.dump")
    work(site)
    there = sorted(turk.market.hits)
    assert there
    turk.ahead += TOKENS_LAST
    as_documented(site, tmp_path / "da.dump")
    work(site)
    work(site)
    assert sorted(turk.market.hits) == there
    assert_all_agrees(site, turk.market.account.paid)


def test_a_hit_deleted_before_the_restore_is_published_again_only_by_a_person(site, turk, tmp_path):
    dump(site, tmp_path / "da.dump")
    work(site)
    published = len(turk.market.hits)
    turk.market.hits.clear()  # deleted at the marketplace, whose listings have them no more
    turk.ahead += TOKENS_LAST
    as_documented(site, tmp_path / "da.dump")
    work(site)
    work(site)
    assert (len(turk.market.hits), ask(site, ASKING)) == (0, published)
    assert "deleted there" in site.fail("manage.py", "reconcile")
    site.run("manage.py", "restored", "--publish")
    work(site)
    assert len(turk.market.hits) == published
    assert_all_agrees(site, turk.market.account.paid)


def test_where_the_crowd_cannot_tell_a_person_is_asked(site, prolific, tmp_path):
    work(site, "prolific")
    (study,) = prolific.studies
    one = prolific.begin(study, "person001")
    prolific.complete(one.id, "any")
    site.run("-m", "tests.faults.handing_in", json.dumps([[study, "person001", one.id]]))
    site.run("-m", "tests.faults.paying", "0.30")
    dump(site, tmp_path / "da.dump")
    work(site, "prolific")
    assert one.bonuses == [30]
    as_documented(site, tmp_path / "da.dump")
    for _ in range(3):
        work(site, "prolific")
    assert one.bonuses == [30]
    assert ask(site, ASKING) == 1
    assert f"{one.id} are 0.00 here and 0.30 at the crowd." in site.fail("manage.py", "reconcile")
