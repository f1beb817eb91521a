"""A marketplace that is stopped, killed or moved goes on where it was."""

from __future__ import annotations

import pytest

from rehearsal.mturk.desk import JOURNAL, Desk
from rehearsal.mturk.refusals import Refusal
from tests.rehearsal.mturk.market import Watch, hit_request


def busy(desk: Desk, watch: Watch) -> None:
    """Some of everything."""
    hits = [desk.act("CreateHIT", hit_request(MaxAssignments=3))["HIT"]["HITId"] for _ in range(3)]
    with pytest.raises(Refusal):
        desk.act("CreateHIT", hit_request(Reward="9999"))
    for number, hit in enumerate(hits):
        worker = {"worker": f"A{number}"}
        desk.act("sign-in", {**worker, "approved": "10"})
        assignment = desk.act("accept", {**worker, "hit": hit})["assignment"]
        watch.forward(seconds=100)
        if number:
            desk.act("submit", {"assignment": assignment, "fields": {"code": "C"}})
    desk.act("ApproveAssignment", {"AssignmentId": assignment})
    desk.forward(900)


def test_everything_is_there_after_a_restart(tmp_path):
    watch = Watch()
    desk = Desk(folder=tmp_path, clock=watch)
    busy(desk, watch)
    desk.close()
    again = Desk(folder=tmp_path, clock=watch)
    assert again.now() == desk.now()
    for name in ("hits", "assignments", "workers", "account", "types"):
        assert getattr(again.market, name) == getattr(desk.market, name)
    assert again.market.new_id() == desk.market.new_id()


def test_a_line_torn_by_a_crash_is_as_if_it_had_not_been(tmp_path):
    watch = Watch()
    desk = Desk(folder=tmp_path, clock=watch)
    desk.act("CreateHIT", hit_request())
    desk.close()
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes() + b'["2026-11-16T12:00:00+00:00", "CreateH')
    again = Desk(folder=tmp_path, clock=watch)
    assert len(again.market.hits) == 1
    again.act("CreateHIT", hit_request())
    again.close()
    assert len(Desk(folder=tmp_path, clock=watch).market.hits) == 2


def test_two_rehearsals_never_share_an_id():
    ids = [Desk().act("CreateHIT", hit_request())["HIT"]["HITId"] for _ in range(2)]
    assert ids[0] != ids[1]
