"""Metrics against people: which metric to trust, how surely, and which captions are odd."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from django import forms
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from analysis.evaluation import headings, sentences
from analysis.evaluation.matrix import williams_table
from analysis.evaluation.page import DRIFT, evaluation_page, human_page
from analysis.evaluation.pictures import Picture
from analysis.evaluation.points import marks_of, odd_captions, points_of, scatter_spec
from analysis.evaluation.reference_curve import DRAWN, best_metrics
from analysis.evaluation.robustness.referencing import NUMBERS
from analysis.evaluation.settings import UNSEEN, Choices
from analysis.evaluation.storing import Evaluated
from analysis.forms import OptionsForm, level_of, pairs_needed, whose, whose_ratings
from analysis.metrics.registry import families
from analysis.metrics.scoring import metric_of
from analysis.models import MetricEvaluation
from analysis.presenting.exports import records
from analysis.presenting.listings import as_table
from analysis.selectors.evaluations import (
    evaluation_folder,
    evaluation_has_points,
    evaluation_latest,
    evaluation_makers,
    evaluation_numbers,
    evaluation_points,
    evaluation_under_way,
)
from analysis.services.evaluations import evaluation_key, evaluation_request
from analysis.views.latest import checked, made_file
from crowds.selectors.counting import uses_everybody
from daplatform.jobs.tasks import job_wake
from hits.models import Campaign, Caption
from hits.protocols import AnnotationProtocol
from hits.views.access import MemberRequest, campaigns_for, for_campaign

ODD_SHOWN = 20
DEFAULTS = Choices()


def marked_choices(protocol: AnnotationProtocol) -> list[tuple[str, str]]:
    """The scores that people's marks give, beside those of the ranking."""
    if not protocol.marks:
        return []
    asked = "level" if protocol.scale.is_ordinal else "score"
    return [
        ("paragraph", f"Paragraphs: median {asked}"),
        ("sentence", "Sentences: share without a mark"),
        ("word", "Words: share not marked"),
        *([("mqm", "MQM score: minus the weights of marks")] if protocol.weights else []),
    ]


class EvaluationForm(OptionsForm):
    """How metrics are held against people; all optional."""

    annotators = whose_ratings()
    human = forms.ChoiceField(
        required=False,
        choices=[("z", "Standardised, z"), ("raw", "Raw")],
        label="Which scores",
    )
    quality_alpha = level_of("Significance level, quality control")
    min_pairs = pairs_needed()
    alpha = level_of("Significance level, tests")
    direction = forms.ChoiceField(
        required=False,
        choices=[
            ("human_on_metric", "In people’s scores"),
            ("metric_on_human", "In the metric’s scores"),
        ],
        label="What counts as an outlier",
    )
    checks = forms.ChoiceField(
        required=False,
        choices=[
            ("", "From existing scores"),
            ("all", "Computed again: words shuffled, fewer references, foils"),
        ],
        label="Robustness",
    )
    learned = forms.ChoiceField(
        required=False,
        choices=[
            ("", "Leave out those trained on these captions"),
            (UNSEEN, "Compare on captions they have not seen"),
        ],
        label="Learned metrics",
    )

    def __init__(self, data: Mapping[str, str], *, asked: AnnotationProtocol | None = None) -> None:
        """Where people mark words, there are scores of every level beside those of the ranking."""
        super().__init__(data)
        if asked:
            human = cast(forms.ChoiceField, self.fields["human"])
            human.choices = [*cast(list[tuple[str, str]], human.choices), *marked_choices(asked)]

    def wanted(self, *, everybody: bool = False) -> Choices:
        """The choices that change numbers; call after `is_valid`.

        Whether ``everybody`` is used is what the campaign asks for, where nothing else is chosen.
        """
        chosen = self.cleaned_data
        return Choices(
            annotators=chosen["annotators"] or whose(everybody),
            alpha=chosen["alpha"] or DEFAULTS.alpha,
            quality_alpha=chosen["quality_alpha"] or DEFAULTS.quality_alpha,
            min_pairs=chosen["min_pairs"],
            direction=chosen["direction"] or DEFAULTS.direction,
            checks=chosen["checks"],
            learned=chosen["learned"],
        )


class Wanting(Protocol):
    """A form that knows what is wanted of an evaluation."""

    def wanted(self, *, everybody: bool = False) -> Choices: ...


class PointsForm(forms.Form):
    """Which metric the picture of captions shows: the best, unless another is chosen."""

    metric = forms.ChoiceField(label="Captions by")

    def __init__(self, data: Mapping[str, str], *, metrics: Mapping[str, str]) -> None:
        """``metrics``: one or more, best first, and how each is shown."""
        super().__init__({"metric": data.get("metric") or next(iter(metrics))})
        cast(forms.ChoiceField, self.fields["metric"]).choices = list(metrics.items())


@require_safe
@for_campaign()
def evaluation(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What was made last; something newer is being made while this is shown."""
    form = checked(EvaluationForm(request.GET, asked=campaign.asked))
    shown, is_waiting = latest_evaluation(request, campaign, form)
    context = {"campaign": campaign, "form": form, "result": shown, "is_waiting": is_waiting}
    if is_waiting:
        wanted = form.wanted(everybody=uses_everybody(campaign))
        context["under_way"] = evaluation_under_way(campaign, evaluation_key(wanted))
    context["is_lost"] = (
        shown is not None and shown.signature != "" and not evaluation_has_points(shown)
    )
    if request.htmx:
        return news(request, context)
    if shown is None and not is_waiting:
        context["has_ratings"] = campaign.ratings.exists()
    elif shown is not None and shown.status != MetricEvaluation.Status.FAILED:
        context |= numbers_context(request, shown, form)
    return render(request, "analysis/evaluation.html", context)


@require_safe
@for_campaign()
def evaluation_file(
    request: MemberRequest, campaign: Campaign, pk: int, name: str
) -> HttpResponseBase:
    """One of its files, as the command line would have written it."""
    found = made_evaluation(request, campaign, pk)
    try:
        makers = evaluation_makers(found)
    except (ValueError, FileNotFoundError):
        raise Http404("This result no longer exists. Open the page again.") from None
    filename = f"{campaign.slug}-evaluation-{name}"
    return made_file(request, found, evaluation_folder(found), name, makers, filename)


def made_evaluation(request: MemberRequest, campaign: Campaign, pk: int) -> MetricEvaluation:
    """One that is made, if this person may see every campaign it contains."""
    made = MetricEvaluation.objects.select_related("campaign").exclude(signature="")
    found: MetricEvaluation = get_object_or_404(made, campaign=campaign, pk=pk)
    further = set(found.choices.get("sets", ()))
    if campaigns_for(request.user).filter(slug__in=further).count() != len(further):
        raise Http404("This person may not see every campaign that is in it.")
    return found


def latest_evaluation(
    request: MemberRequest, campaign: Campaign, form: Wanting
) -> tuple[MetricEvaluation | None, bool]:
    """What can be shown, and whether something newer is being made; the first visit wakes a
    worker for it."""
    choices = form.wanted(everybody=uses_everybody(campaign))
    wanted = evaluation_request(campaign=campaign, choices=choices)
    if wanted is None:
        return None, False
    if not wanted.is_active:
        return wanted, False
    if not request.htmx:  # htmx: a page looks again
        job_wake(wanted)
    return evaluation_latest(campaign, evaluation_key(choices)), True


def news(request: MemberRequest, context: dict[str, Any]) -> HttpResponseBase:
    """What a page that waits is told: the first result it shows itself, a newer one it offers."""
    if not context["is_waiting"] and request.GET.get("seen", "") == "":
        return HttpResponseClientRefresh()
    return render(request, "analysis/_evaluation_news.html", context)


def numbers_context(
    request: MemberRequest, shown: MetricEvaluation, form: EvaluationForm
) -> dict[str, Any]:
    """What its numbers say; a restore brings back rows alone, and they are made again then."""
    try:
        evaluated = evaluation_numbers(shown)
    except (FileNotFoundError, ValueError):
        return {"is_lost": True}
    return evaluation_context(request, shown, form, evaluated)


def evaluation_context(
    request: MemberRequest, shown: MetricEvaluation, form: EvaluationForm, evaluated: Evaluated
) -> dict[str, Any]:
    human = form.cleaned_data["human"] or "z"
    page, part = evaluation_page(evaluated), human_page(evaluated, human)
    alpha = shown.choices["alpha"]
    return {
        "page": page | {"notes": shown.summary["notes"]},
        "part": part,
        "human": human,
        "alpha": alpha,
        "choices": {name: request.GET[name] for name in form.fields if request.GET.get(name)},
        "levels": [
            ("Captions", *level_table(part, "captions", headings.CAPTION_HEADINGS)),
            ("Systems", *level_table(part, "systems", headings.SYSTEM_HEADINGS)),
        ],
        "measured": measured(part["labels"]),
        "matrices": [
            (over, part["tests"][over]["n"], williams_table(part["tests"][over], alpha))
            for over in ("captions", "systems")
        ],
        "agreements": drawn_of(part, "correlations"),
        "heat_maps": drawn_of(part, "williams"),
        "direction": headings.DIRECTIONS[shown.choices["direction"]],
        "filter_headings": filter_headings(page),
        "checks": [
            (sentences.CHECKED[name], conditions("Condition", best_first(part)), rows, name)
            for name, rows in part["checks"].items()
        ],
        "drift_text": sentences.CHECKED[DRIFT],
        "drift_headings": conditions("Set", best_first(part)),
        "curves": [(f"{drawn.name}-spec", drawn) for drawn in part["curve_pictures"]],
        "curve_metrics": DRAWN,
        "references_text": sentences.CHECKED[NUMBERS],
        "references_headings": conditions("References", best_metrics(part["curve"])),
    } | picture_context(request, shown, part, human)


def drawn_of(part: dict[str, Any], what: str) -> list[tuple[str, Picture]]:
    """Pictures over captions and over systems, with their ids on the page."""
    found = part["pictures"]
    names = [f"{what}-{over}" for over in ("captions", "systems")]
    return [(f"{name}-spec", found[name]) for name in names if name in found]


def best_first(part: dict[str, Any]) -> list[str]:
    """Metrics in the order of their correlation over captions."""
    return [row["metric"] for row in part["levels"]["captions"]]


def measured(metrics: Mapping[str, str]) -> list[tuple[str, str]]:
    """What each measures, in one line; of metrics from elsewhere nobody knows."""
    known = {name: text for family in families() for name, text in family.metrics.items()}
    return [
        (shown, known[metric_of(name)])
        for name, shown in metrics.items()
        if metric_of(name) in known
    ]


def conditions(heading: str, metrics: Iterable[str]) -> dict[str, str]:
    """Headings of a check: a row for each condition, a column for each metric."""
    return {"condition": heading, "n": "n", **{name: name for name in metrics}}


def level_table(
    part: dict[str, Any], level: str, known: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows and headings, without columns that say nothing."""
    rows = part["levels"][level]
    empty = set() if part["has_ceiling"] else {"pearson_corrected"}
    empty |= set() if any(row["reason"] for row in rows) else {"reason"}
    return rows, {name: text for name, text in known.items() if name not in empty}


def filter_headings(page: dict[str, Any]) -> dict[str, str]:
    return {
        name: text
        for name, text in headings.FILTERS.items()
        if page["placebo"] or "placebo" not in name
    }


def picture_context(
    request: MemberRequest, shown: MetricEvaluation, part: dict[str, Any], human: str
) -> dict[str, Any]:
    """Captions by one metric and people; without the file behind it there is no picture."""
    picture = checked(PointsForm(request.GET, metrics=part["labels"]))
    chosen, points = picture.cleaned_data["metric"], evaluation_points(shown)
    metric = part["labels"][chosen]
    if points is None:
        return {"picture": picture, "metric": metric}
    captions = points_of(points, human, chosen)
    odd = odd_captions(captions)
    systems = dict(shown.campaign.systems.values_list("name", "pk"))

    def address(video: int, system: str) -> str:
        page = reverse("analysis:video-scores", args=[shown.campaign.slug, video])
        return f"{page}#system-{systems.get(system, '')}"

    return {
        "picture": picture,
        "metric": metric,
        "spec": scatter_spec(marks_of(captions, address), human=human, metric=metric),
        "odd_count": odd.num_rows,
        "count": captions.num_rows,
        "odd": odd_rows(shown.campaign, records(as_table(odd.slice(0, ODD_SHOWN)))),
    }


def odd_rows(campaign: Campaign, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With the caption's id, to ask why it has its score, and its video, for a frame; of a
    corrected caption the last one's."""
    found = Caption.objects.filter(
        system__campaign=campaign, video__in={row["video"] for row in rows}
    ).select_related("video", "system")
    captions = {(one.video_id, one.system.name): one for one in found.order_by("pk")}
    return [
        row | {"caption": caption, "shown": caption.video if caption else None}
        for row in rows
        for caption in [captions.get((row["video"], row["system"]))]
    ]
