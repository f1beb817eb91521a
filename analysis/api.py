"""The same numbers for scripts: JSON behind a key. `/api/` describes it to people, and
`/api/openapi.json` to programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from ninja import Field, NinjaAPI, Query, Schema
from ninja.errors import Throttled
from ninja.openapi.docs import Swagger
from ninja.security import HttpBearer
from pydantic import AfterValidator, ValidationInfo, model_validator

from analysis.api_together import (
    ComparisonOut,
    DescriptionOut,
    SetsOut,
    comparison_content,
    description_content,
    plain,
    sets_content,
)
from analysis.evaluation.files import evaluation_table
from analysis.evaluation.findings.words import word_rows
from analysis.evaluation.settings import Choices
from analysis.forms import LEVELS, PAIRS, whose
from analysis.metrics.scoring import metric_of
from analysis.models import Computed, Description, MetricEvaluation, MetricScore, Result
from analysis.presenting.exports import ratings_table, records
from analysis.results.findings.ranking import system_rows
from analysis.results.marked import long_table
from analysis.results.settings import Settings
from analysis.selectors.annotators import uses_explained
from analysis.selectors.attention import Attention, attention_by_person
from analysis.selectors.descriptions import description_latest
from analysis.selectors.evaluations import evaluation_latest, evaluation_numbers
from analysis.selectors.marked import answers_by_question, factuality_of, judged_paragraphs
from analysis.selectors.metric_scores import metric_sources
from analysis.selectors.ratings import ratings_of
from analysis.selectors.results import further_runs, result_latest, result_summary
from analysis.selectors.written import written_captions
from analysis.services.descriptions import description_request
from analysis.services.evaluations import evaluation_key, evaluation_request
from analysis.services.keys import key_owner
from analysis.services.requests import result_key, result_request
from analysis.services.snapshots import snapshot_refresh
from crowds.selectors.counting import uses_everybody
from daplatform import __version__
from daplatform.jobs.tasks import job_wake
from daplatform.throttling import WINDOW, is_refused_too_often
from hits.models import Campaign, Caption
from hits.views.access import campaigns_for

RETRY_AFTER = 5  # seconds
MOST_ROWS = 10**12
CLIP = ("whole", "start", "end", "part")


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


class Manual(Swagger):
    """Swagger's viewer, from our own machine, inside a page of ours."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        viewer = self.settings | {"url": self.get_openapi_url(api, kwargs)}
        return render(request, "analysis/api.html", {"viewer": viewer})


api = NinjaAPI(
    title="DA Platform",
    version=__version__,
    description="Campaigns and their results, as the pages show them.",
    auth=Key(),
    openapi_url="/openapi.json",
    docs_url="/",
    docs=Manual(settings={"defaultModelsExpandDepth": -1, "tryItOutEnabled": False}),
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


class Strict(Schema):
    """What may stand behind the question mark, and nothing else."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_others(cls, given: Any, info: ValidationInfo) -> Any:
        """A misspelt choice would quietly be answered with the protocol's own."""
        others = set(info.context["request"].GET) - set(cls.model_fields) if info.context else ()
        if others:
            known = ", ".join(cls.model_fields)
            raise ValueError(f"no such choice: {', '.join(sorted(others))}; there are {known}")
        return given


def known_level(given: float) -> float:
    _refuse_others(given, LEVELS)
    return given


def known_pairs(given: int | None) -> int | None:
    if given is not None:
        _refuse_others(given, PAIRS)
    return given


def _refuse_others(given: float, known: Sequence[float]) -> None:
    """Every choice that is asked for keeps a worker busy."""
    if given not in known:
        raise ValueError(f"choose one of {', '.join(f'{value:g}' for value in known)}")


Level = Annotated[float, AfterValidator(known_level)]
Pairs = Annotated[int | None, AfterValidator(known_pairs)]
ONE_LEVEL: Any = {"enum": list(LEVELS)}
ONE_NUMBER: Any = {"enum": [*PAIRS, None]}


class ChoicesIn(Strict):
    """Choices that change numbers; the protocol's own by default."""

    annotators: Literal["passed", "all", None] = Field(
        None, description="Whose ratings are used: as the campaign's rule says, unless chosen."
    )
    test: Literal["t", "wilcoxon"] = "t"
    basis: Literal["all", "captions"] = "all"
    resample: Literal["caption", "annotator"] = "caption"
    runs: Literal["all", "primary"] = "all"
    alpha: Level = Field(LEVELS[0], json_schema_extra=ONE_LEVEL)
    quality_alpha: Level = Field(LEVELS[0], json_schema_extra=ONE_LEVEL)
    min_pairs: Pairs = Field(None, json_schema_extra=ONE_NUMBER)


class PageIn(Strict):
    """A part of a list: rows from `offset` on, at most `limit` of them."""

    offset: int = Field(0, ge=0, le=MOST_ROWS)
    limit: int = Field(100, ge=1, le=1_000)

    @property
    def rows(self) -> slice:
        return slice(self.offset, self.offset + self.limit)


class PageOut(Schema):
    """A part of a list. `next` is the offset of the part that follows, null after the last."""

    count: int
    next: int | None
    items: list[dict[str, Any]]


class EvaluationChoicesIn(Strict):
    """How metrics are held against people."""

    annotators: Literal["passed", "all", None] = Field(
        None, description="Whose ratings are used: as the campaign's rule says, unless chosen."
    )
    alpha: Level = Field(LEVELS[0], json_schema_extra=ONE_LEVEL)
    quality_alpha: Level = Field(LEVELS[0], json_schema_extra=ONE_LEVEL)
    min_pairs: Pairs = Field(None, json_schema_extra=ONE_NUMBER)


class EvaluationOut(Schema):
    """The last finished evaluation. `is_current` is false while a newer one is being made."""

    is_current: bool
    signature: str | None
    problem: str | None
    notes: list[str]
    correlations: list[dict[str, Any]]
    williams: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    words: list[dict[str, Any]]


class FactualityOut(Schema):
    """Errors that people marked, as the page *Factuality* has them; empty where none are asked for.

    `older` judgements are of captions that were corrected since, and do not count. Nor do people
    whose work is `unfinished`, or who `failed` to find damaged words, where a campaign says so.
    """

    answers: int
    older: int
    unfinished: int
    failed: list[str]
    people: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    agreements: list[dict[str, Any]]
    controls: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    phrases: list[dict[str, Any]]
    shares: list[dict[str, Any]]
    examples: list[dict[str, Any]]
    kinds: list[dict[str, Any]]
    filled: dict[str, Any] | None


class ResultOut(Schema):
    """The last finished result. `is_current` is false while a newer one is being made."""

    is_current: bool
    signature: str | None
    problem: str | None
    counts: dict[str, int]
    systems: list[dict[str, Any]]
    significance: list[dict[str, Any]]
    annotators: list[dict[str, Any]]


class SetsChoicesIn(EvaluationChoicesIn):
    """Which campaigns are held together, this one among them."""

    together: list[str] = Field(description="Addresses of further campaigns.")
    left_out: list[str] = Field([], description="What does not count in the mean.")


class ComparisonChoicesIn(ChoicesIn):
    """With which other campaign this one is compared; both are analysed with the same choices."""

    other: str = Field(description="The address of the other campaign.")


class SignedIn(Strict):
    signature: str = Field(min_length=1)


class SignedOut(Schema):
    """What a signature belongs to, with its numbers, as long as it is kept."""

    kind: Literal["result", "evaluation", "sets", "description"]
    campaign: str
    result: ResultOut | None = None
    evaluation: EvaluationOut | None = None
    sets: SetsOut | None = None
    description: DescriptionOut | None = None


READ = ["What you can read"]
REFUSALS = {frozenset({401, 404, 429}): Refusal}


@api.get(
    "/campaigns",
    summary="Campaigns you may see",
    tags=READ,
    response={200: list[CampaignOut], frozenset({401, 429}): Refusal},
)
def campaigns(request: KeyRequest) -> Any:
    """The campaigns the key's owner may see."""
    return campaigns_for(request.auth)


@api.get(
    "/campaigns/{slug}", summary="One campaign", tags=READ, response={200: CampaignOut, **REFUSALS}
)
def campaign(request: KeyRequest, slug: str) -> Campaign:
    return get_object_or_404(campaigns_for(request.auth), slug=slug)


@api.get(
    "/campaigns/{slug}/captions",
    summary="Captions and references",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def captions(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """Captions and references with their videos and systems; corrected ones as they are now.

    Of a clip: the `whole` video it is part of, and its seconds.
    """
    found = own_campaign(request, slug)
    rows = Caption.objects.filter(system__campaign=found, retired_at=None).order_by("pk")
    names = ("video", "system", "role", "text", *CLIP)
    told = rows.values_list(
        "video__name", "system__name", "system__role", "text", *(f"video__clip__{x}" for x in CLIP)
    )[page.rows]
    return part([dict(zip(names, row, strict=True)) for row in told], rows.count(), page)


@api.get(
    "/campaigns/{slug}/ratings",
    summary="Ratings, under pseudonyms",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def ratings(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """Every answer that counts, as ratings.csv has it: under pseudonyms."""
    columns = snapshot_refresh(campaign=(found := own_campaign(request, slug))).read()
    if not len(columns["id"]):
        return {"count": 0, "next": None, "items": []}
    whole = ratings_of(found, columns)
    return part(records(ratings_table(whole, page.rows)), len(whole), page)


@api.get(
    "/campaigns/{slug}/scores",
    summary="Scores of metrics",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def scores(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """The scores of the chosen runs, metric by metric, by video and system."""
    sources = metric_sources(own_campaign(request, slug))
    wanted = Q(pk__in=[])
    for name, run in sources.items():
        wanted |= Q(run=run, metric=metric_of(name))
    rows = MetricScore.objects.filter(wanted).order_by("metric", "run", "caption")
    fields = {"video": F("caption__video__name"), "system": F("caption__system__name")}
    values = rows.values("metric", "value", label=F("run__label"), **fields)
    return part(list(values[page.rows]), rows.count(), page)


@api.get(
    "/campaigns/{slug}/factuality",
    summary="Errors that people marked",
    tags=READ,
    response={200: FactualityOut, **REFUSALS},
)
def factuality(request: KeyRequest, slug: str) -> Any:
    """Errors by level and by system, agreement between people, what they find of damaged words, and
    phrases that were marked more than once."""
    return plain(asdict(factuality_of(own_campaign(request, slug))))


@api.get(
    "/campaigns/{slug}/marks",
    summary="What is wrong: paragraphs, sentences and words, by person",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def marks(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """`annotator,video,system,level,sentence,word,value`, as marks.csv has it; 1 is wrong."""
    whole = long_table(judged_paragraphs(own_campaign(request, slug)))
    rows = {name: column[page.rows] for name, column in whole.items()}
    return part(records(rows), len(whole["value"]), page)


@api.get(
    "/campaigns/{slug}/answers",
    summary="Answers to every question, under pseudonyms",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def answers(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """A row for each answer that counts; a mark has the characters where it begins and ends. Where
    a campaign asks for nothing but scores, they are all in the ratings."""
    rows = answers_by_question(own_campaign(request, slug))
    return part(rows[page.rows], len(rows), page)


@api.get(
    "/campaigns/{slug}/written",
    summary="Captions that people wrote",
    tags=READ,
    response={200: PageOut, 422: Faults, **REFUSALS},
)
def written(request: KeyRequest, slug: str, page: Query[PageIn]) -> dict[str, Any]:
    """With what is doubtful about each, and whether somebody removed it from the references."""
    rows = [asdict(row) for row in written_captions(own_campaign(request, slug))]
    return part(rows[page.rows], len(rows), page)


@api.get(
    "/campaigns/{slug}/result",
    summary="Ranking, significance, annotators",
    tags=READ,
    response={frozenset({200, 202}): ResultOut, 422: Faults, **REFUSALS},
)
def result(
    request: KeyRequest, response: HttpResponse, slug: str, choices: Query[ChoicesIn]
) -> Any:
    """Ranking, significance and annotators. Asking has a newer one made if needed: then the answer
    is 202, with the last one and the seconds after which to ask again."""
    wanted, shown = ranked(own_campaign(request, slug), choices)
    return answered(response, [wanted], result_content(shown))


def ranked(found: Campaign, choices: ChoicesIn) -> tuple[Result | None, Result | None]:
    """The result of this moment, and the last one there is."""
    settings = Settings(
        keep_all_annotators=(choices.annotators or whose(uses_everybody(found))) == "all",
        test=choices.test,
        basis=choices.basis,
        resample=choices.resample,
        alpha=choices.alpha,
        quality_alpha=choices.quality_alpha,
        minimum_pairs=found.min_pairs if choices.min_pairs is None else choices.min_pairs,
        left_out=further_runs(found) if choices.runs == "primary" else (),
    )
    wanted = result_request(campaign=found, choices=settings)
    return wanted, result_latest(found, result_key(settings))


@api.get(
    "/campaigns/{slug}/comparison",
    summary="Two campaigns",
    tags=READ,
    response={frozenset({200, 202}): ComparisonOut, 422: Faults, **REFUSALS},
)
def comparison(
    request: KeyRequest, response: HttpResponse, slug: str, choices: Query[ComparisonChoicesIn]
) -> Any:
    """This campaign beside another: how scores go together, and which differences repeat.
    202 while either is being ranked, as for the result."""
    pairs = [ranked(own_campaign(request, one), choices) for one in (slug, choices.other)]
    (here, first), (there, second) = pairs
    return answered(response, [here, there], comparison_content(first, second))


@api.get(
    "/campaigns/{slug}/description",
    summary="What a paper says of its data",
    tags=READ,
    response={frozenset({200, 202}): DescriptionOut, 422: Faults, **REFUSALS},
)
def description(request: KeyRequest, response: HttpResponse, slug: str) -> Any:
    """Words, likeness of sources, people, scores, stability and cost, as the page *Data* has them.
    202 while newer ones are being made, as for the result."""
    found = own_campaign(request, slug)
    wanted = description_request(campaign=found)
    is_waiting = wanted is not None and wanted.is_active
    shown = description_latest(found) if is_waiting else wanted
    return answered(response, [wanted], description_content(shown))


@api.get(
    "/campaigns/{slug}/evaluation",
    summary="Metrics against people",
    tags=READ,
    response={frozenset({200, 202}): EvaluationOut, 422: Faults, **REFUSALS},
)
def evaluation(
    request: KeyRequest, response: HttpResponse, slug: str, choices: Query[EvaluationChoicesIn]
) -> Any:
    """Metrics against people: correlations with intervals, every test between metrics, systems; and
    where people mark words, how well metrics that score words find them.
    202 while a newer one is being made, as for the result."""
    wanted, shown = held(own_campaign(request, slug), choices)
    return answered(response, [wanted], evaluation_content(shown))


def held(
    found: Campaign,
    choices: EvaluationChoicesIn,
    *,
    sets: tuple[str, ...] = (),
    left_out: tuple[str, ...] = (),
) -> tuple[MetricEvaluation | None, MetricEvaluation | None]:
    """The evaluation of this moment, and the last one there is."""
    asked = Choices(
        annotators=choices.annotators or whose(uses_everybody(found)),
        alpha=choices.alpha,
        quality_alpha=choices.quality_alpha,
        min_pairs=choices.min_pairs,
        sets=sets,
        left_out=left_out,
    )
    wanted = evaluation_request(campaign=found, choices=asked)
    return wanted, evaluation_latest(found, evaluation_key(asked))


@api.get(
    "/campaigns/{slug}/sets",
    summary="Metrics over several campaigns",
    tags=READ,
    response={frozenset({200, 202}): SetsOut, 422: Faults, **REFUSALS},
)
def sets(
    request: KeyRequest, response: HttpResponse, slug: str, choices: Query[SetsChoicesIn]
) -> Any:
    """Metrics against the people of this campaign and of others: each by itself, their mean, pooled
    tests, and a mix. 202 while a newer one is being made, as for the result."""
    found = own_campaign(request, slug)
    for one in {*choices.together, *choices.left_out}:
        own_campaign(request, one)  # or there is nothing of that name
    wanted, shown = held(
        found,
        choices,
        sets=tuple(sorted({*choices.together} - {slug})),
        left_out=tuple(sorted({*choices.left_out})),
    )
    return answered(response, [wanted], sets_content(shown))


@api.get(
    "/signed",
    summary="What a signature belongs to",
    tags=READ,
    response={200: SignedOut, 422: Faults, **REFUSALS},
)
def signed(request: KeyRequest, asked: Query[SignedIn]) -> dict[str, Any]:
    """The result, evaluation or description that a signature belongs to: quoted beside a number,
    it leads back to all of them. The last three of the same choices are kept."""
    mine = campaigns_for(request.auth)
    alone = Q(choices__sets__isnull=True) | Q(choices__sets=[])
    evaluations = MetricEvaluation.objects
    kinds: tuple[tuple[str, Any, Any], ...] = (
        ("result", Result.objects, result_content),
        ("evaluation", evaluations.filter(alone), evaluation_content),
        ("sets", evaluations.exclude(alone), sets_content),
        ("description", Description.objects, description_content),
    )
    for kind, rows, content in kinds:
        kept = rows.filter(signature=asked.signature, campaign__in=mine)
        row = kept.select_related("campaign").first()
        if row is not None and sees_all(request, row):
            return {"kind": kind, "campaign": row.campaign.slug, kind: content(row)}
    raise Http404("No stored result has this signature.")


def sees_all(request: KeyRequest, row: Computed) -> bool:
    """Whether every campaign that is in it is one of theirs."""
    further = set(row.choices.get("sets", ()))
    return campaigns_for(request.auth).filter(slug__in=further).count() == len(further)


def own_campaign(request: KeyRequest, slug: str) -> Campaign:
    return get_object_or_404(campaigns_for(request.auth), slug=slug)


def part(items: list[Any], count: int, page: PageIn) -> dict[str, Any]:
    end = page.rows.stop
    return {"count": count, "next": end if end < count else None, "items": items}


def answered(
    response: HttpResponse, wanted: Sequence[Computed | None], content: dict[str, Any]
) -> Any:
    """What there is; and where something newer is wanted, workers are woken for it."""
    waiting = [one for one in wanted if one is not None and one.is_active]
    if not waiting:
        return content
    for one in waiting:
        job_wake(one)
    response["Retry-After"] = str(RETRY_AFTER)
    return 202, content | {"is_current": False}


def result_content(shown: Result | None) -> dict[str, Any]:
    summary = result_summary(shown) if shown and shown.signature else None
    tables = summary.tables() if summary else {}
    return {
        "is_current": True,
        "signature": shown.signature if shown else None,
        "problem": shown.problem if shown else None,
        "counts": asdict(summary.counts) if summary else {},
        "systems": system_rows(summary.numbers["ranking"]) if summary else [],
        "significance": records(tables["significance"]()) if summary else [],
        "annotators": _annotators(shown) if shown and summary else [],
    }


def _annotators(shown: Result) -> list[dict[str, Any]]:
    """Each with whether their ratings are used, and why, as the pages say it."""
    summary = result_summary(shown)
    statuses = {row.annotator: row.status for row in summary.numbers["annotators"].annotators}
    known = uses_explained(shown, statuses)
    rows = [row | known[row["annotator"]] for row in records(summary.tables()["annotators"]())]
    if not shown.campaign.attention:
        return rows
    attention = attention_by_person(shown.campaign)
    return [row | _attention(attention.get(row["annotator"])) for row in rows]


def _attention(of: Attention | None) -> dict[str, int]:
    """Attention checks that were answered, and answered as they say."""
    of = of or Attention()
    return {"attention_checks": of.checks, "attention_passed": of.passed}


def evaluation_content(shown: MetricEvaluation | None) -> dict[str, Any]:
    """Where the numbers are not on this machine, as after a restore, the lists are empty."""
    names = ("correlations", "williams", "systems")
    try:
        numbers = evaluation_numbers(shown) if shown and shown.signature else None
    except (FileNotFoundError, ValueError):
        numbers = None
    found = numbers.evaluation if numbers else None
    return {
        "is_current": True,
        "signature": shown.signature if shown else None,
        "problem": shown.problem if shown else None,
        "notes": shown.summary.get("notes", []) if shown else [],
        "words": plain(word_rows(found)) if found else [],
    } | {name: records(evaluation_table(found, (), False, name)) if found else [] for name in names}
