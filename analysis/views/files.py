"""A file of a result, made now or by a worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import render

from analysis.models import Description, MetricEvaluation, Result
from analysis.results.files import Maker
from analysis.services.files import file_make
from hits.views.access import MemberRequest

LOOK_AGAIN = 4  # seconds


def made_file(
    request: MemberRequest,
    computed: Result | MetricEvaluation | Description,
    folder: Path,
    name: str,
    makers: Mapping[str, Maker],
    filename: str,
) -> HttpResponseBase:
    """The file, or a page that looks again until a worker has drawn its charts."""
    try:
        path = file_make(folder=folder, name=name, makers=makers)
    except (KeyError, FileNotFoundError):
        raise Http404("There is no such file.") from None
    if path is not None:
        # Always a download: no page of ours is made of what campaigns contain.
        return FileResponse(path.open("rb"), as_attachment=True, filename=filename)
    from analysis.tasks import file_draw_task

    kind = computed._meta.model_name
    file_draw_task.delay_on_commit(kind, computed.pk, name)  # type: ignore[attr-defined]
    context = {"name": name, "campaign": computed.campaign}
    waiting = render(request, "analysis/file_waiting.html", context, status=202)
    waiting["Refresh"] = str(LOOK_AGAIN)
    return waiting
