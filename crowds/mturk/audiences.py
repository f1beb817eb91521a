"""Lists of people, kept as qualifications: they harm nobody's account, as blocking would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from crowds.gateway import PublicationSpec
from crowds.mturk.calling import Caller, Missing, Refused

PERCENT_APPROVED: Final = "000000000000000000L0"
NUMBER_APPROVED: Final = "00000000000000000040"
LOCALE: Final = "00000000000000000071"
# Who may not take a HIT does not see it either, and is not disappointed.
HIDDEN: Final = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
DESCRIPTION: Final = (
    "Assigned by the requester to keep studies apart; it says nothing about your work."
)


class Audiences:
    """Our names of lists, and the qualification types that stand for them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._ids: dict[str, str] = {}

    def enlist(self, audience: str, people: Sequence[str]) -> None:
        type_id = self.id_of(audience)
        for person in people:
            self._caller(
                "associate_qualification_with_worker",
                QualificationTypeId=type_id,
                WorkerId=person,
                IntegerValue=1,
                SendNotification=False,
            )

    def delist(self, audience: str, people: Sequence[str]) -> None:
        type_id = self._find(audience)
        for person in people if type_id else ():
            try:
                self._caller(
                    "disassociate_qualification_from_worker",
                    QualificationTypeId=type_id,
                    WorkerId=person,
                )
            except Missing:
                continue  # was not on the list

    def requirements(self, spec: PublicationSpec) -> list[dict[str, Any]]:
        """Who may take part, in Mechanical Turk's words."""
        asked = spec.requirements
        least = (
            (PERCENT_APPROVED, asked.approval_rate),
            (NUMBER_APPROVED, asked.approved),
        )
        wanted = [
            _requirement(kind, "GreaterThanOrEqualTo", IntegerValues=[number])
            for kind, number in least
            if number is not None
        ]
        if asked.countries:
            places = [{"Country": country} for country in asked.countries]
            wanted.append(_requirement(LOCALE, "In", LocaleValues=places))
        wanted += [_requirement(self.id_of(name), "Exists") for name in spec.only]
        wanted += [_requirement(self.id_of(name), "DoesNotExist") for name in spec.without]
        return wanted

    def id_of(self, audience: str) -> str:
        """The qualification type of this name, made if there is none."""
        return self._find(audience) or self._create(audience)

    def forget(self) -> None:
        """What was looked up may be gone."""
        self._ids.clear()

    def _find(self, audience: str) -> str:
        if audience not in self._ids:
            found = self._caller.pages(
                "list_qualification_types",
                "QualificationTypes",
                Query=audience,
                MustBeRequestable=False,
                MustBeOwnedByCaller=True,
            )
            for kind in found:
                if kind["Name"] == audience:
                    self._ids[audience] = kind["QualificationTypeId"]
        return self._ids.get(audience, "")

    def _create(self, audience: str) -> str:
        try:
            answer = self._caller(
                "create_qualification_type",
                Name=audience,
                Description=DESCRIPTION,
                QualificationTypeStatus="Active",
            )
        except Refused:
            # Another worker of ours, or an earlier attempt whose answer was lost, was quicker.
            if found := self._find(audience):
                return found
            raise
        made: str = answer["QualificationType"]["QualificationTypeId"]
        self._ids[audience] = made
        return made


def _requirement(kind: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": kind, "Comparator": comparator, **values, **HIDDEN}
