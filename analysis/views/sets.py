"""Metrics against the people of several campaigns: years of a task, or whole data sets."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.evaluation.set_files import (
    LEVELS,
    best_sentence,
    mix_file,
    set_pictures,
    set_table,
    tables_of,
)
from analysis.evaluation.sets import SetEvaluation
from analysis.evaluation.settings import Choices
from analysis.forms import level_of, whose, whose_ratings
from analysis.models import MetricEvaluation
from analysis.selectors.evaluations import evaluation_under_way, set_numbers
from analysis.services.evaluations import evaluation_key
from analysis.views.evaluation import DEFAULTS, latest_evaluation, news
from analysis.views.latest import checked
from crowds.selectors.counting import uses_everybody
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign

UNSEEN = {"split": "Split", "scale": "Scale", "set": "Campaign", "metric": "Metric", "n": "n"}
UNSEEN |= {"pearson": "r", "kendall_b": "τ-b"}
WEIGHTS = {"metric": "Metric", "coefficient": "Coefficient", "low": "from", "high": "to"}
WEIGHTS |= {"standardised": "Standardised"}


class SetsForm(forms.Form):
    """Which campaigns are held against people together, and how."""

    sets = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        label="Together with",
        widget=forms.CheckboxSelectMultiple,
    )
    left_out = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        label="Leave out of the mean",
        widget=forms.CheckboxSelectMultiple,
    )
    annotators = whose_ratings()
    human = forms.ChoiceField(
        required=False, choices=[("z", "Standardised, z"), ("raw", "Raw")], label="Which scores"
    )
    alpha = level_of("Significance level, tests")

    def __init__(self, data: Any = None, *, campaign: Campaign, others: QuerySet[Campaign]) -> None:
        super().__init__(data)
        field = cast(forms.ModelMultipleChoiceField[Campaign], self.fields["sets"])
        field.queryset = others.exclude(pk=campaign.pk)
        field = cast(forms.ModelMultipleChoiceField[Campaign], self.fields["left_out"])
        field.queryset = others

    def wanted(self, *, everybody: bool = False) -> Choices:
        """As in `EvaluationForm`; call after `is_valid`."""
        chosen = self.cleaned_data
        return Choices(
            annotators=chosen["annotators"] or whose(everybody),
            alpha=chosen["alpha"] or DEFAULTS.alpha,
            sets=tuple(sorted(one.slug for one in chosen["sets"])),
            left_out=tuple(sorted(one.slug for one in chosen["left_out"])),
        )


@require_safe
@for_campaign()
def sets(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """This campaign and others of this person's, each by itself, averaged and pooled."""
    form = checked(SetsForm(request.GET, campaign=campaign, others=campaigns_for(request.user)))
    context: dict[str, Any] = {"campaign": campaign, "form": form}
    choices = form.wanted(everybody=uses_everybody(campaign))
    if not choices.sets:
        return render(request, "analysis/sets.html", context)
    shown, is_waiting = latest_evaluation(request, campaign, form)
    context |= {"result": shown, "is_waiting": is_waiting, "is_asked": True}
    if is_waiting:
        context["under_way"] = evaluation_under_way(campaign, evaluation_key(choices))
    if request.htmx:
        return news(request, context)
    if shown is not None and shown.status != MetricEvaluation.Status.FAILED:
        context |= numbers_context(shown, form.cleaned_data["human"] or "z")
    return render(request, "analysis/sets.html", context)


def numbers_context(shown: MetricEvaluation, human: str) -> dict[str, Any]:
    """What its numbers say; a restore brings back rows alone, and they are made again then."""
    try:
        found = set_numbers(shown)
    except (FileNotFoundError, ValueError):
        return {"is_lost": True}
    return {
        "found": found,
        "levels": [level_context(found, at) for at in levels_of(found, human)],
        "mixes": [mix for mix in found.fusions if mix.human == human],
        "unseen_headings": UNSEEN,
        "weight_headings": WEIGHTS,
        "files": tables_of(found),
        "mix_files": [mix_file(mix) for mix in found.fusions if mix.human == human],
    }


def levels_of(found: SetEvaluation, human: str) -> list[int]:
    return [at for at, level in enumerate(found.levels) if level.human == human]


def level_context(found: SetEvaluation, at: int) -> dict[str, Any]:
    level = found.levels[at]
    headings, rows = set_table(found, level)
    return {
        "name": level.level,
        "title": LEVELS[level.level],
        "sentence": best_sentence(found, level),
        "pictures": [
            (f"{what}-{level.level}-spec", picture)
            for what, picture in set_pictures(found, level).items()
        ],
        "headings": headings,
        "rows": rows,
    }
