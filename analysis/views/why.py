"""Why a caption has its score: EMScore's words and frames, which a worker makes when asked."""

from __future__ import annotations

from typing import Any

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from analysis.metrics.scoring import column
from analysis.models import MetricRun
from analysis.presenting.explanation_page import explanation_picture
from analysis.selectors.captions import video_scored
from analysis.selectors.explanations import explained_run, explanation_of, frame_name
from analysis.selectors.metric_choices import metric_workers
from analysis.selectors.metric_progress import run_latest
from analysis.tasks import metric_run_explain_task
from analysis.views.latest import latest_result
from daplatform.media import CACHE_CONTROL, allow_media
from hits.models import Campaign, Caption
from hits.views.access import MemberRequest, for_campaign

SCORE = "emscore"


@require_safe
@for_campaign()
def why(request: MemberRequest, campaign: Campaign, pk: int) -> HttpResponseBase:
    """While it is being made the page asks for news, and is loaded anew when it is there."""
    captions = Caption.objects.select_related("video", "system")
    caption = get_object_or_404(captions, system__campaign=campaign, pk=pk)
    run = explained_run(campaign)
    context: dict[str, Any] = {"campaign": campaign, "caption": caption, "run": run}
    context["video"] = caption.video
    if run is None or caption.pk > run.last_caption:
        context["is_running"] = is_running(campaign)
    else:
        context |= explanation_context(request, run, caption)
    if request.htmx:
        if not context.get("is_waiting"):
            return HttpResponseClientRefresh()
        return render(request, "analysis/_why_waiting.html", context)
    page = render(request, "analysis/why.html", context | beside(request, campaign, caption))
    return allow_media(request, page, [caption.video.url]) if caption.video.url else page


@require_safe
@for_campaign()
def video_frame(request: MemberRequest, campaign: Campaign, pk: int, at: int) -> HttpResponseBase:
    """A frame that a score was explained with; ``at`` in milliseconds."""
    name = frame_name(get_object_or_404(campaign.videos, pk=pk), at)
    try:
        picture = default_storage.open(name)
    except FileNotFoundError:
        raise Http404("There is no such frame.") from None
    headers = {"Cache-Control": CACHE_CONTROL}
    return FileResponse(picture, content_type="image/jpeg", headers=headers)


def explanation_context(request: MemberRequest, run: MetricRun, caption: Caption) -> dict[str, Any]:
    """What is known, while a worker is woken for what is not. What could not be explained is tried
    again, for the next time somebody looks."""
    found = explanation_of(run, caption)
    if (found is None or found["problem"]) and not request.htmx:
        metric_run_explain_task.delay_on_commit(run.pk, caption.pk)  # type: ignore[attr-defined]
    if found is None:
        return {"is_waiting": True, "workers": metric_workers()}
    if found["problem"]:
        return {"problem": found["problem"]}
    return {"found": found, "picture": explanation_picture(found)}


def beside(request: MemberRequest, campaign: Campaign, caption: Caption) -> dict[str, Any]:
    """What people say of the caption, and all captions of the video with their EMScore."""
    latest, run = latest_result(request, campaign), explained_run(campaign)
    explained = {column(SCORE, run.label): run} if run and SCORE in run.metrics else {}
    scored = video_scored(caption.video, latest.listed, explained)
    own = next((each.score for each in scored if each.caption == caption), None)
    return {"others": scored, "score": own, "choices": latest.choices}


def is_running(campaign: Campaign) -> bool:
    run = run_latest(campaign)
    return run is not None and run.is_active
