"""How Celery's broker is spoken to, by the kind of its address."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kombu import Exchange, Queue

# A broker that accepts connections and never answers is given up after so many seconds. Above the
# second for which a worker asks Redis to hold its question back.
SILENCE_SECONDS = 3
# Sending is tried once more, for a connection that was kept may have died meanwhile.
PUBLISH_RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}


def transport_options(address: str, folder: Path, *, longest_task: int) -> dict[str, object]:
    """``folder`` holds the queue where there is no server for it; ``longest_task`` in seconds."""
    if address == "filesystem://":
        folder.mkdir(parents=True, exist_ok=True)
        return {
            "data_folder_in": str(folder),
            "data_folder_out": str(folder),
            "control_folder": str(folder / "control"),
        }
    if address.startswith("redis"):
        # Above the longest task, or it would run twice; unacknowledged work is looked for often.
        return {
            "visibility_timeout": 2 * longest_task,
            "unacked_restore_interval": 3,
            "unacked_restore_throttle": 1,
            "socket_timeout": SILENCE_SECONDS,
            "socket_connect_timeout": SILENCE_SECONDS,
            "socket_keepalive": True,
        }
    if address.startswith("amqp"):
        # Without a confirmation a broker that hangs would seem to have taken the message.
        return {
            "read_timeout": SILENCE_SECONDS,
            "write_timeout": SILENCE_SECONDS,
            "confirm_publish": True,
        }
    return {}


def queues(names: Iterable[str], *, longest_task: int) -> list[Queue]:
    """One for each kind of worker. RabbitMQ would close the channel of a worker that is busy for
    longer than half an hour: it is told how long tasks may take, and that counts from 3.12 on.
    """
    patience = {"x-consumer-timeout": 2 * longest_task * 1000}  # milliseconds
    return [
        Queue(name, Exchange(name), routing_key=name, queue_arguments=patience) for name in names
    ]
