"""How Celery's broker is spoken to, by the kind of its address."""

from __future__ import annotations

from pathlib import Path


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
        }
    return {}
