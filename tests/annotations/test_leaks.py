"""Nothing the browser receives tells the kinds of captions apart, or a repeat from its original.

Everything sent to one annotator for a whole HIT of 100 captions is kept, then searched.
"""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from django.core.files.base import ContentFile

from hits.models import Caption
from hits.services.composing import batch_compose
from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign
from tests.pages import body

SECRETS = ["system-0", "system-1", "human-a", "human-b", "degraded", "reference", "clip0"]


class Recorder(Person):
    """Keeps every response as it came over the wire, the position it was about beside it."""

    def __init__(self, path):
        self.wire: dict[int, list] = defaultdict(list)
        self.all: list = []
        super().__init__(path)

    def reload(self):
        page = self.client.get(self.page_path)
        self.all.append(page)
        return super().reload()

    def save(self, position, score=50, **changes):
        response = super().save(position, score, **changes)
        self.wire[position].append(response)
        self.all.append(response)
        return response

    def watch(self, position):
        response = self.client.get(self.items[position]["media"], headers={"Range": "bytes=0-9"})
        self.wire[position].append(response)
        self.all.append(response)
        return response


@pytest.fixture
def recorder(db):
    """Somebody who has worked through a whole HIT of 100, videos and all."""
    campaign = make_campaign(videos=40, systems=2)
    for video in campaign.videos.all():
        video.url = ""
        video.file.save(f"{video.name}.mp4", ContentFile(b"0123456789" * 20), save=True)
    for number, caption in enumerate(Caption.objects.all()):
        # No system writes differently: what is left to tell the kinds apart is what leaks.
        caption.text = f"Somebody number {number:03} walks past a house with {number:03} windows."
        caption.save()
    batch_compose(campaign=campaign)
    person = Recorder(link(invite(campaign)))
    for position in range(100):
        person.watch(position)
        assert person.save(position).status_code == 200
    return person


def test_nothing_received_for_a_whole_hit_tells_the_kinds_apart(recorder):
    kinds = dict(recorder.assignment.hit.items.values_list("position", "kind"))
    assert set(kinds.values()) == {"system", "reference", "degraded", "repeat"}
    no_name_is_ever_sent(recorder)
    no_field_gives_an_item_away(recorder)
    every_item_is_the_same_size(recorder)
    every_answer_is_the_same_size_for_every_kind(recorder, kinds)
    a_copy_shares_only_words_and_pictures_with_its_original(recorder)


def no_name_is_ever_sent(recorder):
    everything = " ".join(headers_and_text(response) for response in recorder.all)
    for secret in SECRETS:
        assert secret not in everything, secret


def headers_and_text(response):
    return f"{sorted(response.headers.items())} {body(response).decode()}"


def no_field_gives_an_item_away(recorder):
    fields = {key for item in recorder.items.values() for key in item}
    shown = {"position", "text", "media", "isImage", "page"}  # of the video, as the media itself
    assert fields == shown | {"receipt", "answer", "pad"}
    assert {item["isImage"] for item in recorder.items.values()} == {False}
    names = {item["media"].rpartition("/")[2] for item in recorder.items.values()}
    assert len(names) == 100
    assert not any(name.isdecimal() for name in names)


def every_item_is_the_same_size(recorder):
    assert {len(json.dumps(item)) for item in recorder.items.values()} == {1024}


def every_answer_is_the_same_size_for_every_kind(recorder, kinds):
    sizes = defaultdict(set)
    for position, responses in recorder.wire.items():
        # From 10 to 97 positions have two digits, and the answer hands out another item.
        if 10 <= position < 97:
            for response in responses:
                header = sorted((key, len(value)) for key, value in response.headers.items())
                length = 0 if response.streaming else len(body(response))
                sizes[kinds[position]].add((response.status_code, str(header), length))
    assert all(found == sizes["system"] for found in sizes.values())


def a_copy_shares_only_words_and_pictures_with_its_original(recorder):
    alike = {"text", "answer", "pad", "isImage"}  # the last is the same for all of this HIT
    copies = recorder.assignment.hit.items.exclude(original=None).select_related("original")
    pairs = [(item.position, item.original.position) for item in copies]
    assert len(pairs) == 20
    unrelated = recorder.wire[0][0].headers
    for one, other in pairs:
        first, second = recorder.items[one], recorder.items[other]
        assert {key for key in first if first[key] == second[key]} <= alike
        headers = [recorder.wire[position][0].headers for position in (one, other)]
        for key in headers[0]:
            if headers[0][key] == headers[1][key]:
                assert headers[0][key] == unrelated[key], key


def test_nothing_beyond_the_next_caption_is_handed_out(anna):
    assert sorted(anna.items) == [0, 1]
    assert anna.get("/rate/item?position=1").status_code == 200
    for position in ("2", "99", "-1", "", "x", "1" * 5000):
        assert anna.get(f"/rate/item?position={position}").status_code == 404
