from __future__ import annotations

from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from daplatform.verification import INVARIANTS, NOTICES, Invariant

SHOWN = 10


class Command(BaseCommand):
    help = "Check that rows and files agree with each other. Exits with 1 if they do not."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--repair", action="store_true", help="repair what can be repaired in only one way"
        )

    def handle(self, *args: Any, repair: bool, **options: Any) -> None:
        for notice in NOTICES:
            self.tell(notice)
        faults = sum(not self.holds(invariant, repair=repair) for invariant in INVARIANTS)
        if faults:
            raise CommandError(f"{faults} of {len(INVARIANTS)} do not hold.")
        self.stdout.write(self.style.SUCCESS(f"All {len(INVARIANTS)} hold."))

    def tell(self, notice: Invariant) -> None:
        """Every example, for each is somebody's work."""
        found = [f"  {row}" for row in notice.broken()]
        if found:
            self.stdout.write("\n".join([f"Worth knowing: {notice.sentence}", *found]))

    def holds(self, invariant: Invariant, *, repair: bool) -> bool:
        found = self.examples(invariant)
        if found and repair and invariant.repair:
            invariant.repair()
            still = self.examples(invariant)
            self.stdout.write(f"{'Not mended' if still else 'Mended'}: {invariant.sentence}")
            return not still
        if found:
            more = " …" if len(found) > SHOWN else ""
            self.stdout.write(f"Does not hold: {invariant.sentence}")
            self.stdout.write(f"  {'; '.join(found[:SHOWN])}{more}")
        return not found

    def examples(self, invariant: Invariant) -> list[str]:
        return [str(row) for row in islice(invariant.broken(), SHOWN + 1)]
