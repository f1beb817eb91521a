"""Making HITs: each once, however often its making is tried."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

from crowds.gateway import PermanentFault, PublicationSpec
from crowds.mturk.audiences import Audiences
from crowds.mturk.calling import Caller, Missing, Refused
from crowds.mturk.wording import annotation_of, answered_at, question_of

HIT_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")
Hit = dict[str, Any]


class Publishing:
    """HITs and their types. Types are remembered, for many HITs are of one."""

    def __init__(self, caller: Caller, audiences: Audiences) -> None:
        self._call = caller
        self._audiences = audiences
        self._types: dict[str, str] = {}

    def create(self, spec: PublicationSpec, key: str) -> tuple[Hit, dt.datetime]:
        """The HIT of a spec, and the time it was told of."""
        try:
            return self._create(spec, key)
        except Missing:
            # The type or a list is gone, as after a rehearsal that began anew.
            self._types.clear()
            self._audiences.forget()
            return self._create(spec, key)

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

    def _create(self, spec: PublicationSpec, key: str) -> tuple[Hit, dt.datetime]:
        (place,) = spec.places
        annotation = annotation_of(spec, place)
        try:
            answer = self._call.with_token(
                "create_hit_with_hit_type",
                HITTypeId=self._type(spec),
                MaxAssignments=place.people,
                LifetimeInSeconds=int(spec.lifetime.total_seconds()),
                Question=question_of(place.url),
                RequesterAnnotation=annotation,
                UniqueRequestToken=key,
            )
        except Refused as refusal:
            if not refusal.is_repetition:
                raise
            answer = self._made_before(str(refusal), annotation)
        return answer["HIT"], answered_at(answer)

    def _made_before(self, sentence: str, annotation: str) -> dict[str, Any]:
        """The HIT that an earlier attempt with this token made; the refusal names it."""
        for hit in HIT_ID.findall(sentence):
            answer = self._call("get_hit", HITId=hit)
            if answer["HIT"].get("RequesterAnnotation") == annotation:
                return answer
        raise PermanentFault(f"Mechanical Turk mistakes this HIT for another: {sentence}")

    def _type(self, spec: PublicationSpec) -> str:
        values = {
            "Title": spec.title,
            "Description": spec.description,
            "Keywords": ", ".join(spec.keywords),
            "Reward": f"{spec.reward:.2f}",
            "AssignmentDurationInSeconds": 60 * spec.minutes_allowed,
            "AutoApprovalDelayInSeconds": int(spec.auto_approval.total_seconds()),
            "QualificationRequirements": self._audiences.requirements(spec),
        }
        known = json.dumps(values, sort_keys=True)
        if known not in self._types:
            self._types[known] = self._call("create_hit_type", **values)["HITTypeId"]
        return self._types[known]
