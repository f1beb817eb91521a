"""The videos of an assignment, each under a name that only this item has."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.errors import WorkClosed
from annotations.models import Assignment
from annotations.selectors.work import closed_sentence, item_video
from annotations.tokens import media_position
from annotations.views.guards import explained
from daplatform.media import is_small_screen, stored_file
from hits.models import HitItem
from hits.selectors import video_shown


@require_safe
@explained
def media(request: HttpRequest, assignment: int, name: str) -> HttpResponseBase:
    """A part of the video, or the way to the bucket or site that has it.

    The name is the permission: nobody can guess it, and it is told when its item is due.
    """
    row = get_object_or_404(Assignment, pk=assignment)
    if sentence := closed_sentence(row, timezone.now()):
        raise WorkClosed(sentence)
    size = HitItem.objects.filter(hit=row.hit_id).count()
    position = media_position(name, assignment=row.pk, size=size)
    video = item_video(hit_id=row.hit_id, position=position)
    if video.url:
        return HttpResponseRedirect(video.url)
    kind, file = video_shown(video, is_light=is_small_screen(request))
    # By kind: a copy that is ready in the middle of a download is another file.
    response = stored_file(request, file, digest=f"{name}{kind}")
    # Equal for every item with this video, unlike the entity tag made of the item's own name.
    response.headers.pop("Last-Modified", None)
    return response
