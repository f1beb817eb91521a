"""Making HITs: each once, however often its making is tried."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

from hits.crowds.gateway import Offer, PermanentFault
from hits.crowds.mturk.audiences import Audiences
from hits.crowds.mturk.calling import Caller, Missing, Refused
from hits.crowds.mturk.wording import annotation_of, question_of, told_at

HIT_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")
Hit = dict[str, Any]


class Publishing:
    """HITs and their types. Types are remembered, for many HITs are of one."""

    def __init__(self, caller: Caller, audiences: Audiences) -> None:
        self._call = caller
        self._audiences = audiences
        self._types: dict[str, str] = {}

    def create(self, offer: Offer, key: str) -> tuple[Hit, dt.datetime]:
        """The HIT of an offer, and the time it was told of."""
        try:
            return self._create(offer, key)
        except Missing:
            # The type or a list is gone, as after a rehearsal that began anew.
            self._types.clear()
            self._audiences.forget()
            return self._create(offer, key)

    def extend(self, hit: str, more: int, key: str) -> None:
        try:
            self._call(
                "create_additional_assignments_for_hit",
                HITId=hit,
                NumberOfAdditionalAssignments=more,
                UniqueRequestToken=key,
            )
        except Refused as refusal:
            if not refusal.is_repetition:
                raise

    def _create(self, offer: Offer, key: str) -> tuple[Hit, dt.datetime]:
        (place,) = offer.places
        annotation = annotation_of(offer, place)
        try:
            answer = self._call.with_token(
                "create_hit_with_hit_type",
                HITTypeId=self._type(offer),
                MaxAssignments=place.people,
                LifetimeInSeconds=int(offer.lifetime.total_seconds()),
                Question=question_of(place.url),
                RequesterAnnotation=annotation,
                UniqueRequestToken=key,
            )
        except Refused as refusal:
            if not refusal.is_repetition:
                raise
            answer = self._made_before(str(refusal), annotation)
        return answer["HIT"], told_at(answer)

    def _made_before(self, sentence: str, annotation: str) -> dict[str, Any]:
        """The HIT that an earlier attempt with this token made; the refusal names it."""
        for hit in HIT_ID.findall(sentence):
            answer = self._call("get_hit", HITId=hit)
            if answer["HIT"].get("RequesterAnnotation") == annotation:
                return answer
        raise PermanentFault(f"Mechanical Turk mistakes this HIT for another: {sentence}")

    def _type(self, offer: Offer) -> str:
        values = {
            "Title": offer.title,
            "Description": offer.description,
            "Keywords": ", ".join(offer.keywords),
            "Reward": f"{offer.reward:.2f}",
            "AssignmentDurationInSeconds": 60 * offer.minutes_allowed,
            "AutoApprovalDelayInSeconds": int(offer.auto_approval.total_seconds()),
            "QualificationRequirements": self._audiences.requirements(offer),
        }
        known = json.dumps(values, sort_keys=True)
        if known not in self._types:
            self._types[known] = self._call("create_hit_type", **values)["HITTypeId"]
        return self._types[known]
