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

from annotations.services.assignments import annotator_identify
from crowds.gateway import TransientFault
from crowds.models import OutboxMessage, Sending, Submission
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import (
    outbox_claim,
    outbox_retry,
    outbox_run,
    outbox_settle,
    outbox_write,
)
from crowds.services.reconciling import launch_reconcile
from crowds.services.restoring import (
    SENTENCE,
    Mark,
    mark_read,
    mark_write,
    restore_declare,
    restore_recognise,
    sending_is_known,
)
from crowds.services.reviews import submission_bonus, submissions_pay
from hits.models import Batch
from tests.crowd import launch, work
from tests.crowds.crowd_people import finish

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
        outbox_run(crowd="mturk")
        OutboxMessage.objects.exclude(state__in=OutboxMessage.ENDED).update(
            next_try_at=timezone.now()
        )


def pay_bonus(made, once: str = "a", amount: Decimal = CENTS) -> OutboxMessage:
    submission_bonus(
        campaign=made.batch.campaign,
        submission=Submission.objects.get(),
        amount=amount,
        reason="Careful work.",
        once=once,
        by=made.launched_by,
    )
    return OutboxMessage.objects.latest("pk")


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
    assert not OutboxMessage.objects.exclude(error="").exists()


def test_a_bonus_that_was_sent_after_the_back_up_is_recorded_and_not_sent_again(made, market):
    message = pay_bonus(made)
    with put_back():
        run()
        assert len(market.bonuses) == 1
    assert campaign_sums(made.batch.campaign).bonus == 0
    run()
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.DONE
    assert len(market.bonuses) == 1
    assert campaign_sums(made.batch.campaign).bonus == CENTS
    assert_books_agree(made, market)


def test_of_two_equal_bonuses_only_the_one_that_was_not_sent_is_sent(made, market):
    pay_bonus(made, "a")
    later = pay_bonus(made, "b")
    OutboxMessage.objects.filter(pk=later.pk).update(
        next_try_at=timezone.now() + dt.timedelta(hours=1)
    )
    with put_back():
        outbox_run(crowd="mturk")
    run()
    assert [bonus.amount for _, bonus in market.bonuses] == [CENTS, CENTS]
    assert len({key for key, _ in market.bonuses}) == 2
    assert_books_agree(made, market)


def test_a_bonus_that_the_crowd_cannot_tell_waits_for_a_person(made, market):
    market.tells_bonuses = False
    message = pay_bonus(made)
    with put_back():
        run()
    run()
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.ASKING
    assert len(market.bonuses) == 1


def test_a_message_that_may_have_been_sent_waits_for_a_person(made, market):
    anna = annotator_identify(crowd="mturk", external_id="W1")
    message = outbox_write(
        campaign=made.batch.campaign,
        crowd="mturk",
        kind=OutboxMessage.Kind.MESSAGE,
        payload={"subject": "Thanks", "text": "Well done."},
        annotators=[anna.pk],
    )
    with put_back():
        run()
    run()
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.ASKING
    assert market.messages == ["W1"]


def test_a_publication_that_was_made_after_the_back_up_is_found(campaign, market):
    made = launch(campaign)
    with put_back():
        run()
    run()
    assert list(market.out) == ["P1"]
    assert made.publications.get().status == "open"
    assert_books_agree(made, market)


@pytest.fixture
def deleted(campaign, market):
    """A launch that was published after the back-up, and deleted there before the restore."""
    made = launch(campaign)
    with put_back():
        run()
    market.out.clear()
    run()
    return made


def test_what_was_published_and_deleted_is_not_published_again_by_itself(deleted, market):
    message = OutboxMessage.objects.get()
    assert (message.state, market.calls["publish"]) == (OutboxMessage.State.ASKING, 1)
    [difference] = launch_reconcile(launch=deleted)
    assert str(message.publication) in difference
    assert "deleted" in difference


def test_a_crowd_that_fails_meanwhile_does_not_end_the_doubt(campaign, market):
    launch(campaign)
    with put_back():
        run()
    market.out.clear()
    market.break_next("find", "before", TransientFault("Away."))
    run()
    assert market.calls["publish"] == 1


def test_a_person_has_it_published_again(deleted, market):
    outbox_retry(message=OutboxMessage.objects.get(), by=deleted.launched_by)
    run()
    assert OutboxMessage.objects.get().state == OutboxMessage.State.DONE
    assert market.calls["publish"] == 2
    assert launch_reconcile(launch=deleted) == []


def test_a_person_leaves_it(deleted, market):
    outbox_settle(message=OutboxMessage.objects.get(), was_done=False, by=deleted.launched_by)
    run()
    assert market.calls["publish"] == 1
    assert campaign_sums(deleted.batch.campaign).total == 0


def test_all_of_it_is_published_again_by_the_command(deleted, market):
    out = io.StringIO()
    call_command("restored", publish=True, stdout=out)
    assert out.getvalue() == "1 publication is made again.\n"
    run()
    assert market.calls["publish"] == 2


def test_what_was_put_back_before_anything_was_sent_is_simply_sent(made, market):
    with put_back():
        pay_bonus(made)
    pay_bonus(made)
    run()
    assert market.calls["find"] == 0
    assert not OutboxMessage.objects.filter(error=SENTENCE).exists()
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
    message = pay_bonus(made)
    trouble(settings.SENDING_MARK)
    epoch = Sending.objects.get().epoch
    outbox_run(crowd="mturk")
    message.refresh_from_db()
    assert (message.state, message.error) == (OutboxMessage.State.UNCLEAR, SENTENCE)
    assert Sending.objects.get().epoch != epoch
    assert mark_read(settings.SENDING_MARK).epoch == Sending.objects.get().epoch
    run()
    assert len(market.bonuses) == 1
    assert_books_agree(made, market)


def test_a_worker_that_died_before_it_noted_its_claim_is_no_restore(made, market):
    pay_bonus(made, "a")
    assert outbox_claim(crowd="mturk", size=1, now=timezone.now())
    other = pay_bonus(made, "b")
    outbox_run(crowd="mturk")
    other.refresh_from_db()
    assert other.state == OutboxMessage.State.DONE


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
    message = pay_bonus(made)
    settings.SENDING_MARK = settings.SENDING_MARK / "nowhere"
    assert outbox_run(crowd="mturk") == 0
    message.refresh_from_db()
    assert market.bonuses == []
    assert message.state == OutboxMessage.State.WAITING
    assert message.error.startswith("Nothing is sent, because it cannot be recorded in nowhere")


def test_a_claim_that_cannot_be_noted_is_given_back(made, market, monkeypatch):
    message = pay_bonus(made)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("crowds.services.restoring.os.fsync", full)
    assert outbox_run(crowd="mturk") == 0
    message.refresh_from_db()
    assert (market.bonuses, message.state, message.claimed_at) == (
        [],
        OutboxMessage.State.WAITING,
        None,
    )
    assert "No space left on device" in message.error
    monkeypatch.undo()


def test_the_command_has_what_waits_looked_up(made, market):
    message = pay_bonus(made)
    out = io.StringIO()
    call_command("restored", stdout=out)
    assert out.getvalue() == "1 request is looked up before being sent.\n"
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.UNCLEAR


def test_verify_notices_a_restore_and_has_it_looked_up(made, market):
    message = pay_bonus(made)
    with put_back():
        run()
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify", stdout=out)
    assert "No waiting message was already sent before a restore." in out.getvalue()
    assert str(message) in out.getvalue()
    call_command("verify", repair=True, stdout=out)
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.UNCLEAR


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
    message = pay_bonus(made)
    run()
    market.bonuses.clear()
    assert launch_reconcile(launch=made) == []  # crowds list payments late
    OutboxMessage.objects.filter(pk=message.pk).update(
        ended_at=timezone.now() - dt.timedelta(hours=2)
    )
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
    assert f"The crowd has {lost} as P1, which is unknown here" in launch_reconcile(launch=made)[0]


def test_a_snapshot_of_the_whole_disk_is_recognised_by_the_bucket(bucket, made, market):
    message = pay_bonus(made)
    with put_back():
        run()
        assert len(market.bonuses) == 1
    assert not sending_is_known()
    run()
    message.refresh_from_db()
    assert message.state == OutboxMessage.State.DONE
    assert len(market.bonuses) == 1
    assert_books_agree(made, market)
    assert sending_is_known()


def test_a_snapshot_from_before_a_restore_is_recognised_too(bucket, made, market):
    pay_bonus(made)
    with put_back():
        restore_declare()
        run()
        assert len(market.bonuses) == 1
    run()
    assert len(market.bonuses) == 1
    assert_books_agree(made, market)


def test_the_bucket_keeps_one_number_of_an_epoch(bucket, made, market):
    for number in range(3):
        pay_bonus(made, str(number))
        run()
    outbox_run(crowd="mturk")
    row = Sending.objects.get()
    prefix = f"sending/{row.epoch}/"
    listed = bucket.list_objects_v2(Bucket="media", Prefix=prefix)["Contents"]
    assert [each["Key"] for each in listed] == [f"{prefix}{row.claims:012}"]


def test_nothing_is_sent_that_cannot_be_noted_in_the_bucket(bucket, made, market):
    message = pay_bonus(made)
    for each in bucket.list_objects_v2(Bucket="media")["Contents"]:
        bucket.delete_object(Bucket="media", Key=each["Key"])
    bucket.delete_bucket(Bucket="media")
    assert outbox_run(crowd="mturk") == 0
    message.refresh_from_db()
    assert (market.bonuses, message.state) == ([], OutboxMessage.State.WAITING)
    assert message.error.startswith("Nothing is sent, because it cannot be recorded in the bucket")


def test_machines_with_disks_of_their_own_are_no_restore(bucket, made, market, settings, tmp_path):
    run()
    epoch = Sending.objects.get().epoch
    for machine in ("first", "second", "first"):
        settings.SENDING_MARK = tmp_path / machine / "sending.json"
        message = pay_bonus(made, machine + str(len(market.bonuses)))
        restore_recognise()  # as a launch does
        assert sending_is_known()
        run()
        message.refresh_from_db()
        assert message.state == OutboxMessage.State.DONE
        assert not settings.SENDING_MARK.exists()
    assert Sending.objects.get().epoch == epoch
    assert len(market.bonuses) == 3


def test_a_bucket_that_was_emptied_counts_as_a_restore(bucket, made, market):
    message = pay_bonus(made)
    for each in bucket.list_objects_v2(Bucket="media")["Contents"]:
        bucket.delete_object(Bucket="media", Key=each["Key"])
    assert not sending_is_known()
    outbox_run(crowd="mturk")
    message.refresh_from_db()
    assert (market.bonuses, message.state) == ([], OutboxMessage.State.UNCLEAR)
