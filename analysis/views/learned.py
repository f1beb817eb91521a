"""A metric that learns from a campaign's ratings: begun, followed, its card, retired."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from analysis.learning.held_out import HeldOut, said
from analysis.models import LearnedMetric
from analysis.presenting.charts import Chart, Row, line_spec, without_nan
from analysis.selectors.learned_metrics import learned_artifact, learned_folder, learned_numbers
from analysis.services import learned_metrics
from analysis.services.embedding_store import learned_pull
from analysis.views.metrics import MAY_SCORE, LearnForm, metrics_page
from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

HEADINGS = {
    "metric": "Metric",
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall_b": "Kendall’s τ-b",
    "p": "p (Williams)",
}


@require_POST
@for_campaign(MAY_SCORE)
def metric_learn(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    form = LearnForm(request.POST)
    if not form.is_valid():
        return metrics_page(request, campaign, learn_form=form)
    try:
        row = learned_metrics.learned_metric_request(
            campaign=campaign,
            requested_by=request.user,
            kind=form.cleaned_data["kind"],
            name=form.cleaned_data["name"],
            scores_after=form.cleaned_data["scores_after"],
        )
    except DomainError as error:
        form.add_error(None, str(error))
        return metrics_page(request, campaign, learn_form=form)
    job_wake(row)
    return redirect("analysis:learned-metric", campaign.slug, row.pk)


@require_safe
@for_campaign()
def learned_metric(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """How far the training is, and then the card; the page asks again until it has ended."""
    row = _row(campaign, pk)
    if request.htmx and not row.is_active:
        return HttpResponseClientRefresh()
    return _page(request, campaign, row)


@require_POST
@for_campaign(MAY_SCORE)
def learned_stop(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    row = _row(campaign, pk)
    try:
        learned_metrics.learned_metric_stop(row=row)
    except DomainError as error:
        return _page(request, campaign, row, error=str(error))
    messages.success(request, "The training has been stopped.")
    return redirect("analysis:learned-metric", campaign.slug, pk)


@require_POST
@for_campaign(MAY_SCORE)
def learned_again(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    row = _row(campaign, pk)
    try:
        learned_metrics.learned_metric_again(row=row)
    except DomainError as error:
        return _page(request, campaign, row, error=str(error))
    job_wake(row)
    return redirect("analysis:learned-metric", campaign.slug, pk)


@require_POST
@for_campaign(MAY_SCORE)
def learned_retire(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    row = _row(campaign, pk)
    is_retired = request.POST.get("retired") == "yes"
    learned_metrics.learned_metric_retire(row=row, is_retired=is_retired)
    return redirect("analysis:learned-metric", campaign.slug, pk)


@require_safe
@for_campaign()
def learned_file(
    request: MemberRequest, campaign: Campaign, pk: int, name: str
) -> HttpResponseBase:
    """Its folder, as `score --learned` takes it."""
    row = _row(campaign, pk)
    if row.status != LearnedMetric.Status.DONE or name != row.name:
        raise Http404("There is no such file.")
    learned_pull([row.name])
    folder = learned_folder(row.name)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    if not paths:
        raise Http404("The files of this metric are on another machine.")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, f"{row.name}/{path.relative_to(folder).as_posix()}")
    content.seek(0)
    return FileResponse(content, as_attachment=True, filename=f"{row.name}.zip")


def _row(campaign: Campaign, pk: int) -> LearnedMetric:
    rows = LearnedMetric.objects.select_related("requested_by")
    row: LearnedMetric = get_object_or_404(rows, campaign=campaign, pk=pk)
    return row


def _page(
    request: MemberRequest, campaign: Campaign, row: LearnedMetric, *, error: str = ""
) -> HttpResponseBase:
    found = learned_numbers(row)
    context: dict[str, Any] = {
        "campaign": campaign,
        "row": row,
        "error": error,
        "losses": _losses(row.progress.get("curve", [])),
    }
    if row.config:
        context["artifact"] = learned_artifact(row)
    if found is not None:
        context |= {
            "found": found,
            "sentences": said(found),
            "compared": _compared(found),
            "curve": _learning_curve(found) if found.parts else None,
        }
    template = "analysis/_learned_training.html" if request.htmx else "analysis/learned.html"
    return render(request, template, context, status=400 if error else 200)


def _losses(curve: list[list[float]]) -> Chart | None:
    """How the loss falls while a metric is trained."""
    rows: list[Row] = [{"step": step, "loss": loss} for step, loss in curve]
    if len(rows) < 2:
        return None
    described = "The loss of the training by steps: the lower, the closer to people’s scores."
    spec = line_spec(rows, "step", "loss", description=described, axes=("Step", "Loss"))
    return Chart("Loss", spec, {"step": "Step", "loss": "Loss"}, rows)


def _compared(found: HeldOut) -> Chart:
    """Only rows: a table is easier to read here than a picture."""
    rows = [without_nan({name: getattr(one, name) for name in HEADINGS}) for one in found.compared]
    rows[0]["p"] = "–"  # with itself it is not compared
    return Chart("On videos held out", {}, HEADINGS, rows)


def _learning_curve(found: HeldOut) -> Chart:
    rows: list[Row] = [
        {"percent": round(100 * part.share), "captions": part.captions, "r": part.r}
        for part in found.parts
    ]
    axes = ("Share of the ratings learned from, %", "Pearson’s r on videos held out")
    described = "Agreement with people on videos held out, by share of the ratings learned from."
    spec = line_spec(rows, "percent", "r", description=described, axes=axes)
    headings = {"percent": "Share of the ratings, %", "captions": "Captions", "r": "Pearson’s r"}
    return Chart("Would more ratings help?", spec, headings, rows)
