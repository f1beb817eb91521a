"""Which language an annotator's page is in: the campaign's, or else the browser's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils import translation

from hits.models import Campaign


@dataclass(frozen=True)
class Texts:
    """What the organiser wrote for annotators, in the language of the page."""

    instructions: str
    consent: str


@contextmanager
def spoken(request: HttpRequest) -> Iterator[None]:
    """The browser's language, until the campaign is known; afterwards the site's own again."""
    with translation.override(translation.get_language_from_request(request)):
        yield


def speak(campaign: Campaign) -> Texts:
    """From here on in the campaign's language, where it has one."""
    if campaign.language:
        translation.activate(campaign.language)
    language = translation.get_language() or ""
    return Texts(
        instructions=campaign.text_in(language, "instructions"),
        consent=campaign.text_in(language, "consent"),
    )
