"""Letting a simulated crowd work: through the services, a running site, or a marketplace."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve

from annotations.tokens import entry_read, session_read
from crowds.invite.invitations import invitation_entry
from crowds.models import Invitation
from crowds.selectors.entry import entry_path
from daplatform.errors import DomainError
from hits.models import Campaign
from rehearsal.mturk.worker_client import Turned, WorkerClient
from rehearsal.people.answers import Subject, answers_to, response_to
from rehearsal.people.rating_client import RatingClient
from rehearsal.people.work import (
    Worker,
    evidence_of,
    subjects_of,
    worker_rate_hit,
)

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
            invitation = Invitation.objects.get(campaign=campaign, annotator=worker.annotator)
            if not client.enter(entry_path(invitation_entry(invitation)), about(campaign)):
                return False
            _rate_all(campaign, worker, client, seed)
            client.submit()
        finally:
            client.close()
        return True

    return rate_hit


def through_marketplace(campaign: Campaign, seed: int, address: str) -> RateHit:
    """Find a HIT of the campaign there, accept it, rate it in its frame, report it as finished."""

    def rate_hit(worker: Worker) -> bool:
        market = WorkerClient(address, worker.annotator.identity.external_id)
        try:
            market.sign_in()
            found = (card["hit"] for card in market.hits())
            return any(_work_on(campaign, worker, market, hit, seed) for hit in found)
        finally:
            market.close()

    return rate_hit


def _work_on(campaign: Campaign, worker: Worker, market: WorkerClient, hit: str, seed: int) -> bool:
    if not _belongs(campaign, market.preview(hit)):
        return False
    try:
        assignment = market.accept(hit)
    except Turned:  # somebody was quicker
        return False
    frame = urlsplit(market.frame(assignment))
    client = RatingClient(f"{frame.scheme}://{frame.netloc}")
    try:
        if not client.enter(f"{frame.path}?{frame.query}", about(campaign)):
            market.give_back(assignment)
            return False
        _rate_all(campaign, worker, client, seed)
        reported = client.submit()
    finally:
        client.close()
    market.submit(reported.pop("assignmentId"), **reported)
    return True


def _belongs(campaign: Campaign, frame: str) -> bool:
    """A marketplace may have HITs of other campaigns, and of anybody else."""
    try:
        match = resolve(urlsplit(frame).path)
        return entry_read(match.kwargs["token"]).campaign == campaign.pk
    except (Resolver404, KeyError, DomainError):
        return False


def _rate_all(campaign: Campaign, worker: Worker, client: RatingClient, seed: int) -> None:
    for subject in subjects_of(campaign, session_read(client.token).hit, seed=seed):
        if subject.position >= client.work["done"]:
            client.save(_rating(campaign, worker, client, subject))


def _rating(
    campaign: Campaign, worker: Worker, client: RatingClient, subject: Subject
) -> dict[str, Any]:
    response = response_to(campaign.asked, worker.persona, subject, worker.rng)
    return {
        "receipt": client.items[subject.position]["receipt"],
        "key": str(uuid.UUID(bytes=worker.rng.bytes(16), version=4)),
        "evidence": evidence_of(response).model_dump(),
        **answers_to(campaign.asked, worker.persona, subject, response, worker.rng),
    }


def about(campaign: Campaign) -> dict[str, str]:
    """What simulated people say of themselves."""
    return {
        asked["name"]: asked["choices"][0] if asked.get("choices") else "simulated"
        for asked in campaign.form
    }
