"""Metrics against the people of several campaigns: years of a task, or whole data sets."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from analysis.evaluation.mixes import mix_file
from analysis.evaluation.naming import named_sets
from analysis.evaluation.sentences import SYSTEMS_FIXED
from analysis.evaluation.set_files import (
    LEVELS,
    best_sentence,
    set_pictures,
    set_table,
    tables_of,
)
from analysis.evaluation.sets import SetEvaluation
from analysis.evaluation.settings import Choices
from analysis.forms import level_of, pairs_needed, whose, whose_ratings
from analysis.models import MetricEvaluation
from analysis.selectors.evaluations import evaluation_under_way, set_numbers
from analysis.selectors.learned_metrics import name_proposed
from analysis.services.evaluations import evaluation_key
from analysis.services.mixes import mix_keep
from analysis.views.evaluation import DEFAULTS, latest_evaluation, made_evaluation, news
from analysis.views.latest import checked
from analysis.views.metrics import MAY_SCORE
from crowds.selectors.counting import uses_everybody
from daplatform.errors import DomainError
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign

UNSEEN = {"split": "Split", "scale": "Scale", "set": "Campaign", "metric": "Metric", "n": "n"}
UNSEEN |= {"pearson": "r", "kendall_b": "τ-b"}
WEIGHTS = {"metric": "Metric", "coefficient": "Coefficient", "low": "from", "high": "to"}
WEIGHTS |= {"standardised": "Standardised"}


HUMANS = [("z", "Standardised, z"), ("raw", "Raw")]


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
    human = forms.ChoiceField(required=False, choices=HUMANS, label="Which scores")
    quality_alpha = level_of("Significance level, quality control")
    min_pairs = pairs_needed()
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
            quality_alpha=chosen["quality_alpha"] or DEFAULTS.quality_alpha,
            min_pairs=chosen["min_pairs"],
            sets=tuple(sorted(one.slug for one in chosen["sets"])),
            left_out=tuple(sorted(one.slug for one in chosen["left_out"])),
        )


class MixForm(forms.Form):
    """Under which name the mix becomes a metric."""

    human = forms.ChoiceField(choices=HUMANS, widget=forms.HiddenInput)
    name = forms.CharField(
        max_length=40, label="Name", help_text="Of the metric in tables. It is never given again."
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


@require_POST
@for_campaign(MAY_SCORE)
def mix_use(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """The mix as a metric, offered to whoever may see this campaign."""
    found, form = made_evaluation(request, campaign, pk), MixForm(request.POST)
    try:
        if not form.is_valid():
            raise DomainError("Give the mix a name of at most 40 characters.")
        row = mix_keep(evaluation=found, requested_by=request.user, **form.cleaned_data)
    except DomainError as error:
        messages.error(request, str(error))
        return redirect(_address(campaign, found))
    return redirect("analysis:learned-metric", campaign.slug, row.pk)


def _address(campaign: Campaign, found: MetricEvaluation) -> str:
    """The page with the choices of an evaluation."""
    names = ("sets", "left_out", "annotators", "alpha", "quality_alpha", "min_pairs")
    chosen = {name: found.choices.get(name) for name in names}
    query = urlencode({name: one for name, one in chosen.items() if one is not None}, doseq=True)
    return f"{reverse('analysis:sets', args=[campaign.slug])}?{query}"


def numbers_context(shown: MetricEvaluation, human: str) -> dict[str, Any]:
    """What its numbers say; a restore brings back rows alone, and they are made again then."""
    try:
        found = named_sets(set_numbers(shown))
    except (FileNotFoundError, ValueError):
        return {"is_lost": True}
    return {
        "found": found,
        "intervals": f"Intervals draw videos within each campaign. {SYSTEMS_FIXED}",
        "levels": [level_context(found, at) for at in levels_of(found, human)],
        "mixes": [mix for mix in found.fusions if mix.human == human],
        "mix_form": MixForm(initial={"human": human, "name": name_proposed("mix")}),
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
