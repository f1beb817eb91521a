"""Let Prolific tell this site when somebody hands in work."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from crowds.gateway import CrowdError
from crowds.prolific.account import account_read
from crowds.prolific.client import Client
from crowds.prolific.webhooks import new_secret, subscribe


class Command(BaseCommand):
    help = "Subscribe this site to Prolific's notifications."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--new-secret",
            action="store_true",
            help="Have Prolific make a new secret; the previous one stops working.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        target = settings.PUBLIC_URL + reverse("crowds:notice", args=["prolific"])
        try:
            account = account_read()
            if not account.accepts(target):
                raise CommandError("Prolific notifies https addresses only: set PUBLIC_URL to one.")
            client = Client(token=account.token, address=account.api)
            if options["new_secret"] or not settings.PROLIFIC_WEBHOOK_SECRETS:
                secret = new_secret(client, account.workspace)
                self.stdout.write(f"Set PROLIFIC_WEBHOOK_SECRETS={secret} and restart the site.")
            added = subscribe(client, account.workspace, target)
        except CrowdError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Subscribed {target} to {' and '.join(added) or 'nothing new'}.")
