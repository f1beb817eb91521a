"""Every sentence that the rating page's script says, in the annotator's language.

Names stand in the script (`static/js/rating-words.js`), braces are filled in there.
"""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from hits.protocols import AnnotationProtocol

WORDS: Final[dict[str, Promise]] = {
    "saved": _("Saved"),
    "saving": _("Saving…"),
    "offline": _("Offline: your work is kept here"),
    "fragile": _("Offline: keep this page open"),
    "practice": _("Practice"),
    "progress": _("{number} of {total}"),
    "progress-several": _("{number}–{last} of {total}"),
    "quarter": _("A quarter is done"),
    "half": _("Half is done"),
    "three-quarters": _("Three quarters are done"),
    "due": _("due in {time}"),
    "due-soon": _("due in under a minute"),
    "hours": _("{hours} h {minutes} min"),
    "minutes": _("{minutes} min"),
    "value": _("{value} of {high}"),
    "unrated": _("Not rated yet"),
    "start": _("Start rating"),
    "next": _("Next"),
    "done": _("Done"),
    "caption-number": _("Caption {number} of {total}."),
    "caption-numbers": _("Captions {number} to {last} of {total}."),
    "caption-said": _("Caption: {text}"),
    "watch-first": _("The caption appears when you have watched the video to its end."),
    "skipped": _(
        "You skipped a part of the video. Watch it from the start, and the caption appears."
    ),
    "touch-first": _("Touch the scale to place your rating first."),
    "rate-all": _("Rate every caption of this video first."),
    "further-elsewhere": _("You have rated further in another window."),
    "ended": _("This task has ended"),
    "wrong": _("Something went wrong"),
    "saving-last": _("Saving your last ratings…"),
    "no-connection-retry": _("No connection. Trying again…"),
    "no-connection": _("No connection. Try again in a moment."),
    "give-back": _("Give this task back? You will not be able to take it again."),
    "reported": _("Thank you. The organiser will see your report."),
    "copied": _("Copied"),
}
# Instead of these, where a page shows all captions of a video.
SEVERAL: Final[dict[str, Promise]] = {
    "watch-first": _("The captions appear when you have watched the video to its end."),
    "skipped": _(
        "You skipped a part of the video. Watch it from the start, and the captions appear."
    ),
}
# Where people write what happens in a video, and see no caption.
WRITING: Final[dict[str, Promise]] = {
    "caption-number": _("Video {number} of {total}."),
    "caption-said": _("Describe the video in one sentence."),
    "watch-first": _("You can write when you have watched the video to its end."),
    "skipped": _("You skipped a part of the video. Watch it from the start, and you can write."),
    "touch-first": _("Write a sentence first."),
    "further-elsewhere": _("You have written further in another window."),
    "saving-last": _("Saving your last sentences…"),
    "start": _("Start writing"),
}


def words_for(protocol: AnnotationProtocol) -> dict[str, Promise]:
    if protocol.writes:
        return WORDS | WRITING
    return WORDS | SEVERAL if protocol.whole_video else WORDS
