"""Without a broker nothing is sent, and no page fails for it: sweeps find what waits."""

from __future__ import annotations

import socket
import threading
from unittest import mock

import pytest
import structlog
from celery import Task
from kombu.exceptions import OperationalError

from crowds.tasks import outbox_run_task
from daplatform.broker import transport_options
from daplatform.celery import app
from daplatform.task_base import THREADS, UNSENT, WAITING, Senders

NAME = "crowds.tasks.outbox_run_task"


def unsent(reason: str) -> float:
    return UNSENT.labels(NAME, reason)._value.get()


def test_a_task_that_cannot_be_sent_is_counted_and_left_to_the_sweeps(caplog):
    before = unsent("broker")
    with mock.patch.object(Task, "apply_async", side_effect=OperationalError("Nobody listens.")):
        outbox_run_task.delay("mturk")
    assert f"{NAME} was not sent and waits for the next sweep" in caplog.text
    assert unsent("broker") == before + 1


def test_what_is_wrong_with_a_task_itself_is_still_said():
    with (
        mock.patch.object(Task, "apply_async", side_effect=TypeError("No such argument.")),
        pytest.raises(TypeError),
    ):
        outbox_run_task.delay("mturk")


def test_a_broker_that_hangs_holds_its_own_threads_only(settings, monkeypatch, caplog):
    """However many tasks are sent, each is left within a moment, and what is too much at once."""
    settings.WAKING_SECONDS = 0.0
    senders = Senders()
    monkeypatch.setattr("daplatform.task_base.SENDERS", senders)
    answered, sending, before = threading.Event(), [], unsent("full")

    def hang(*_, **__):
        sending.append(threading.current_thread().name)
        answered.wait()

    with mock.patch.object(Task, "apply_async", side_effect=hang):
        try:
            for _ in range(THREADS + WAITING + 5):
                outbox_run_task.delay("mturk")
            assert unsent("full") == before + 5
            assert "too many wait for the broker" in caplog.text
            assert len(sending) <= THREADS
        finally:
            answered.set()
            senders._threads.shutdown()  # what still waits would be sent in the next test


def test_the_request_that_asked_is_named_in_the_thread_that_sends():
    with structlog.contextvars.bound_contextvars(request_id="0123456789"):
        future = Senders().take(structlog.contextvars.get_contextvars)
    assert future is not None
    assert future.result(60)["request_id"] == "0123456789"


@pytest.fixture
def silent_port():
    """Takes connections, as the kernel does for a program that is stopped, and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        yield listener.getsockname()[1]


@pytest.mark.parametrize("kind", ["redis", "amqp"])
@pytest.mark.timeout(120)
def test_a_broker_that_never_answers_is_given_up(silent_port, tmp_path, kind):
    address = f"{kind}://127.0.0.1:{silent_port}//"
    with (
        app.connection_for_write(
            address,
            transport_options=transport_options(address, tmp_path, longest_task=1),
        ) as broker,
        pytest.raises(OperationalError),
    ):
        broker.ensure_connection(max_retries=1, interval_start=0)
