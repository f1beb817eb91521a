"""What pages list, as files: a few rows at once, many by a worker, with the page's own filters."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db.models import Count, Max, QuerySet
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from analysis.evaluation.page import metrics_best_first
from analysis.forms import AnnotatorsForm
from analysis.models import Export, MetricEvaluation, Result
from analysis.presenting.downloads import Download, formats, write_download
from analysis.presenting.filenames import download_name
from analysis.selectors.annotators import campaign_annotators
from analysis.selectors.evaluations import evaluation_latest, evaluation_numbers
from analysis.selectors.exports import (
    export_is_lost,
    export_kept_until,
    export_path,
    exports_of,
)
from analysis.selectors.progress import campaigns_completion
from analysis.selectors.results import reviews_fingerprint
from analysis.services import evaluations
from analysis.services.downloads import DOWNLOADS
from analysis.services.exports import export_request
from analysis.views import annotators, captions, comparison, pairs
from analysis.views.evaluation import EvaluationForm, PointsForm
from analysis.views.latest import checked, latest_result
from annotations.models import FormAnswers, Removal
from crowds.selectors.counting import (
    ratings_by_the_known,
    ratings_confirmed,
    uses_everybody,
)
from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from daplatform.row_keys import row_key
from daplatform.shared_files import shared_path
from hits.models import Campaign
from hits.selectors import campaign_hits
from hits.views.access import MemberRequest, for_campaign, require
from hits.views.batches import batch_wanted
from hits.views.videos import search_wanted

Choices = dict[str, Any]


@require_safe
@for_campaign()
def download(
    request: MemberRequest, campaign: Campaign, name: str, format: str, subject: str = ""
) -> HttpResponseBase:
    """All pages of a list, as the page shows it; too many rows are left to a worker."""
    if name not in CHOICES:
        raise Http404("There is no such list.")
    choices = CHOICES[name](request, campaign, subject)
    try:
        made = DOWNLOADS[name](campaign, **choices)
        if made.rows <= settings.EXPORT_ROWS_AT_ONCE:
            filename = f"{campaign.slug}-{download_name(name, choices)}.{format}"
            return file_response(made, filename, format)
    except (DomainError, ValueError) as error:
        raise Http404(str(error)) from None
    export = export_request(
        campaign=campaign,
        by=request.user,
        name=name,
        format=format,
        address=request.get_full_path(),
        choices=choices,
        rows=made.rows,
    )
    if export.is_active:
        job_wake(export)
    return redirect("analysis:export-list", campaign.slug)


def file_response(made: Download, filename: str, format: str) -> HttpResponse:
    stream = io.BytesIO()
    write_download(stream, made, format)
    # Always a download: no page of ours is made of what campaigns contain.
    headers = {"Content-Disposition": content_disposition_header(True, filename) or ""}
    return HttpResponse(
        stream.getvalue(), content_type=formats()[format].media_type, headers=headers
    )


@require_safe
@for_campaign()
def export_list(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """This person's files, those being made with how far they are; the list looks again itself."""
    exports = list(exports_of(campaign, request.user))
    context = {
        "campaign": campaign,
        "exports": [
            (export, export_kept_until(export), export_is_lost(export)) for export in exports
        ],
        "is_waiting": any(export.is_active for export in exports),
        "days": settings.EXPORT_KEPT_DAYS,
    }
    name = "analysis/_exports.html" if request.htmx else "analysis/exports.html"
    return render(request, name, context)


@require_safe
@for_campaign()
def export_file(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    ready = exports_of(campaign, request.user).filter(status=Export.Status.DONE)
    export = get_object_or_404(ready, pk=pk)
    if export_is_lost(export):
        raise Http404("The file no longer exists.")
    return FileResponse(
        shared_path(export_path(export)).open("rb"),
        as_attachment=True,
        filename=export.filename,
        content_type=formats()[export.format].media_type,
    )


def result_wanted(request: MemberRequest, campaign: Campaign) -> Result:
    result = latest_result(request, campaign).listed
    if result is None:
        raise Http404("There is no result yet.")
    return result


def annotators_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    form = checked(AnnotatorsForm(request.GET))
    return {"result": result_wanted(request, campaign).pk, **annotators.filters(form)}


def captions_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    form = captions.captions_form(request, campaign)
    return {"result": result_wanted(request, campaign).pk, **captions.filters(form)}


def pair_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    result = result_wanted(request, campaign)
    if not pairs.has_two_systems(result):
        raise Http404("There are no two systems to compare.")
    return {"result": result.pk, **pairs.pair_form(request, result).cleaned_data}


def comparison_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    form = comparison.comparison_form(request, campaign)
    latest, other = comparison.both(request, campaign, form)
    if other is None or latest.listed is None or other.listed is None:
        raise Http404("There are no two results to compare.")
    return {"result": latest.listed.pk, "other": other.listed.pk}


def ratings_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    last = newest(ratings_confirmed(campaign))
    return {"last": last, "decisions": reviews_fingerprint(campaign)}


def marks_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    if not campaign.asked.marks:
        raise Http404("No words are marked in this campaign.")
    return ratings_choices(request, campaign, subject)


def questions_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    if campaign.asked.asks_numbers:
        raise Http404("This campaign asks only for the score.")
    return ratings_choices(request, campaign, subject)


def form_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    answered = FormAnswers.objects.filter(assignment__campaign=campaign)
    if not answered.exists():
        raise Http404("Nobody was asked about themselves.")
    return {"last": newest(answered), "answered": answered.count()}


def attention_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    if not campaign.attention:
        raise Http404("This campaign has no attention checks.")
    return {"last": newest(ratings_by_the_known(campaign))}


def phrases_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    decided = campaign.phrase_categories.aggregate(count=Count("pk"), last=Max("changed_at"))
    choices = marks_choices(request, campaign, subject)
    return choices | {"decided": f"{decided['count']} {decided['last']}"}


def newest(rows: QuerySet[Any]) -> int:
    """The last row there is now: what comes later is not in the file."""
    return rows.aggregate(last=Max("pk"))["last"] or 0


def references_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    if not campaign.asked.writes:
        raise Http404("Nobody writes captions in this campaign.")
    removed = Removal.objects.filter(rating__campaign=campaign).count()
    return {"last": newest(campaign.ratings.all()), "removed": removed}


def metrics_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    return {}


def points_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    form = checked(EvaluationForm(request.GET, asked=campaign.asked))
    wanted = form.wanted(everybody=uses_everybody(campaign))
    found = evaluation_latest(campaign, evaluations.evaluation_key(wanted))
    if found is None or found.status == MetricEvaluation.Status.FAILED:
        raise Http404("Metrics have not been compared with people yet.")
    human = form.cleaned_data["human"] or "z"
    metrics = metrics_of(found, human)
    picture = checked(PointsForm(request.GET, metrics=dict(zip(metrics, metrics, strict=True))))
    return {"evaluation": found.pk, "human": human, "metric": picture.cleaned_data["metric"]}


def metrics_of(found: MetricEvaluation, human: str) -> list[str]:
    """The metrics that people can be shown against, the best first."""
    try:
        evaluated = evaluation_numbers(found)
    except (ValueError, FileNotFoundError):
        raise Http404("Metrics have not been compared with people yet.") from None
    return metrics_best_first(evaluated, human)


def hit_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    return {"hit": get_object_or_404(campaign_hits(campaign), pk=number(subject)).pk}


def person_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    person = get_object_or_404(campaign_annotators(campaign), pseudonym=subject)
    return {
        "annotator": person.pseudonym,
        "last": result_wanted(request, campaign).last_rating,
    }


def video_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    video = get_object_or_404(campaign.videos, pk=number(subject))
    result = latest_result(request, campaign).listed
    return {"video": video.pk, "result": result.pk if result else None}


def hits_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    counted = campaigns_completion(Campaign.objects.filter(pk=campaign.pk))
    turns = ", ".join(f"{each.finished} of {each.wanted}" for each in counted)
    return {"batch": batch_wanted(request), "turns": turns}


def videos_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    return {"search": search_wanted(request)}


def ledger_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    require(request.user, "hits.change_campaign")  # as for the page that shows it
    return {"last": newest(campaign.ledger.all())}


def trail_choices(request: MemberRequest, campaign: Campaign, subject: str) -> Choices:
    require(request.user, "hits.change_campaign")
    return {"last": newest(campaign.trail.all())}


def number(subject: str) -> int:
    key = row_key(subject)
    if key is None:
        raise BadRequest("This option does not exist.")
    return key


CHOICES: Mapping[str, Callable[[MemberRequest, Campaign, str], Choices]] = {
    "annotators": annotators_choices,
    "answers": person_choices,
    "captions": captions_choices,
    "comparison": comparison_choices,
    "correlations": comparison_choices,
    "repeated": comparison_choices,
    "attention": attention_choices,
    "filled": marks_choices,
    "form": form_choices,
    "hit": hit_choices,
    "hits": hits_choices,
    "human": marks_choices,
    "ledger": ledger_choices,
    "marks": marks_choices,
    "metrics": metrics_choices,
    "pair": pair_choices,
    "pairs": person_choices,
    "phrases": phrases_choices,
    "points": points_choices,
    "questions": questions_choices,
    "ratings": ratings_choices,
    "references": references_choices,
    "trail": trail_choices,
    "video": video_choices,
    "videos": videos_choices,
}
"""What the address of each list asks for, as `analysis.services.downloads` wants it."""
