"""The demo's campaigns as starts leave them: three, each once, and what the marked one shows."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.text import slugify

from analysis.selectors.marked import factuality_of
from annotations.models import Annotator, Rating
from crowds.models import Invitation
from hits.importing.reading import read_campaign
from hits.models import Campaign, Caption
from hits.protocols.segments import words_by_sentence
from rehearsal.demo import HUMANS, SYSTEMS, scene_named, write_demo_campaign, wrong_phrases
from rehearsal.demo.plans import DAMAGED, LITTLE, MARKED, PLANS, RATED, VIDEOS
from rehearsal.management.commands import demo_campaign, demo_launch
from rehearsal.people.personas import draw_personas, parse_mix
from rehearsal.services import demo_campaign_create
from tests.factories import make_campaign
from tests.pages import shown

TINY = partial(write_demo_campaign, size=(64, 36), fps=1, workers=1)
"""All forty scenes, in a few frames each."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    TINY(folder, plan=MARKED)
    return folder


def start(*commands: str) -> None:
    for command in commands or ("demo_campaign", "demo_crowd"):
        call_command(command, stdout=io.StringIO(), stderr=io.StringIO())


def all_there() -> tuple[list[tuple[str, int]], int, int]:
    campaigns = Campaign.objects.order_by("slug").values_list("slug", "pk")
    return list(campaigns), Rating.objects.count(), Annotator.objects.count()


def test_a_second_start_finds_three_campaigns_as_they_were_even_renamed(
    db, rendered, tmp_path, settings, monkeypatch
):
    settings.DATA_DIR, settings.DEBUG = tmp_path, True
    shutil.copytree(rendered / "clips", tmp_path / LITTLE.folder / "clips")
    monkeypatch.setattr(demo_campaign, "write_demo_campaign", TINY)
    start()
    before = all_there()
    assert [slug for slug, _ in before[0]] == sorted(plan.slug for plan in PLANS)
    Campaign.objects.filter(slug=MARKED.slug).update(name="Mine now")
    start()
    assert all_there() == before
    rated = Rating.objects.values_list("campaign__slug", flat=True).distinct().order_by()
    assert set(rated) == {MARKED.slug, RATED.slug}


def test_all_campaigns_have_the_same_clips_and_only_one_folder_is_rendered(
    db, rendered, tmp_path, settings, monkeypatch
):
    settings.DATA_DIR, settings.DEBUG = tmp_path, True
    asked = []
    monkeypatch.setattr(
        demo_campaign, "write_demo_campaign", lambda folder, **_: asked.append(folder)
    )
    monkeypatch.setattr(demo_campaign.Command, "create", lambda self, folder: Campaign(slug="any"))
    clips = shutil.copytree(rendered / "clips", tmp_path / LITTLE.folder / "clips")
    start("demo_campaign")
    assert asked[0] == tmp_path / LITTLE.folder
    for plan in PLANS:
        copied = tmp_path / plan.folder / "clips"
        assert {path.name for path in copied.iterdir()} == {path.name for path in clips.iterdir()}


def test_the_first_two_campaigns_have_the_files_of_demos_that_were_started_before():
    """Other settings would be another campaign of the same name, which an import refuses."""
    text = """\
name = "Demo: little scenes"
control = "human-a"
human = ["human-b"]

[hits]
size = 100
redundancy = 1
assignments = 1
seed = 7
"""
    rated = text.replace("little scenes", "rated by a simulated crowd")
    assert LITTLE.settings() == text
    assert RATED.settings() == rated.replace("assignments = 1", "assignments = 8")


def test_addresses_are_those_that_an_import_gives():
    assert [plan.slug for plan in PLANS] == [slugify(plan.name) for plan in PLANS]


def test_the_little_scenes_are_launched_and_no_other_demo_campaign(db, monkeypatch):
    sizes = {"videos": 15, "systems": 0, "hit_size": 30, "pairs": 6, "repeats": 3}
    for plan in PLANS:
        make_campaign(is_demo=True, slug=plan.slug, **sizes)
    launched = []

    def launch(*, batch, **_: object) -> SimpleNamespace:
        launched.append(batch.campaign.slug)
        return SimpleNamespace(batch=batch)

    monkeypatch.setattr(demo_launch, "batch_launch", launch)
    monkeypatch.setattr(demo_launch, "outbox_run", lambda **_: None)
    start("demo_launch")
    assert launched == [LITTLE.slug]


@pytest.fixture
def marked(db, rendered) -> Campaign:
    """The marked campaign after its crowd has been there."""
    campaign = demo_campaign_create(reading=read_campaign(rendered), progress=lambda *_: None)
    crowd = {"stdout": io.StringIO(), **asdict(MARKED.crowd)}
    call_command("simulate_crowd", campaign.slug, **crowd)
    return campaign


def truth(campaign: Campaign) -> dict[str, tuple[int, int]]:
    """Units and wrong ones over all systems, by what happens in the scenes."""
    units: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    rated = Caption.objects.filter(system__campaign=campaign, system__is_control=False)
    for row in rated.select_related("video"):
        spans = wrong_phrases(scene_named(row.video.name), row.text)
        for words in words_by_sentence(row.text):
            bad = sum(any(a < end and start < b for a, b in spans) for start, end in words)
            units.update(sentence=1, word=len(words))
            wrong.update(sentence=bad > 0, word=bad)
    return {level: (units[level], wrong[level]) for level in units}


def test_what_the_demos_crowd_marks_is_what_is_wrong(marked):
    """Three people count, and each overlooks a tenth of the wrong phrases, so that two of them
    find 97 % (0.9³ + 3 · 0.1 · 0.9²); of some 300 phrases that varies by 1 %. They mark nothing
    else. With the careless one among them, three of four would find 86 % at best."""
    errors = {row["level"]: row for row in factuality_of(marked).errors}
    for level, (units, wrong) in truth(marked).items():
        assert errors[level]["units"] == units
        assert 0.94 * wrong <= errors[level]["wrong"] <= wrong
    assert errors["paragraph"]["wrong"] == errors["sentence"]["wrong"]  # none has two sentences


def test_the_careless_find_fewer_damaged_words_and_do_not_count(marked):
    found = factuality_of(marked)
    worst, *others = sorted(found.controls, key=lambda each: each.recall)
    assert [each.captions for each in found.controls] == [DAMAGED] * 4
    assert found.failed == (worst.annotator,)
    assert worst.recall < 0.6 < min(each.recall for each in others)
    habits = [person.habit for person in draw_personas(4, parse_mix(MARKED.crowd.mix), rng())]
    careless = f"{MARKED.crowd.seed}-{habits.index('careless') + 1}"
    invitation = Invitation.objects.get(campaign=marked, annotator__pseudonym=worst.annotator)
    assert careless in invitation.name


def rng() -> np.random.Generator:
    return np.random.default_rng(MARKED.crowd.seed)


def test_everything_the_page_has_is_there_to_be_seen(marked, client):
    found = factuality_of(marked)
    assert {row["system"] for row in found.systems} == {*SYSTEMS, HUMANS[1]}
    assert all(0.7 < each.alpha < 1 for each in found.agreements)
    assert {each["videos"] for each in found.people} == {VIDEOS}
    client.force_login(marked.owner)
    page = shown(client.get(reverse("analysis:factuality", args=[marked.slug])))
    for heading in ("By system", "damaged words?", "What kinds of errors?", "Examples"):
        assert heading in page
    assert all(each.poster for each in found.examples)
