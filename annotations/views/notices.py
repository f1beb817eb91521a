"""Where crowds tell us that something happened. Nobody is logged in: the signature is all."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotations.services.notices import notice_accept
from annotations.tasks import launch_sync_task
from hits.crowds.prolific.webhooks import NoticeRefused, notice_read


@csrf_exempt
@require_POST
def prolific_notice(request: HttpRequest) -> HttpResponse:
    """Repeated notices are thanked for like first ones, or Prolific would go on repeating them."""
    try:
        notice = notice_read(
            headers=request.headers,
            body=request.body,
            secrets=settings.PROLIFIC_WEBHOOK_SECRETS,
            now=timezone.now(),
        )
    except NoticeRefused as refusal:
        return HttpResponse(str(refusal), status=403, content_type="text/plain")
    launch = notice_accept(crowd="prolific", ids=notice.ids, publication=notice.study)
    if launch is not None:
        # Celery's stubs give a shared task no `delay_on_commit`.
        launch_sync_task.delay_on_commit(launch.pk)  # type: ignore[attr-defined]
    return HttpResponse(status=204)
