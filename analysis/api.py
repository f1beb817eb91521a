"""The same numbers for scripts: JSON behind a key, described by the OpenAPI document at /api/."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, NinjaAPI, Query, Schema
from ninja.errors import Throttled
from ninja.security import HttpBearer
from pydantic import ValidationInfo, field_validator, model_validator

from analysis.forms import LEVELS, PAIRS
from analysis.presenting.exports import records
from analysis.results.findings.ranking import system_rows
from analysis.results.settings import Settings
from analysis.selectors.results import result_latest, result_summary
from analysis.services.keys import key_owner
from analysis.services.requests import result_key, result_request
from daplatform import __version__
from daplatform.jobs.tasks import job_wake
from daplatform.throttling import WINDOW, is_refused_too_often
from hits.models import Campaign
from hits.views.access import campaigns_for


class KeyRequest(HttpRequest):
    """A request that came with a valid key."""

    auth: User


class Key(HttpBearer):
    """`Authorization: Bearer da_…`, a key from the page “API keys”."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        owner = key_owner(key=token)
        if owner is None and is_refused_too_often(request):
            raise Throttled(wait=WINDOW)
        return owner


api = NinjaAPI(
    title="DA Platform",
    version=__version__,
    description="Campaigns and their results, as the pages show them.",
    auth=Key(),
    openapi_url="/",
    docs_url=None,
    urls_namespace="api",
)


@api.exception_handler(Throttled)
def throttled(request: HttpRequest, error: Throttled) -> HttpResponse:
    response = api.create_response(request, {"detail": str(error)}, status=429)
    response["Retry-After"] = str(error.wait)
    return response


class Refusal(Schema):
    """Why there is nothing: no valid key, no such campaign, or too many keys that are none."""

    detail: str


class Faults(Schema):
    """Choices that make no sense, each with its place."""

    detail: list[dict[str, Any]]


class CampaignOut(Schema):
    name: str
    slug: str
    state: str


class ChoicesIn(Schema):
    """Choices that change numbers; the protocol's own by default."""

    annotators: Literal["passed", "all"] = "passed"
    test: Literal["t", "wilcoxon"] = "t"
    basis: Literal["all", "captions"] = "all"
    resample: Literal["caption", "annotator"] = "caption"
    alpha: float = Field(LEVELS[0], json_schema_extra={"enum": list(LEVELS)})
    quality_alpha: float = Field(LEVELS[0], json_schema_extra={"enum": list(LEVELS)})
    min_pairs: int | None = Field(None, json_schema_extra={"enum": [*PAIRS, None]})

    @field_validator("alpha", "quality_alpha", "min_pairs")
    @classmethod
    def _refuse_others_than_listed(cls, given: float | None, info: ValidationInfo) -> float | None:
        """Every choice that is asked for keeps a worker busy."""
        known = PAIRS if info.field_name == "min_pairs" else LEVELS
        if given is not None and given not in known:
            raise ValueError(f"choose one of {', '.join(f'{value:g}' for value in known)}")
        return given

    @model_validator(mode="before")
    @classmethod
    def _refuse_others(cls, given: Any, info: ValidationInfo) -> Any:
        """A misspelt choice would quietly be answered with the protocol's own."""
        others = set(info.context["request"].GET) - set(cls.model_fields) if info.context else ()
        if others:
            known = ", ".join(cls.model_fields)
            raise ValueError(f"no such choice: {', '.join(sorted(others))}; there are {known}")
        return given


class ResultOut(Schema):
    """The last finished result. `is_current` is false while a newer one is being made."""

    is_current: bool
    signature: str | None
    problem: str | None
    counts: dict[str, int]
    systems: list[dict[str, Any]]
    significance: list[dict[str, Any]]
    annotators: list[dict[str, Any]]


REFUSALS = {frozenset({401, 404, 429}): Refusal}


@api.get("/campaigns", response={200: list[CampaignOut], frozenset({401, 429}): Refusal})
def campaigns(request: KeyRequest) -> Any:
    """The campaigns the key's owner may see."""
    return campaigns_for(request.auth)


@api.get("/campaigns/{slug}", response={200: CampaignOut, **REFUSALS})
def campaign(request: KeyRequest, slug: str) -> Campaign:
    return get_object_or_404(campaigns_for(request.auth), slug=slug)


@api.get("/campaigns/{slug}/result", response={200: ResultOut, 422: Faults, **REFUSALS})
def result(request: KeyRequest, slug: str, choices: Query[ChoicesIn]) -> dict[str, Any]:
    """Ranking, significance and annotators; asking starts the making of a newer one if needed."""
    found = get_object_or_404(campaigns_for(request.auth), slug=slug)
    settings = Settings(
        keep_all_annotators=choices.annotators == "all",
        test=choices.test,
        basis=choices.basis,
        resample=choices.resample,
        alpha=choices.alpha,
        quality_alpha=choices.quality_alpha,
        minimum_pairs=found.min_pairs if choices.min_pairs is None else choices.min_pairs,
    )
    wanted = result_request(campaign=found, choices=settings)
    is_waiting = wanted is not None and wanted.is_active
    if wanted is not None and is_waiting:
        job_wake(wanted)
    shown = result_latest(found, result_key(settings))
    summary = result_summary(shown) if shown and shown.signature else None
    tables = summary.tables() if summary else {}
    return {
        "is_current": not is_waiting,
        "signature": shown.signature if shown else None,
        "problem": shown.problem if shown else None,
        "counts": asdict(summary.counts) if summary else {},
        "systems": system_rows(summary.numbers["ranking"]) if summary else [],
        "significance": records(tables["significance"]()) if summary else [],
        "annotators": records(tables["annotators"]()) if summary else [],
    }
