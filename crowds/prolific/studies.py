"""Offers as studies: drafted, published, given more places, paused and stopped.

Prolific has no tokens against doing things twice. So every step looks before it acts, and after an
unclear answer looks again: a study carries our reference as its internal name, the places of a HIT
are compared with the number wanted, and a change of state is judged by the state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from crowds.gateway import (
    HitSpec,
    NotFound,
    PermanentFault,
    PublicationReport,
    PublicationSpec,
    PublicationStatus,
    TransientFault,
    UnclearOutcome,
)
from crowds.prolific.account import Account, place_reference
from crowds.prolific.client import Client, Row, rows, with_texts
from crowds.prolific.money import cents
from crowds.prolific.shapes import (
    AccessDetail,
    BulkMessage,
    CodeAction,
    CompletionCode,
    DraftStudy,
    Filter,
    MorePlaces,
    NewGroup,
    People,
    StudyAction,
    StudyMove,
    SubmissionsConfig,
)

STUDIES: Final = "/api/v1/studies/"
DRAFT: Final = "UNPUBLISHED"
OPEN: Final = ("ACTIVE", "PUBLISHING", "SCHEDULED")
FULL: Final = "AWAITING REVIEW"
PAUSED: Final = "PAUSED"
STOPPED: Final = "COMPLETED"
# A study that is full is still out: places added to it are taken at once.
STATUSES: Final = {
    **dict.fromkeys((*OPEN, FULL), PublicationStatus.OPEN),
    PAUSED: PublicationStatus.EXPIRED,
    STOPPED: PublicationStatus.CLOSED,
}
UNDECIDED: Final = ("RESERVED", "ACTIVE", "AWAITING REVIEW")
GROUPS: Final = "/api/v1/participant-groups/"
PEOPLE_PER_CALL: Final = 500


class Studies:
    """The studies of one account."""

    def __init__(self, client: Client, account: Account) -> None:
        self._client = client
        self._account = account

    def every(self) -> Iterator[Row]:
        """All studies, newest first as far as Prolific sorts them; a project's come in pages."""
        if self._account.project:
            path = f"/api/v1/projects/{self._account.project}/studies/"
            found = self._client.pages(path, {"ordering": "-date_created"})
        else:
            found = iter(rows(self._client.read(STUDIES)))
        return map(_study, found)

    def published(self) -> Iterator[Row]:
        return (study for study in self.every() if study["status"] != DRAFT)

    def find(self, reference: str) -> Row | None:
        """The study of a spec: one that is out, if there is one, before any draft."""
        ours = [study for study in self.every() if study.get("internal_name") == reference]
        return min(ours, key=lambda study: (study["status"] == DRAFT, study["id"]), default=None)

    def get(self, study: str) -> Row:
        return _study(self._client.read(f"{STUDIES}{study}/"))

    def publish(self, spec: PublicationSpec, filters: list[Filter]) -> PublicationReport:
        """Draft and publish, going on with the draft an earlier attempt left behind."""
        study = self.find(spec.reference) or self._draft(spec, filters)
        if study["status"] == DRAFT:
            self._move(study["id"], "PUBLISH", STATUSES)
        return PublicationReport(
            external_id=study["id"],
            reference=spec.reference,
            places=_place_ids(study["id"], [place.reference for place in spec.places]),
            people=spec.people,
            address=self._account.study_page(study["id"]),
        )

    def publication(self, study: Row) -> PublicationReport:
        """A study as the platform sees it."""
        return PublicationReport(
            external_id=study["id"],
            reference=study.get("internal_name") or "",
            status=STATUSES.get(study["status"], PublicationStatus.OPEN),
            places=_place_ids(study["id"], self._places(study["id"])),
            people=int(study["total_available_places"]),
            address=self._account.study_page(study["id"]),
        )

    def extend(self, study: str, places: Sequence[HitSpec]) -> PublicationReport:
        """Bring HITs' places up to the number wanted; a HIT the study does not have is added."""
        try:
            for more in self._missing(study, places):
                self._client.act("PATCH", f"{STUDIES}{study}/", more)
        except (UnclearOutcome, PermanentFault) as fault:
            if self._missing(study, places):
                raise _repeatable(fault) from None
        if self.get(study)["status"] == PAUSED:
            self._move(study, "START", (*OPEN, FULL))
        return self.publication(self.get(study))

    def pause(self, study: str) -> None:
        if self.get(study)["status"] in OPEN:
            self._move(study, "PAUSE", (PAUSED, FULL, STOPPED))

    def resume(self, study: str) -> None:
        status = self.get(study)["status"]
        if status == STOPPED:
            raise PermanentFault(
                "The study was stopped at Prolific. It reopens when places are added."
            )
        if status == PAUSED:
            self._move(study, "START", (*OPEN, FULL))

    def stop(self, study: str) -> None:
        counts = self._client.read(f"{STUDIES}{study}/submissions/counts/")
        if any(counts.get(status, 0) for status in UNDECIDED):
            raise TransientFault("People are still at work, or their work is not decided about.")
        status = self.get(study)["status"]
        if status == DRAFT:
            self._client.settle("DELETE", f"{STUDIES}{study}/")
        elif status not in (STOPPED, FULL):  # a full one is completed by the last decision
            self._move(study, "STOP", (STOPPED,))

    def _draft(self, spec: PublicationSpec, filters: list[Filter]) -> Row:
        draft = draft_study(spec, self._account, filters)
        try:
            made = self._client.act("POST", STUDIES, draft)
        except UnclearOutcome as fault:
            # Nobody sees a draft, and the next attempt finds it by its name.
            raise TransientFault(str(fault)) from None
        return _study(made)

    def _move(self, study: str, action: StudyAction, ends: Collection[str]) -> None:
        """Change a study's state; what an earlier attempt has done already is done."""
        try:
            self._client.act("POST", f"{STUDIES}{study}/transition/", StudyMove(action=action))
        except (UnclearOutcome, PermanentFault):
            if self.get(study)["status"] not in ends:
                raise

    def _places(self, study: str) -> dict[str, AccessDetail]:
        """What the study has, by our references."""
        try:
            answer = self._client.read(f"{STUDIES}{study}/access-details-progress/")
        except NotFound:  # not a study of ours: one address for everybody
            return {}
        return {
            place_reference(row["external_url"]): AccessDetail(
                external_url=row["external_url"], total_allocation=int(row["total_allocation"])
            )
            for row in rows(answer, "progress")
        }

    def _missing(self, study: str, places: Sequence[HitSpec]) -> list[MorePlaces]:
        """What has to be sent so that these places have their people: two calls at the most."""
        there = self._places(study)
        raised = [
            AccessDetail(external_url=known.external_url, total_allocation=more)
            for place in places
            if (known := there.get(place.reference))
            and (more := place.people - known.total_allocation) > 0
        ]
        added = [
            _access_detail(place, self._account) for place in places if place.reference not in there
        ]
        total = sum(detail.total_allocation for detail in [*there.values(), *raised])
        return [
            *([MorePlaces(access_details=raised, total_available_places=total)] if raised else []),
            *([MorePlaces(access_details=added)] if added else []),
        ]


def _study(answer: Any) -> Row:
    return with_texts(answer, "id", "status")


def draft_study(spec: PublicationSpec, account: Account, filters: list[Filter]) -> DraftStudy:
    return DraftStudy(
        name=spec.title,
        internal_name=spec.reference,
        description=spec.description,
        completion_codes=list(_codes(spec)),
        total_available_places=spec.people,
        estimated_completion_time=spec.minutes_expected,
        maximum_allowed_time=spec.minutes_allowed,
        reward=cents(spec.reward),
        device_compatibility=list(account.devices),
        filters=filters,
        submissions_config=SubmissionsConfig(),
        access_details=[_access_detail(place, account) for place in spec.places],
        project=account.project or None,
        is_external_study_url_secure=account.signs_links or None,
    )


def _codes(spec: PublicationSpec) -> Iterator[CompletionCode]:
    """Finished work waits for us; who did not consent or did not qualify is asked to return."""
    if spec.codes is None:
        raise PermanentFault("Prolific brings people back by completion codes: there are none.")
    review = CodeAction(action="MANUALLY_REVIEW")
    yield CompletionCode(code=spec.codes.done, code_type="COMPLETED", actions=[review])
    declined = CodeAction(action="REQUEST_RETURN", return_reason="Withdrew consent")
    yield CompletionCode(code=spec.codes.no_consent, code_type="NO_CONSENT", actions=[declined])
    screened = CodeAction(action="REQUEST_RETURN", return_reason="Did not qualify for the study")
    yield CompletionCode(code=spec.codes.screened_out, code_type="SCREENED_OUT", actions=[screened])


def _access_detail(place: HitSpec, account: Account) -> AccessDetail:
    return AccessDetail(external_url=account.hit_address(place), total_allocation=place.people)


def _place_ids(study: str, references: Iterable[str]) -> dict[str, str]:
    """Places have no ids at Prolific; what their addresses say is unique within the study."""
    return {reference: f"{study}/{reference}" for reference in references}


def _repeatable(fault: UnclearOutcome | PermanentFault) -> TransientFault | PermanentFault:
    """Trying again sets the same number of places, so an unclear answer is no danger."""
    return TransientFault(str(fault)) if isinstance(fault, UnclearOutcome) else fault


class Audiences:
    """The groups of one workspace, by the names we gave them."""

    def __init__(self, client: Client, workspace: str) -> None:
        self._client = client
        self._workspace = workspace

    def ids(self) -> dict[str, str]:
        """The group of each name. Of two with one name the older counts, now and always."""
        asked = {"workspace_id": self._workspace, "active": "true"}
        groups = [with_texts(row, "id", "name") for row in rows(self._client.read(GROUPS, asked))]
        return {group["name"]: group["id"] for group in sorted(groups, key=_age, reverse=True)}

    def ids_to_exclude(self, names: Sequence[str]) -> list[str]:
        """Groups are looked at while a study runs, so one nobody is in yet is made now."""
        known = self.ids() if names else {}
        return [known.get(name) or self._make(name) for name in names]

    def ids_to_admit(self, names: Sequence[str]) -> list[str]:
        known = self.ids() if names else {}
        for name in names:
            if name not in known:
                raise PermanentFault(
                    f"Nobody is on the list “{name}” yet: so nobody could take part."
                )
        return [known[name] for name in names]

    def add(self, name: str, people: Sequence[str]) -> None:
        self._change("POST", self.ids().get(name) or self._make(name), people)

    def remove(self, name: str, people: Sequence[str]) -> None:
        if group := self.ids().get(name):
            self._change("DELETE", group, people)

    def write(self, study: str, people: Sequence[str], text: str) -> None:
        if people:
            message = BulkMessage(ids=list(people), body=text, study_id=study)
            self._client.act("POST", "/api/v1/messages/bulk/", message)

    def _make(self, name: str) -> str:
        group = NewGroup(workspace_id=self._workspace, name=name)
        try:
            made = self._client.act("POST", GROUPS, group)
        except UnclearOutcome as fault:
            # Whether it was made or not, the next attempt looks for it by its name first.
            raise TransientFault(str(fault)) from None
        return str(with_texts(made, "id")["id"])

    def _change(self, method: str, group: str, people: Sequence[str]) -> None:
        """Adding who is there and removing who is not are ignored: safe to repeat."""
        for start in range(0, len(people), PEOPLE_PER_CALL):
            chunk = People(participant_ids=list(people[start : start + PEOPLE_PER_CALL]))
            self._client.settle(method, f"{GROUPS}{group}/participants/", chunk)


def _age(group: Row) -> str:
    """Ids are MongoDB object ids, which begin with the time they were made."""
    return str(group["id"])
