"""Letting a simulated crowd work, through the services or through a running site."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from annotations.addresses import entry_path, invitation_entry
from annotations.rating_client import RatingClient
from annotations.services.simulation import (
    Subject,
    Worker,
    evidence_of,
    fluency_score,
    subjects_of,
    worker_rate_hit,
)
from annotations.simulation import respond
from annotations.tokens import turn_read
from hits.models import Campaign

RateHit = Callable[[Worker], bool]


def crowd_work(workers: list[Worker], rate_hit: RateHit) -> int:
    """Everybody takes one HIT after the other, in turn, until there is none left; how many."""
    done = 0
    willing = list(workers)
    while willing:
        went_on = [worker for worker in willing if rate_hit(worker)]
        done += len(went_on)
        willing = went_on
    return done


def through_services(campaign: Campaign, seed: int) -> RateHit:
    return lambda worker: worker_rate_hit(campaign=campaign, worker=worker, seed=seed)


def through_http(campaign: Campaign, seed: int, base_url: str) -> RateHit:
    """Ratings then carry the site's own clock: nobody could have watched, and it says so."""

    def rate_hit(worker: Worker) -> bool:
        client = RatingClient(base_url)
        try:
            if not client.enter(entry_path(invitation_entry(worker.invitation))):
                return False
            for subject in subjects_of(campaign, turn_read(client.token).hit, seed=seed):
                if subject.position >= client.work["done"]:
                    client.save(_rating(campaign, worker, client, subject))
            client.submit()
        finally:
            client.close()
        return True

    return rate_hit


def _rating(
    campaign: Campaign, worker: Worker, client: RatingClient, subject: Subject
) -> dict[str, Any]:
    response = respond(worker.persona, subject.quality, seconds=subject.seconds, rng=worker.rng)
    return {
        "receipt": client.items[subject.position]["receipt"],
        "key": str(uuid.UUID(bytes=worker.rng.bytes(16), version=4)),
        "score": response.score,
        "fluency": fluency_score(worker, subject) if campaign.asks_fluency else None,
        "evidence": evidence_of(response).model_dump(),
    }
