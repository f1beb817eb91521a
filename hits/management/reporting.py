"""How commands that read a campaign's files tell of faults and of progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError, OutputWrapper
from tqdm import tqdm

from daplatform.tables import Faults


def report_faults(stream: OutputWrapper, faults: Faults) -> None:
    """Print every fault; with an error among them, end the command with code 2."""
    for fault in faults:
        stream.write(f"{fault.severity}: {fault}")
    for kind, count in faults.unlisted.items():
        stream.write(f"and {count:,} more of the same kind ({kind})")
    if faults.errors:
        plural = "error" if faults.errors == 1 else "errors"
        raise CommandError(f"{faults.errors:,} {plural}; nothing was written.", returncode=2)


@contextmanager
def progress_bar(stream: OutputWrapper) -> Iterator[Callable[[str, int, int], None]]:
    """A function to call with what is being done, how much of it, and of how much.

    Nothing is drawn where nobody watches. Django's wrapper would end every stroke with a new line.
    """
    bar = tqdm(file=sys.stderr, disable=not stream.isatty(), leave=False, unit_scale=True)

    def show(what: str, done: int, total: int) -> None:
        bar.set_description_str(what, refresh=False)
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield show
    finally:
        bar.close()
