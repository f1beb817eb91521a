"""`simulate_crowd CAMPAIGN --annotators 30 --mix honest=0.7,… --seed N [--through-…]`."""

from __future__ import annotations

import datetime as dt
import math
from argparse import ArgumentParser
from collections import Counter
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotations.models import Annotator, Assignment
from annotations.services.assignments import batches_open
from crowds.selectors.entry import claim_obstacle
from daplatform.errors import DomainError
from hits.models import Campaign
from rehearsal.mturk.worker_client import Turned
from rehearsal.people.personas import Persona, draw_personas, parse_mix
from rehearsal.people.rating_client import Refused
from rehearsal.people.ways import (
    crowd_work,
    through_http,
    through_marketplace,
    through_services,
)
from rehearsal.people.work import Worker, crowd_hire, crowd_invite

DEFAULT_MIX = "honest=0.7,careless=0.15,random=0.1,constant=0.05"
# What a HIT takes at most, so that simulated work ends before it is looked at.
HOURS_PER_HIT = 1


class Command(BaseCommand):
    help = "Have simulated annotators, marked as such, rate everything open in a campaign."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name, as in its address")
        parser.add_argument("--annotators", type=int, default=30)
        parser.add_argument("--mix", default=DEFAULT_MIX, help="shares of habits (%(default)s)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--through-http", action="store_true", help="as browsers would")
        parser.add_argument(
            "--through-marketplace",
            metavar="URL",
            help="as workers of the rehearsal marketplace there, on what was launched on it",
        )
        parser.add_argument("--base-url", help="the running site (PUBLIC_URL)")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign called {options['campaign']!r}.")
        seed = options["seed"]
        try:
            mix = parse_mix(options["mix"])
            personas = draw_personas(options["annotators"], mix, np.random.default_rng(seed))
            workers = self._workers(campaign, personas, options)
            _check_welcome(campaign, workers[0].annotator, options)
            done = crowd_work(workers, self._way(campaign, options))
        except (DomainError, ValueError, Refused, Turned, OSError) as error:
            raise CommandError(str(error)) from None
        habits = ", ".join(
            f"{n} {habit}" for habit, n in Counter(p.habit for p in personas).items()
        )
        self.stdout.write(f"{done} HITs rated by {len(personas)} simulated annotators ({habits}).")

    def _workers(
        self, campaign: Campaign, personas: list[Persona], options: dict[str, Any]
    ) -> list[Worker]:
        if options["through_marketplace"]:  # a launch has opened the work
            gather = crowd_hire
        else:
            batches_open(campaign=campaign)
            gather = crowd_invite
        start = _start(campaign, personas)
        return gather(campaign=campaign, personas=personas, seed=options["seed"], start=start)

    def _way(self, campaign: Campaign, options: dict[str, Any]) -> Any:
        if address := options["through_marketplace"]:
            return through_marketplace(campaign, options["seed"], address)
        if options["through_http"]:
            base_url = options["base_url"] or settings.PUBLIC_URL
            return through_http(campaign, options["seed"], base_url)
        return through_services(campaign, options["seed"])


def _check_welcome(campaign: Campaign, annotator: Annotator, options: dict[str, Any]) -> None:
    """Say at once why nothing can be rated, above all where people have rated."""
    crowd = "mturk" if options["through_marketplace"] else "invite"
    if sentence := claim_obstacle(campaign=campaign, annotator=annotator, crowd=crowd):
        raise DomainError(sentence)


def _start(campaign: Campaign, personas: list[Persona]) -> dt.datetime:
    """So early that the last of a simulated annotator's HITs ends before now."""
    open_ = Assignment.objects.filter(campaign=campaign, state=Assignment.State.OPEN).count()
    hours = HOURS_PER_HIT * math.ceil(open_ / len(personas))
    return timezone.now() - dt.timedelta(hours=hours)
