"""Automatic metrics of a campaign: asked for, watched while they are computed, read by system."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable
from dataclasses import Field
from pathlib import Path
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.files import as_texts, read_references
from analysis.metrics.scoring import label_checked
from analysis.metrics.settings import SETTINGS, Settings
from analysis.models import LearnedMetric, MetricRun
from analysis.presenting.charts import means_spec
from analysis.selectors import metric_progress, metric_scores
from analysis.selectors.learned_metrics import (
    learned_numbers,
    learned_of,
    learning_lack,
    name_proposed,
)
from analysis.selectors.metric_choices import (
    Group,
    metric_groups,
    metric_workers,
    models_offered,
    needs_consent,
)
from analysis.services import metric_runs
from analysis.tasks import metric_worker_report_task
from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from daplatform.tables import Faults
from hits.models import Campaign
from hits.views.access import MemberRequest, campaigns_for, for_campaign

MAY_SCORE = "analysis.add_metricrun"
FAULTS_SHOWN = 50
FILES = ("scores.csv", "scores.csv.json", "captions.csv", "references.csv")


class LearnForm(forms.Form):
    """What kind of metric shall learn from the ratings, and what it is called."""

    kind = forms.ChoiceField(choices=LearnedMetric.Kind.choices, label="Kind")
    name = forms.CharField(
        max_length=40,
        label="Name",
        help_text="The name of the metric in tables. A name is never reused.",
    )
    scores_after = forms.BooleanField(
        label="Score this campaign with it once it is trained", required=False, initial=True
    )


class MetricsForm(forms.Form):
    """Which metrics to compute, and with what; the papers' own values first.

    A field for each setting of the metrics is made from the setting itself.
    """

    metrics = forms.MultipleChoiceField(
        error_messages={
            "required": "Select at least one metric.",
            "invalid_choice": "%(value)s cannot be computed for this campaign.",
        }
    )
    model = forms.ChoiceField(
        label="Image–text model",
        required=False,
        help_text="“demo” only knows the rendered scenes of the demo.",
    )
    anyway = forms.BooleanField(
        label="Use the demo model for these videos anyway",
        required=False,
        help_text="The scores will be meaningless, and every table will say so.",
    )
    label = forms.CharField(
        label="Label",
        required=False,
        max_length=40,
        help_text="Keeps these scores apart from those computed with other settings.",
    )
    corpus = forms.FileField(
        label="Corpus",
        required=False,
        help_text="A table video,source,caption to count rare words in, instead of the references.",
    )

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        can: Iterable[str],
        models: Iterable[str],
        asks_consent: bool = False,
    ) -> None:
        """``can``: the metrics that can be computed; ``models``: entries of METRIC_MODELS;
        ``asks_consent``: whether the demo model is among them and not made for these videos."""
        super().__init__(data, files)
        self._can = list(can)
        self._offer("metrics", [(name, name) for name in self._can])
        named = [(entry, Path(ModelChoice.named(entry).model).name) for entry in models]
        self._offer("model", named or [("", "None")])
        for name, setting in SETTINGS.items():
            self.fields[name] = setting_field(setting)
        if not asks_consent:
            del self.fields["anyway"]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    @property
    def ticked(self) -> set[str]:
        """All that can be computed, until somebody has chosen."""
        return set(self["metrics"].value() or () if self.is_bound else self._can)

    @property
    def settings(self) -> list[forms.BoundField]:
        """The fields of the metrics' settings, but that of frames, which stands by itself."""
        return [self[name] for name in SETTINGS if name != "frames"]

    def clean_corpus(self) -> metric_runs.Corpus | None:
        given: UploadedFile[bytes] | None = self.cleaned_data["corpus"]
        if given is None:
            return None
        faults = Faults()
        name = Path(given.name or "corpus.csv")
        with tempfile.TemporaryDirectory(prefix="da-corpus-") as folder:
            path = Path(folder) / f"corpus{name.suffix}"
            path.write_bytes(given.read())
            references = as_texts(read_references(path, faults))
        if faults.errors:
            raise forms.ValidationError([str(fault) for fault in faults])
        return metric_runs.Corpus(name.name, references)

    def clean_label(self) -> str:
        try:
            return label_checked(self.cleaned_data["label"].strip())
        except ValueError as error:
            raise forms.ValidationError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None

    def clean(self) -> None:
        """What was left empty is as the papers have it."""
        given = {name: self.cleaned_data.get(name) for name in SETTINGS}
        try:
            self.chosen = Settings(
                **{name: value for name, value in given.items() if value not in (None, "")}
            )
        except ValueError as error:
            raise forms.ValidationError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None


def setting_field(setting: Field[Any]) -> forms.Field:
    """The field of a metric's setting, made from the setting."""
    about = setting.metadata
    told = {"label": about["label"], "help_text": about["help_text"], "required": False}
    if about["offered"]:
        offered = list(about["offered"].items())
        return forms.ChoiceField(choices=offered, initial=setting.default, **told)
    kind: type[forms.Field] = {
        bool: forms.BooleanField,
        int: forms.IntegerField,
        float: forms.FloatField,
    }.get(type(setting.default), forms.CharField)
    return kind(initial=setting.default, **told)


@require_safe
@for_campaign()
def metrics(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """The page polls itself while a run is under way, and is loaded anew when it has ended."""
    if request.htmx:
        run = metric_progress.run_latest(campaign)
        if run is None or not run.is_active:
            return HttpResponseClientRefresh()
        return render(request, "analysis/_metric_run.html", run_context(campaign, run))
    return metrics_page(request, campaign)


@require_POST
@for_campaign(MAY_SCORE)
def metric_score(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    groups = metric_groups(campaign, metric_workers(), campaigns_for(request.user))
    form = metrics_form(campaign, groups, request.POST, request.FILES)
    if not form.is_valid():
        return metrics_page(request, campaign, form=form)
    try:
        run = metric_runs.metric_run_request(
            campaign=campaign,
            requested_by=request.user,
            metrics=form.cleaned_data["metrics"],
            chosen=form.chosen,
            model=ModelChoice.named(form.cleaned_data["model"]),
            anyway=form.cleaned_data.get("anyway", False),
            corpus=form.cleaned_data["corpus"],
            label=form.cleaned_data["label"],
        )
    except DomainError as error:
        return metrics_page(request, campaign, form=form, error=str(error))
    job_wake(run)
    return redirect("analysis:metrics", campaign.slug)


@require_POST
@for_campaign(MAY_SCORE)
def metric_cancel(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    run = get_object_or_404(MetricRun, campaign=campaign, pk=pk)
    try:
        metric_runs.metric_run_cancel(run=run)
    except DomainError as error:
        return metrics_page(request, campaign, error=str(error))
    messages.success(request, "Scoring has been cancelled. Embeddings are kept.")
    return redirect("analysis:metrics", campaign.slug)


@require_POST
@for_campaign(MAY_SCORE)
def metric_choose(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """Take a run into tables and comparisons with people, or out of them."""
    run = get_object_or_404(MetricRun, campaign=campaign, pk=pk)
    metric_runs.metric_run_choose(run=run, is_chosen=request.POST.get("chosen") == "yes")
    return redirect("analysis:metrics", campaign.slug)


@require_POST
@for_campaign(MAY_SCORE)
def metric_retry(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    run = get_object_or_404(MetricRun, campaign=campaign, pk=pk)
    try:
        for chunk in metric_runs.metric_run_retry(run=run):
            job_wake(chunk)
    except DomainError as error:
        return metrics_page(request, campaign, error=str(error))
    return redirect("analysis:metrics", campaign.slug)


@require_safe
@for_campaign()
def metric_file(request: MemberRequest, campaign: Campaign, name: str) -> HttpResponseBase:
    """What `manage.py score` writes, and what it would have read."""
    if name not in FILES:
        raise Http404("There is no such file.")
    with tempfile.TemporaryDirectory(prefix="da-scores-") as folder:
        try:
            metric_scores.files_write(campaign, Path(folder))
        except ValueError as error:
            raise Http404(str(error)) from None
        content = io.BytesIO((Path(folder) / name).read_bytes())
    return FileResponse(content, as_attachment=True, filename=f"{campaign.slug}-{name}")


def metrics_form(
    campaign: Campaign, groups: list[Group], data: object = None, files: object = None
) -> MetricsForm:
    can = [choice.name for group in groups for choice in group.choices if not choice.reason]
    return MetricsForm(
        data,
        files,
        can=can,
        models=models_offered(campaign),
        asks_consent=needs_consent(campaign),
    )


def metrics_page(
    request: MemberRequest,
    campaign: Campaign,
    *,
    form: MetricsForm | None = None,
    learn_form: LearnForm | None = None,
    error: str = "",
) -> HttpResponseBase:
    workers = metric_workers()
    if not workers:
        metric_worker_report_task.delay_on_commit()  # type: ignore[attr-defined]
    groups = metric_groups(campaign, workers, campaigns_for(request.user))
    run = metric_progress.run_latest(campaign)
    table = metric_scores.metric_table(campaign)
    context = run_context(campaign, run) | {
        "groups": groups,
        "workers": workers,
        "form": form or metrics_form(campaign, groups),
        "table": table,
        "means": means_spec(table.means) if table and table.means else None,
        "learned": [(row, learned_numbers(row)) for row in learned_of(campaign)],
        "learning_lack": learning_lack(campaign, workers),
        "learn_form": learn_form or LearnForm(initial={"name": name_proposed()}),
        "error": error,
    }
    failed = error or any(each is not None and each.errors for each in (form, learn_form))
    return render(request, "analysis/metrics.html", context, status=400 if failed else 200)


def run_context(campaign: Campaign, run: MetricRun | None) -> dict[str, object]:
    if run is None:
        return {"campaign": campaign, "run": None}
    progress = metric_progress.run_progress(run)
    faults = metric_progress.run_faults(run)
    return {
        "campaign": campaign,
        "run": run,
        "is_running": run.is_active,
        "progress": progress,
        "time_left": metric_progress.time_left(progress),
        "faults": faults[:FAULTS_SHOWN],
        "more_faults": max(len(faults) - FAULTS_SHOWN, 0),
        "may_retry": metric_runs.metric_run_may_retry(run),
    }
