"""Stand in for Prolific on this machine, until interrupted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from rehearsal.prolific import Market, StandIn

HELP = """\
Prolific's stand-in answers at {address}; people take part there, in a browser.
Start the site with
PROLIFIC_URL={address}
PROLIFIC_TOKEN={token}
PROLIFIC_WORKSPACE={workspace}
PROLIFIC_PROJECT={project}
"""


class Command(BaseCommand):
    help = "Rehearse on a stand-in for Prolific: nobody is recruited, nothing is paid."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8090)
        parser.add_argument("--balance", type=int, default=10_000, help="In whole dollars.")

    def handle(self, *args: Any, **options: Any) -> None:
        market = Market(balance=options["balance"] * 100)
        stand_in = StandIn(market, port=options["port"])
        words = {"token": market.token, "workspace": market.workspace, "project": market.project}
        self.stdout.write(HELP.format(address=stand_in.address, **words))
        try:
            stand_in.serve()
        except KeyboardInterrupt:
            self.stdout.write("Nothing of it is kept.")
