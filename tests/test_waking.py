"""Without a broker nothing is sent, and no page fails for it: sweeps find what waits."""

from __future__ import annotations

from unittest import mock

import pytest
from celery import Task
from kombu.exceptions import OperationalError

from hits.tasks import acts_run_task


def test_a_task_that_cannot_be_sent_is_left_to_the_sweeps(caplog):
    with mock.patch.object(Task, "apply_async", side_effect=OperationalError("Nobody listens.")):
        acts_run_task.delay("mturk")
    assert "hits.tasks.acts_run_task was not sent and waits for the next sweep" in caplog.text


def test_what_is_wrong_with_a_task_itself_is_still_said():
    with (
        mock.patch.object(Task, "apply_async", side_effect=TypeError("No such argument.")),
        pytest.raises(TypeError),
    ):
        acts_run_task.delay("mturk")
