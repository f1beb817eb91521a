"""`rehearse [--port N] [--data FOLDER]`: a marketplace on this machine, for nothing."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rehearsal.mturk.marketplace import DEFAULT_BALANCE
from rehearsal.mturk.server import Server
from rehearsal.mturk.service import MarketService
from rehearsal.mturk.signature import Keys

DEFAULT_PORT = 8001
# Known to everybody: they open nothing but a marketplace on one's own machine.
KEYS = Keys("AKIAREHEARSAL", "rehearsal-secret")


class Command(BaseCommand):
    help = (
        "Run a marketplace on this machine that is compatible with Mechanical Turk. Costs nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT)
        parser.add_argument("--data", type=Path, help="folder to keep it in (DATA_DIR/rehearsal)")
        parser.add_argument("--balance", default=str(DEFAULT_BALANCE), help="pretended dollars")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["data"] or settings.DATA_DIR / "rehearsal"
        service = MarketService(folder=folder, balance=_dollars(options["balance"]))
        try:
            server = Server(service, KEYS, port=options["port"])
        except (OSError, OverflowError) as error:
            raise CommandError(f"Port {options['port']} cannot be used: {error}.") from None
        self.stdout.write(announcement(server.origin, folder))
        self.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            self.stdout.write("\nStopped. Run the same command to continue.")
        finally:
            server.server_close()
            service.close()


def environment(origin: str) -> dict[str, str]:
    """What points the platform at a marketplace."""
    return {
        "MTURK_ENDPOINT_URL": origin,
        "MTURK_ACCESS_KEY_ID": KEYS.access,
        "MTURK_SECRET_ACCESS_KEY": KEYS.secret,
        "MTURK_SUBMIT_ORIGINS": origin,
        "FRAME_ANCESTORS": origin,
    }


def announcement(origin: str, folder: Path) -> str:
    lines = [f"  {name}={value}" for name, value in environment(origin).items()]
    return os.linesep.join(
        [
            f"The rehearsal marketplace is at {origin} and keeps everything in {folder}.",
            "Nothing here costs anything. Start the platform with",
            *lines,
            "launch a batch on Mechanical Turk, and work on it here in a browser. Ctrl-C stops it.",
        ]
    )


def _dollars(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise CommandError(f"--balance {text!r} is not an amount of money.") from None
    if not amount.is_finite() or amount < 0:
        raise CommandError(f"--balance {text!r} is not an amount of money.")
    return amount.quantize(Decimal("0.01"))
