"""The result a page shows: the last that was made, while a newer one is being made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from django.forms import Form
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh

from analysis.forms import ChoicesForm
from analysis.models import MetricEvaluation, Result
from analysis.results.files import Maker
from analysis.selectors.results import further_runs, result_has_listings, result_latest
from analysis.services.files import file_make
from analysis.services.requests import result_key, result_request
from crowds.selectors.counting import uses_everybody
from daplatform.error_pages import NoSuchChoice
from daplatform.jobs.tasks import job_wake
from hits.models import Campaign
from hits.views.access import MemberRequest

F = TypeVar("F", bound=Form)
MOST_LISTED = 30
LOOK_AGAIN = 4  # seconds


@dataclass(frozen=True)
class Latest:
    """The last finished result with the choices of the address, and word of the next."""

    campaign: Campaign
    result: Result | None
    is_waiting: bool
    obstacle: str
    """Why the next is late, if anything is in its way."""
    choices: dict[str, str]
    """What was chosen, so that links and forms carry it along."""

    @property
    def ready(self) -> Result | None:
        """The result, unless it says that there can be none."""
        return self.result if self.result and self.result.signature else None

    @cached_property
    def listed(self) -> Result | None:
        """The same, where its rows can be listed."""
        return self.ready if self.ready and result_has_listings(self.ready) else None

    @property
    def context(self) -> dict[str, Any]:
        return {
            "campaign": self.campaign,
            "result": self.result,
            "is_waiting": self.is_waiting,
            "obstacle": self.obstacle,
            "choices": self.choices,
            "is_lost": self.ready is not None and self.listed is None,
        }


def latest_result(request: MemberRequest, campaign: Campaign) -> Latest:
    """Look for the result and, on the first visit, wake a worker for the one that is missing."""
    form = checked(ChoicesForm(request.GET))
    choices = form.settings(
        minimum_pairs=campaign.min_pairs,
        further_runs=partial(further_runs, campaign),
        everybody=uses_everybody(campaign),
    )
    wanted = result_request(campaign=campaign, choices=choices)
    is_waiting = wanted is not None and wanted.is_active
    if wanted is not None and is_waiting and not request.htmx:  # htmx: a page looks again
        job_wake(wanted)
    is_newest = wanted is not None and not is_waiting
    shown = wanted if is_newest else result_latest(campaign, result_key(choices))
    carried = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    obstacle = wanted.problem if wanted is not None and is_waiting else ""
    return Latest(campaign, shown, is_waiting, obstacle, carried)


def news(request: MemberRequest, latest: Latest) -> HttpResponseBase:
    """What a page that waits is told: the first result it shows itself, a newer one it offers."""
    if not latest.is_waiting and request.GET.get("seen", "") == "":
        return HttpResponseClientRefresh()
    return render(request, "analysis/_news.html", latest.context)


def checked(form: F) -> F:
    """A form of filters that makes sense; addresses that do not are refused."""
    if not form.is_valid():
        raise NoSuchChoice(" ".join(_refusal(form, name) for name in form.errors))
    return form


def _refusal(form: Form, name: str) -> str:
    """What is wrong with a field, and what could be chosen there instead."""
    field = form.fields.get(name)
    known = [str(value) for value, _ in getattr(field, "choices", ()) if value]
    if not known:
        return " ".join(str(error) for error in form.errors[name])
    more = ", …" if len(known) > MOST_LISTED else ""
    return f"There is no such option for “{name}”: take {', '.join(known[:MOST_LISTED])}{more}."


def made_file(
    request: MemberRequest,
    computed: Result | MetricEvaluation,
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
