"""What annotators are told where they are shown images."""

from __future__ import annotations

import pytest
from django.db.models import F, Value
from django.db.models.functions import Concat, Replace
from django.utils import translation

from hits.models import Video
from hits.services.composing import batch_compose
from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign, to_describe
from tests.pages import shown

pytestmark = pytest.mark.django_db
TOLD = "Look at the image for as long as you like."


def page_of(protocol, *, images):
    campaign = make_campaign(protocol=protocol, videos=10, hit_size=20, pairs=0, repeats=0)
    if protocol == "describe":
        to_describe(campaign)
    if images:
        as_image = Replace(F("url"), Value(".mp4"), Value(".jpg"))
        Video.objects.update(codec="", url=Concat(as_image, Value("?large")))
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign)))
    return shown(person.client.get(person.page_path))


@pytest.mark.parametrize(
    "protocol", ["direct", "consistency", "factuality", "esa", "mqm", "describe"]
)
def test_instructions_speak_of_what_is_shown(protocol):
    said = page_of(protocol, images=True)
    assert TOLD in said
    assert "the video to its end. You" not in said
    said = page_of(protocol, images=False)
    assert TOLD not in said
    assert "the video to its end. You" in said


def test_they_do_so_in_every_language():
    for language in ("de", "es", "fr", "hi", "pt", "zh-hans"):
        with translation.override(language):
            assert "Look" not in translation.gettext(f"<strong>Look</strong>{TOLD[4:]}")
