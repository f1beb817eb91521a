"""What the rating page sends, checked field by field before anything else looks at it."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar
from uuid import UUID

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotations.errors import InvalidPost

# On which scale is for the protocol to say (`annotations.services.ratings`).
Score = Annotated[int, Field(ge=0, le=32_767)]
# A day in milliseconds fits; anything larger is no measurement.
Count = Annotated[int, Field(ge=0, le=2_000_000_000)]


class Post(BaseModel):
    """Strict: 50.0, "50" and true are not 50, and nothing unknown is let in."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Evidence(Post):
    """How the rating came about, as only the browser can tell. Milliseconds since shown."""

    elapsed_ms: Count
    first_touch_ms: Count
    last_touch_ms: Count
    moves: Count
    plays: Count
    watched_ms: Count
    hidden_ms: Count


class AnswerPost(Post):
    """The answers about one item. The receipt names it, the key tells a repeated post.

    What they may be is for the protocol to say.
    """

    receipt: Annotated[str, Field(max_length=200)]
    key: UUID
    answers: dict[str, Any]
    evidence: Evidence


class RatingPost(Post):
    """The same where all answers are numbers."""

    receipt: Annotated[str, Field(max_length=200)]
    key: UUID
    score: Score
    fluency: Score | None = None
    evidence: Evidence

    @property
    def answers(self) -> dict[str, Any]:
        return {"score": self.score} | ({} if self.fluency is None else {"fluency": self.fluency})


class TutorialPost(Post):
    """Answers about captions of the tutorial, by position; for the protocol to look at."""

    answers: Annotated[dict[str, dict[str, Any]], Field(min_length=1, max_length=100)]


class ProblemPost(Post):
    """What somebody says about a video that does not play as it should."""

    receipt: Annotated[str, Field(max_length=200)]
    kind: Annotated[str, Field(max_length=20)]
    remark: Annotated[str, Field(max_length=500)] = ""


class SubmissionPost(Post):
    """The end of a HIT; after corrections, with the first position of each page sent back."""

    comment: Annotated[str, Field(max_length=2_000)] = ""
    corrected: Annotated[list[Count], Field(max_length=1_000)] = []


PostKind = TypeVar("PostKind", bound=Post)


def read_post(kind: type[PostKind], body: bytes) -> PostKind:
    """Read a JSON body, or refuse it with a sentence for the person at the page."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise InvalidPost(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    fields = {part for fault in error.errors() for part in fault["loc"]}
    if fields & {"score", "fluency"}:
        return gettext("A rating is a whole number.")
    if "comment" in fields:
        return gettext("The comment is too long: 2,000 characters at most.")
    if "remark" in fields:
        return gettext("The remark is too long: 500 characters at most.")
    return gettext("What the page sent could not be read. Reload the page and try again.")
