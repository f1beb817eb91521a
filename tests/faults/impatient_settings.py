"""Hasty settings, with queues that say nothing of how long a worker may be busy.

So what RabbitMQ's own settings say counts in every version, as it does before 3.12 anyway.
"""

from __future__ import annotations

from tests.faults.hasty_settings import *  # noqa: F403

for queue in CELERY_TASK_QUEUES:  # noqa: F405
    queue.queue_arguments = {}
