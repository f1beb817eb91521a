"""A marketplace that is stopped, killed or moved goes on where it was."""

from __future__ import annotations

import pytest

from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.service import JOURNAL, MarketService
from tests.rehearsal.mturk.market import Watch, hit_request


def busy(service: MarketService, watch: Watch) -> None:
    """Some of everything."""
    hits = [
        service.act("CreateHIT", hit_request(MaxAssignments=3))["HIT"]["HITId"] for _ in range(3)
    ]
    with pytest.raises(Refusal):
        service.act("CreateHIT", hit_request(Reward="9999"))
    for number, hit in enumerate(hits):
        worker = {"worker": f"A{number}"}
        service.act("sign-in", {**worker, "approved": "10"})
        assignment = service.act("accept", {**worker, "hit": hit})["assignment"]
        watch.forward(seconds=100)
        if number:
            service.act("submit", {"assignment": assignment, "fields": {"code": "C"}})
    service.act("ApproveAssignment", {"AssignmentId": assignment})
    service.forward(900)


def test_everything_is_there_after_a_restart(tmp_path):
    watch = Watch()
    service = MarketService(folder=tmp_path, clock=watch)
    busy(service, watch)
    service.close()
    again = MarketService(folder=tmp_path, clock=watch)
    assert again.now() == service.now()
    for name in ("hits", "assignments", "workers", "account", "types"):
        assert getattr(again.market, name) == getattr(service.market, name)
    assert again.market.new_id() == service.market.new_id()


def test_a_line_torn_by_a_crash_is_as_if_it_had_not_been(tmp_path):
    watch = Watch()
    service = MarketService(folder=tmp_path, clock=watch)
    service.act("CreateHIT", hit_request())
    service.close()
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes() + b'["2026-11-16T12:00:00+00:00", "CreateH')
    again = MarketService(folder=tmp_path, clock=watch)
    assert len(again.market.hits) == 1
    again.act("CreateHIT", hit_request())
    again.close()
    assert len(MarketService(folder=tmp_path, clock=watch).market.hits) == 2


def test_two_rehearsals_never_share_an_id():
    ids = [MarketService().act("CreateHIT", hit_request())["HIT"]["HITId"] for _ in range(2)]
    assert ids[0] != ids[1]
