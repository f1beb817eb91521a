"""The recipes of CONTRIBUTING: a metric, a statistic and an export format are one file each, and a
protocol is one with its template; a kind of question has a template and a module of its own, too.

The file is dropped into a folder that is taken for a part of the package: into the package's own,
tests that run beside this one would find it. Nothing else is told of it, and the commands have it.
"""

from __future__ import annotations

import importlib
import json
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import engines
from django.urls import reverse

from analysis.metrics import registry as metrics
from analysis.presenting import downloads
from analysis.results import registry as results
from analysis.selectors.marked import answers_by_question
from annotations.models import Rating
from hits import protocols
from hits.importing.reading import read_campaign
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.analysis.pages.conftest import compute, rate
from tests.annotations.person import EVIDENCE, Person, invite, link
from tests.factories import make_user
from tests.folders import make_folder
from tests.pages import markup, shown

RATINGS = Path(__file__).parent.parent / "docs" / "notebooks" / "data" / "ratings.csv"
FOUND_ONCE = (
    *(metrics.family_modules, metrics._built_in, metrics.resources),
    *(results.findings, downloads.formats),
    *(protocols.protocols, protocols.protocol_named),
)
METRIC = '''
"""Captions by their number of words."""
import numpy as np
from analysis.metrics.registry import Family

def _score(batch, settings, context):
    return {"toy_words": np.array([float(len(text.split())) for text in batch.captions])}

FAMILIES = (
    Family(
        metrics={"toy_words": "how many words a caption has"},
        paper="nobody's",
        needs=frozenset(),
        settings=(),
        score=_score,
    ),
)
'''
STATISTIC = '''
"""The number of systems that were ranked."""
from dataclasses import dataclass
from analysis.presenting.document import Shown
from analysis.results.registry import Finding

@dataclass(frozen=True, slots=True)
class Toy:
    ranked: int

def compute(material):
    return Toy(len(material.analysis.ranking.order))

def show(found, context):
    return Shown(f"The toy counts {found.ranked} systems.")

FINDINGS = (
    Finding(name="toy", title="A toy", numbers=Toy, compute=compute, show=show),
)
'''
FORMAT = '''
"""Rows with bars between their cells."""
from analysis.presenting.downloads import Format
from analysis.presenting.exports import records

def write(stream, download):
    for piece in download.pieces():
        for row in records(piece):
            stream.write(("|".join(map(str, row.values())) + "\\n").encode())

FORMATS = (Format("bars", "Bars", "text/plain", write),)
'''
PROTOCOL = '''
"""How vivid a caption is, and whether it would make somebody watch the video."""
from dataclasses import dataclass, field
from hits.protocols.values import AnnotationProtocol, HitDefaults, Likert, Objection

@dataclass(frozen=True)
class YesNo:
    name: str
    text: str
    kind: str = field(default="toy", init=False)

    def objection(self, answer, text):
        return None if answer in ("yes", "no") else Objection("Say yes or no.")

PROTOCOLS = (
    AnnotationProtocol(
        name="toy",
        title="Toy",
        summary="How vivid is it?",
        questions=(
            Likert("score", "How vivid is it?", ("dull", "so so", "vivid")),
            YesNo("watch", "Would you watch it?"),
        ),
        hits=HitDefaults(size=20, pairs=2, repeats=2, assignments=1),
    ),
)
'''
PAGE = """{% extends "annotations/protocols/direct.html" %}
{% block instructions %}<p>Say how vivid each caption is.</p>{% endblock %}"""
QUESTION = """{% load static %}<div data-question="toy" data-name="{{ question.name }}"
 data-module="{% static 'js/questions/toy.js' %}">{{ question.text }}</div>"""


@pytest.fixture
def drop(tmp_path, monkeypatch) -> Iterator[Callable[[str, str], None]]:
    """Let a package hold one more file."""

    def drop(package: str, text: str) -> None:
        folder = tmp_path / "added"
        folder.mkdir()
        (folder / "toy.py").write_text(text, "utf-8")
        path = importlib.import_module(package).__path__
        monkeypatch.setattr(sys.modules[package], "__path__", [*path, str(folder)])
        forget()

    yield drop
    monkeypatch.undo()
    for name in [name for name in sys.modules if name.endswith(".toy")]:
        del sys.modules[name]
    forget()


def forget() -> None:
    for found in FOUND_ONCE:
        found.cache_clear()


def test_a_metric_is_one_file(drop, tmp_path):
    drop("analysis.metrics.families", METRIC)
    captions, scores = tmp_path / "captions.csv", tmp_path / "scores.csv"
    captions.write_text("video,system,caption\n1,ours,a dog runs along\n1,theirs,a dog\n")
    call_command("score", captions, metrics=["toy_words"], out=scores)
    assert scores.read_text().split() == [
        "video,system,metric,value",
        "1,ours,toy_words,4.0",
        "1,theirs,toy_words,2.0",
    ]


def test_a_statistic_is_one_file(drop, tmp_path):
    drop("analysis.results.findings", STATISTIC)
    call_command("analyse", RATINGS, out=tmp_path / "out", draws=20)
    ranked = len((tmp_path / "out" / "systems.csv").read_text().splitlines()) - 1
    record = json.loads((tmp_path / "out" / "report.json").read_text())
    assert record["trust"]["toy"] == {"ranked": ranked}
    report = (tmp_path / "out" / "report.html").read_text()
    assert "A toy" in report
    assert f"The toy counts {ranked} systems." in report


@pytest.mark.django_db
def test_a_statistic_stands_on_the_page_of_the_ranking(drop, settings, tmp_path, client_of, woken):
    drop("analysis.results.findings", STATISTIC)
    settings.DATA_DIR = tmp_path / "data"
    owner = make_user("organisers")
    folder = make_folder(tmp_path / "folder", videos=20, systems=6)
    campaign = campaign_import(reading=read_campaign(folder), owner=owner)
    rate(campaign)
    compute(campaign)
    page = client_of(owner).get(reverse("analysis:ranking", args=[campaign.slug]))
    assert "The toy counts 7 systems." in shown(page)


def test_an_export_format_is_one_file(drop, tmp_path):
    drop("analysis.presenting.formats", FORMAT)
    call_command("analyse", RATINGS, out=tmp_path / "out", draws=20, format="bars")
    first, *_ = (tmp_path / "out" / "systems.bars").read_text().splitlines()
    assert first.count("|") > 3
    assert not list((tmp_path / "out").glob("*.csv"))


@pytest.fixture
def beside(tmp_path, settings) -> Iterator[Callable[[str, str], None]]:
    """Let templates and static files hold one more, too."""
    engine = engines["django"].engine
    kept = list(engine.dirs)
    engine.dirs.append(str(tmp_path))
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, str(tmp_path / "static")]

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        finders.get_finder.cache_clear()
        for loader in engine.template_loaders:
            loader.reset()

    yield write
    engine.dirs[:] = kept
    finders.get_finder.cache_clear()
    for loader in engine.template_loaders:
        loader.reset()


@pytest.mark.django_db
def test_a_protocol_is_one_file_with_its_template_and_a_question_has_a_module(
    drop, beside, tmp_path
):
    drop("hits.protocols", PROTOCOL)
    beside("annotations/protocols/toy.html", PAGE)
    beside("annotations/questions/toy.html", QUESTION)
    beside("static/js/questions/toy.js", "export default class Toy {}")
    folder = make_folder(tmp_path / "folder")
    with (folder / "campaign.toml").open("a") as file:
        file.write('protocol = "toy"\n')
    campaign = campaign_import(reading=read_campaign(folder), owner=make_user("organisers"))
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign)))
    page = markup(person.client.get(person.page_path))
    assert "Say how vivid each caption is." in page
    assert 'data-module="/static/js/questions/toy.js"' in page
    assert finders.find("js/questions/toy.js")
    receipt = person.items[0]["receipt"]
    post = {"receipt": receipt, "key": str(uuid.uuid4()), "evidence": EVIDENCE}
    refused = person.post("/rate/save", post | {"answers": {"score": 2, "watch": "perhaps"}})
    assert refused.json()["error"] == "Say yes or no."
    saved = person.post("/rate/save", post | {"answers": {"score": 2, "watch": "yes"}})
    assert saved.status_code == 200
    assert Rating.objects.get().answers == {"score": 2, "watch": "yes"}
    told = {row["question"]: row["value"] for row in answers_by_question(campaign)}
    assert told == {"score": "2", "watch": "yes"}
    table = tmp_path / "ratings.csv"
    rows = [f"a{n % 2},h,s{n % 3},v{n},system,{1 + n % 3}" for n in range(12)]
    table.write_text("annotator,hit,system,item,kind,score\n" + "\n".join(rows) + "\n")
    choices = {"protocol": "toy", "keep_all_annotators": True, "draws": 20}
    call_command("analyse", table, out=tmp_path / "out", **choices)
    assert (tmp_path / "out" / "systems.csv").exists()
