"""Where crowds tell us that something happened. Nobody is logged in: the signature is all."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowds.registry import MODULES, crowd_named
from crowds.services.submissions import notice_accept
from crowds.tasks import launch_sync_task
from crowds.visitors import NoticeRefused


@csrf_exempt
@require_POST
def notice(request: HttpRequest, crowd: str) -> HttpResponse:
    """Repeated notices are thanked for like first ones, or the crowd would go on repeating them."""
    if crowd not in MODULES:
        raise Http404("There is no such crowd.")
    try:
        said = crowd_named(crowd).notice_read(request.headers, request.body, now=timezone.now())
    except NoticeRefused as refusal:
        return HttpResponse(str(refusal), status=403, content_type="text/plain")
    launch = notice_accept(crowd=crowd, ids=said.ids, publication=said.publication)
    if launch is not None:
        # Celery's stubs give a shared task no `delay_on_commit`.
        launch_sync_task.delay_on_commit(launch.pk)  # type: ignore[attr-defined]
    return HttpResponse(status=204)
