"""Where damaged copies differ from the captions they were made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from hits.models import Caption, HitItem
from hits.protocols.segments import Span
from hits.selectors import replaced_words


@dataclass(frozen=True)
class Damage:
    """The words that were put in, and whether the undamaged caption stands on the page, too."""

    span: Span
    is_beside_original: bool


def damages(items: Iterable[HitItem]) -> dict[int, Damage]:
    """By item, of those that show a damaged copy; others are not named.

    Where a page shows all captions of a video, the copy is one of the control set's caption
    wherever the video has one (`hits.composition.by_video`), and the item names a caption of the
    page that it is compared with.
    """
    damaged = [item for item in items if item.kind == HitItem.Kind.DEGRADED]
    if not damaged:
        return {}
    controls: defaultdict[int, list[str]] = defaultdict(list)
    videos = {item.caption.video_id for item in damaged}
    told = Caption.objects.filter(video__in=videos, system__is_control=True).order_by("pk")
    for video, text in told.values_list("video", "text"):
        controls[video].append(text)
    return {item.pk: _damage(item, controls[item.caption.video_id]) for item in damaged}


def _damage(item: HitItem, controls: list[str]) -> Damage:
    origin = next((text for text in controls if _made_of(item, text)), item.caption.text)
    before, replaced, _ = replaced_words(origin, item.text)
    span = (len(before), len(before) + len(replaced))
    return Damage(span, is_beside_original=origin == item.caption.text)


def _made_of(item: HitItem, text: str) -> bool:
    """Whether so many words of the text were replaced, and no other."""
    replaced = replaced_words(text, item.text)[1].split()
    same_length = len(text.split()) == len(item.text.split())
    return same_length and len(replaced) <= (item.words_replaced or 0)
