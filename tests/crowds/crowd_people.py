"""People who come from the testing crowd, rate a HIT and hand it in, here and there."""

from __future__ import annotations

from django.utils import timezone

from annotations.models import Annotator, Assignment
from annotations.selectors.work import session_of
from annotations.services.assignments import annotator_identify, assignment_submit
from crowds.services.visits import assignment_claim
from hits.models import Hit
from tests.crowd import Marketplace
from tests.factories import make_rating


def arrive(hit: Hit, person: str, name: str, *, crowd: str = "mturk") -> Assignment:
    """Somebody opens a HIT, as their crowd's assignment of this name."""
    annotator = annotator_identify(crowd=crowd, external_id=person)
    return assignment_claim(
        campaign=hit.batch.campaign,
        annotator=annotator,
        hit=hit.pk,
        crowd=crowd,
        external_id=name,
    )


def rate(assignment: Assignment) -> None:
    """Rate everything and hand it in here."""
    for item in assignment.hit.items.order_by("position"):
        make_rating(assignment, item, 50 + item.position)
    assignment_submit(session=session_of(assignment), now=timezone.now())


def finish(market: Marketplace, publication: str, hit: Hit, person: str) -> str:
    """Somebody does a HIT from beginning to end; what the crowd calls their turn."""
    name = f"{publication}-{person}"
    rate(arrive(hit, person, name))
    return market.submit(publication, person, name)


def annotator(person: str) -> Annotator:
    return Annotator.objects.get(identity__external_id=person)
