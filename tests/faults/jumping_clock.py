"""`gunicorn --config python:tests.faults.jumping_clock`: its clock is off by what CLOCK_FILE says.

Only what is told jumps, as on a machine whose clock is set: time that is measured goes on.
"""

from __future__ import annotations

import datetime as dt
import os
import threading
import time
from pathlib import Path
from typing import Any

import time_machine


def post_worker_init(worker: Any) -> None:
    threading.Thread(target=follow, args=(Path(os.environ["CLOCK_FILE"]),), daemon=True).start()


def follow(file: Path) -> None:
    """Jump whenever the file names another number of hours."""
    clock, hours = time_machine.travel(dt.datetime.now(dt.UTC), tick=True).start(), 0
    while True:
        wanted = int(file.read_text() or hours)  # empty while it is being written
        clock.shift(dt.timedelta(hours=wanted - hours))
        hours = wanted
        time.sleep(0.01)
