"""`erase --annotator PSEUDONYM` or `erase --campaign SLUG`: forget people, keep their ratings."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.models import Annotator
from crowds.services.erasing import annotator_erase, campaign_erase
from daplatform.errors import DomainError
from hits.models import Campaign


class Command(BaseCommand):
    help = "Erases ids, comments and personal links for good. The ratings stay, under pseudonyms."

    def add_arguments(self, parser: ArgumentParser) -> None:
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--annotator", metavar="PSEUDONYM", help="one person, everywhere")
        whom.add_argument(
            "--campaign",
            metavar="SLUG",
            help="everybody of a closed campaign: its short name, as in its address",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if name := options["annotator"]:
                annotator_erase(annotator=Annotator.objects.get(pseudonym=name))
            else:
                campaign_erase(campaign=Campaign.objects.get(slug=options["campaign"]))
        except Annotator.DoesNotExist:
            raise CommandError(f"Nobody has the pseudonym {name!r}.") from None
        except Campaign.DoesNotExist:
            raise CommandError(
                f"No campaign has the short name {options['campaign']!r}: see its address."
            ) from None
        except DomainError as error:
            raise CommandError(str(error)) from None
        self.stdout.write("Erased.")
