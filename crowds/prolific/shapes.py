"""What is sent to Prolific: one shape per request body, nothing else goes over the wire.

Money inside these shapes is in Prolific's own units: a reward in cents, a bonus in dollars.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

REJECTION_LETTERS = 100

Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Cents = Annotated[int, Field(ge=1)]
Device = Literal["desktop", "tablet", "mobile"]
StudyAction = Literal["PUBLISH", "PAUSE", "START", "STOP"]
RejectionCategory = Literal[
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
]


class Shape(BaseModel):
    """A request body. What is not set is not sent; what is not declared cannot be."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class AccessDetail(Shape):
    """One HIT: its address, and how many people are sent there."""

    external_url: Name
    total_allocation: Count


class CodeAction(Shape):
    """What Prolific does when somebody comes back with a code."""

    action: Literal["MANUALLY_REVIEW", "REQUEST_RETURN"]
    return_reason: str | None = None


class CompletionCode(Shape):
    code: Name
    code_type: Literal["COMPLETED", "NO_CONSENT", "SCREENED_OUT"]
    actions: list[CodeAction]


class SelectFilter(Shape):
    filter_id: Name
    selected_values: list[str]


class Range(Shape):
    lower: int
    upper: int | None = None


class RangeFilter(Shape):
    filter_id: Name
    selected_range: Range


Filter = SelectFilter | RangeFilter


class SubmissionsConfig(Shape):
    max_submissions_per_participant: int = 1


class DraftStudy(Shape):
    """A batch before it is published. Its places are the sum of its HITs' places."""

    name: Name
    internal_name: Name
    description: Name
    prolific_id_option: Literal["url_parameters"] = "url_parameters"
    completion_codes: Annotated[list[CompletionCode], Field(min_length=1)]
    total_available_places: Count
    estimated_completion_time: Count
    maximum_allowed_time: Count
    reward: Cents
    device_compatibility: list[Device]
    filters: list[Filter]
    submissions_config: SubmissionsConfig
    access_details: Annotated[list[AccessDetail], Field(min_length=1)]
    project: str | None = None
    # Only some workspaces may ask for it, so it is not sent unless it is wanted.
    is_external_study_url_secure: Literal[True] | None = None

    @model_validator(mode="after")
    def _places_add_up(self) -> Self:
        places = sum(detail.total_allocation for detail in self.access_details)
        if places != self.total_available_places:
            raise ValueError(f"access_details offer {places} places in all")
        return self


class MorePlaces(Shape):
    """With the new total, places are added to addresses the study has; without, new addresses."""

    access_details: Annotated[list[AccessDetail], Field(min_length=1)]
    total_available_places: Count | None = None


class StudyMove(Shape):
    action: StudyAction


class CostQuestion(Shape):
    reward: Cents
    total_available_places: Count


class SubmissionMove(Shape):
    action: Literal["APPROVE", "REJECT", "UNREJECT"]
    message: str | None = None
    rejection_category: RejectionCategory | None = None

    @model_validator(mode="after")
    def _rejection_is_explained(self) -> Self:
        if self.action == "REJECT" and (
            self.rejection_category is None or len(self.message or "") < REJECTION_LETTERS
        ):
            raise ValueError(
                f"a rejection needs a category and a message of {REJECTION_LETTERS} characters"
            )
        return self


class Approvals(Shape):
    submission_ids: Annotated[list[str], Field(min_length=1, max_length=1_000)]


class Bonuses(Shape):
    """One `submission,amount` line each; the amount in dollars (30 is thirty dollars)."""

    study_id: Name
    csv_bonuses: Annotated[str, Field(pattern=r"^([^,\s]+,\d+\.\d\d\n?)+$")]


class BulkMessage(Shape):
    """Prolific lets one write about a study only, to people who took part in it."""

    ids: Annotated[list[str], Field(min_length=1)]
    body: Name
    study_id: Name


class NewGroup(Shape):
    workspace_id: Name
    name: Name
    description: str | None = None


class People(Shape):
    participant_ids: Annotated[list[str], Field(min_length=1)]


class NewSecret(Shape):
    workspace_id: Name


class Subscription(Shape):
    workspace_id: Name
    event_type: Name
    target_url: Name


class Confirmation(Shape):
    secret: Name
