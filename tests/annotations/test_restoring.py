"""A database that was put back: nothing is sent again before the crowd was asked."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import shutil
from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from annotations.models import Submission
from annotations.services.reconciling import launch_reconcile
from annotations.services.reviews import submission_bonus, submissions_pay
from hits.mark import Mark, mark_read, mark_write
from hits.models import Act, Batch, Sending
from hits.selectors.money import campaign_sums
from hits.services.outbox import act_write, acts_claim, acts_run
from hits.services.restoring import SENTENCE
from tests.annotations.crowd_people import finish
from tests.crowd import launch, work

pytestmark = pytest.mark.django_db
CENTS = Decimal("0.30")


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Whatever the block does to rows is undone, as by a back-up from before. Files stay."""
    with transaction.atomic():
        before = transaction.savepoint()
        yield
        transaction.savepoint_rollback(before)


def run() -> None:
    """All that can be done, without waiting for its time."""
    for _ in range(3):
        acts_run(crowd="mturk")
        Act.objects.exclude(state__in=Act.ENDED).update(next_try_at=timezone.now())


def pay_bonus(made, once: str = "a", amount: Decimal = CENTS) -> Act:
    submission_bonus(
        campaign=made.batch.campaign,
        submission=Submission.objects.get(),
        amount=amount,
        reason="Careful work.",
        once=once,
        by=made.launched_by,
    )
    return Act.objects.latest("pk")


@pytest.fixture
def made(campaign, market):
    """Somebody has handed in, and was paid."""
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    run()
    return made


def assert_books_agree(made, market) -> None:
    assert campaign_sums(made.batch.campaign).spent == market.spent
    work(made, market)
    assert launch_reconcile(launch=made) == []


def test_a_new_installation_is_no_restored_one(made, market):
    assert market.calls["find"] == 0
    assert not Act.objects.exclude(error="").exists()


def test_a_bonus_that_was_sent_after_the_back_up_is_recorded_and_not_sent_again(made, market):
    act = pay_bonus(made)
    with put_back():
        run()
        assert len(market.bonuses) == 1
    assert campaign_sums(made.batch.campaign).bonus == 0
    run()
    act.refresh_from_db()
    assert act.state == Act.State.DONE
    assert len(market.bonuses) == 1
    assert campaign_sums(made.batch.campaign).bonus == CENTS
    assert_books_agree(made, market)


def test_of_two_equal_bonuses_only_the_one_that_was_not_sent_is_sent(made, market):
    pay_bonus(made, "a")
    later = pay_bonus(made, "b")
    Act.objects.filter(pk=later.pk).update(next_try_at=timezone.now() + dt.timedelta(hours=1))
    with put_back():
        acts_run(crowd="mturk")
    run()
    assert [bonus.amount for _, bonus in market.bonuses] == [CENTS, CENTS]
    assert len({key for key, _ in market.bonuses}) == 2
    assert_books_agree(made, market)


def test_a_bonus_that_the_crowd_cannot_tell_waits_for_a_person(made, market):
    market.tells_bonuses = False
    act = pay_bonus(made)
    with put_back():
        run()
    run()
    act.refresh_from_db()
    assert act.state == Act.State.ASKING
    assert len(market.bonuses) == 1


def test_a_message_that_may_have_been_sent_waits_for_a_person(made, market):
    payload = {"people": ["W1"], "subject": "Thanks", "text": "Well done."}
    act = act_write(
        campaign=made.batch.campaign, crowd="mturk", kind=Act.Kind.MESSAGE, subject="m",
        payload=payload,
    )  # fmt: skip
    with put_back():
        run()
    run()
    act.refresh_from_db()
    assert act.state == Act.State.ASKING
    assert market.messages == ["W1"]


def test_a_publication_that_was_made_after_the_back_up_is_found(campaign, market):
    made = launch(campaign)
    with put_back():
        run()
    run()
    assert list(market.out) == ["P1"]
    assert made.postings.get().standing == "open"
    assert_books_agree(made, market)


def test_what_was_put_back_before_anything_was_sent_is_simply_sent(made, market):
    with put_back():
        pay_bonus(made)
    pay_bonus(made)
    run()
    assert market.calls["find"] == 0
    assert not Act.objects.filter(error=SENTENCE).exists()
    assert_books_agree(made, market)


def lose(path) -> None:
    path.unlink()


def copy_back(path) -> None:
    copy = path.with_suffix(".copy")
    shutil.copy2(path, copy)
    copy.replace(path)


def belong_to_another(path) -> None:
    mark_write(path, Mark("another", 0))


def garble(path) -> None:
    path.write_text('[{"epoch"')


@pytest.mark.parametrize("trouble", [lose, copy_back, belong_to_another, garble])
def test_without_its_own_mark_a_database_counts_as_restored(
    made,
    market,
    settings,
    trouble,
):
    act = pay_bonus(made)
    trouble(settings.SENDING_MARK)
    epoch = Sending.objects.get().epoch
    acts_run(crowd="mturk")
    act.refresh_from_db()
    assert (act.state, act.error) == (Act.State.UNCLEAR, SENTENCE)
    assert Sending.objects.get().epoch != epoch
    assert mark_read(settings.SENDING_MARK).epoch == Sending.objects.get().epoch
    run()
    assert len(market.bonuses) == 1
    assert_books_agree(made, market)


def test_a_worker_that_died_before_it_noted_its_claim_is_no_restore(made, market):
    pay_bonus(made, "a")
    assert acts_claim(crowd="mturk", size=1, now=timezone.now())
    other = pay_bonus(made, "b")
    acts_run(crowd="mturk")
    other.refresh_from_db()
    assert other.state == Act.State.DONE


def test_the_same_back_up_is_recognised_every_time(made, market):
    pay_bonus(made)
    with put_back():
        with put_back():
            run()
        run()
    run()
    assert len(market.bonuses) == 1
    assert_books_agree(made, market)


def test_nothing_is_sent_that_cannot_be_noted(made, market, settings):
    act = pay_bonus(made)
    settings.SENDING_MARK = settings.SENDING_MARK / "nowhere"
    assert acts_run(crowd="mturk") == 0
    act.refresh_from_db()
    assert market.bonuses == []
    assert act.state == Act.State.WAITING
    assert act.error.startswith("Nothing is sent, because it cannot be noted in nowhere")


def test_a_claim_that_cannot_be_noted_is_given_back(made, market, monkeypatch):
    act = pay_bonus(made)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hits.mark.os.fsync", full)
    assert acts_run(crowd="mturk") == 0
    act.refresh_from_db()
    assert (market.bonuses, act.state, act.claimed_at) == ([], Act.State.WAITING, None)
    assert "No space left on device" in act.error
    monkeypatch.undo()


def test_the_command_has_what_waits_looked_up(made, market):
    act = pay_bonus(made)
    out = io.StringIO()
    call_command("restored", stdout=out)
    assert out.getvalue() == "1 act is looked up before being sent.\n"
    act.refresh_from_db()
    assert act.state == Act.State.UNCLEAR


def test_verify_notices_a_restore_and_has_it_looked_up(made, market):
    act = pay_bonus(made)
    with put_back():
        run()
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify", stdout=out)
    assert "What waits to be sent was not sent before a restore." in out.getvalue()
    assert str(act) in out.getvalue()
    call_command("verify", repair=True, stdout=out)
    act.refresh_from_db()
    assert act.state == Act.State.UNCLEAR


def test_reconcile_names_what_was_paid_and_is_not_known_any_more(made, market):
    spent = campaign_sums(made.batch.campaign).spent
    with put_back():
        pay_bonus(made)
        run()
    name = Submission.objects.get().external_id
    assert launch_reconcile(launch=made) == [
        f"Bonuses for submission {name} are 0.00 here and 0.30 at the crowd.",
        f"With fees, the ledger has {spent} USD paid for this launch, and the crowd "
        f"{market.spent}.",
    ]


def test_reconcile_names_a_bonus_the_crowd_knows_nothing_of(made, market):
    act = pay_bonus(made)
    run()
    market.bonuses.clear()
    assert launch_reconcile(launch=made) == []  # crowds list payments late
    Act.objects.filter(pk=act.pk).update(ended_at=timezone.now() - dt.timedelta(hours=2))
    assert launch_reconcile(launch=made)[0].endswith("are 0.30 here and 0.00 at the crowd.")


def test_reconcile_names_publications_of_launches_that_are_lost(campaign, market):
    with put_back():
        launch(campaign)
        run()
    reference, out = market.out["P1"].reference, io.StringIO()
    with pytest.raises(CommandError, match="1 differences"):
        call_command("reconcile", stdout=out)
    assert f"has {reference} as P1, for 1 people and open" in out.getvalue()


def test_a_new_batch_is_not_mistaken_for_a_lost_one_of_the_same_number(campaign, market):
    with put_back():
        launch(campaign)
        run()
    lost = market.out["P1"].reference
    Batch.objects.update(created_at=timezone.now())  # as if composed after the restore
    made = launch(campaign)
    run()
    run()
    assert [each.reference == lost for each in market.out.values()] == [True, False]
    assert (
        f"The crowd has {lost} as P1, which is not known here" in launch_reconcile(launch=made)[0]
    )
