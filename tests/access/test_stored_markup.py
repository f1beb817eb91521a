"""Every text field full of markup, then every page: nothing of it becomes part of a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from analysis.models import Result
from analysis.selectors.results import result_makers
from tests.access.hostile import (
    APPENDED,
    HARM,
    JSON,
    MATERIAL,
    OURS,
    Watcher,
    all_models,
    label,
    make_missing,
    poison,
    text_fields,
)
from tests.access.matrix import ROWS
from tests.analysis.pages.conftest import compute
from tests.pages import body

ROOT = Path(__file__).parents[2]
HTML = "text/html"


@pytest.fixture
def hostile(campaign, request):
    """What stands in addresses, after every text was made hostile."""
    others = campaign.videos.exclude(pk=campaign.videos.first().pk)
    others.update(file="", url="https://videos.example/clip.mp4")
    for model in all_models():
        if model._meta.label in MATERIAL:
            poison(model)
    Result.objects.all().delete()
    compute(campaign)
    things = request.getfixturevalue("things")
    make_missing()
    for model in all_models():
        if model._meta.label not in (*MATERIAL, *APPENDED):
            poison(model)
    return things


def addresses(things) -> list[str]:
    found = []
    for name, row in ROWS.items():
        if "GET" in row.methods:
            values = [[things[arg] for arg in row.args]]
            if name == "analysis:result-file":
                names = result_makers(Result.objects.get(pk=values[0][1]))
                values = [[*values[0][:2], file] for file in sorted(names)]
            found += [reverse(name, args=args) + row.query for args in values]
    return found


def admin_addresses() -> list[str]:
    found = []
    for model, shown in admin.site._registry.items():
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{base}_changelist"))
        if row := shown.model._base_manager.first():
            found.append(reverse(f"{base}_change", args=[row.pk]))
    return found


def content_of(response) -> str:
    return body(response).decode(errors="replace")


def harm_of(client: Client, address: str) -> list[str]:
    """What is wrong with a page: what it lets in, or how it is sent."""
    client.raise_request_exception = False
    response = client.get(address)
    if response.status_code >= 500:
        return [f"it answers {response.status_code}"]
    kind = response.get("Content-Type", HTML).partition(";")[0]
    faults = [] if response["X-Content-Type-Options"] == "nosniff" else ["its type may be guessed"]
    if kind == HTML:
        faults += Watcher(content_of(response)).harm
        if "attachment" not in response.get("Content-Disposition", ""):
            faults += [] if "Content-Security-Policy" in response else ["it has no policy"]
    return faults


@pytest.mark.parametrize("who", ["organiser", "admin", "annotator"])
def test_nothing_of_a_text_becomes_part_of_a_page(who, hostile, clients):
    asked = addresses(hostile) + (admin_addresses() if who == "admin" else [])
    harm = {address: harm_of(clients[who], address) for address in asked}
    assert {address: found for address, found in harm.items() if found} == {}


def test_the_texts_are_on_the_pages(hostile, clients):
    """Else the test above would prove nothing."""
    pages = [content_of(clients["admin"].get(address)) for address in addresses(hostile)]
    assert sum("&lt;xss-da onxss=1&gt;" in page for page in pages) > 20


@pytest.mark.parametrize(
    "page",
    [
        f"<p>{HARM}</p>",
        f'<p title="{HARM}">',
        f"<p title='{HARM}'>",
        f'<script type="application/json">{{"a": "{HARM}"}}</script>',
        "<p title=x onxss=1>",
        "<script>work()</script>",
        '<a href=" javascript:onxss()">',
        "7191 times 7193 is 51724863",
    ],
)
def test_the_watcher_sees_what_a_careless_page_lets_in(page):
    assert Watcher(page).harm


def test_every_text_is_hostile_or_known_to_be_ours(hostile):
    fields = {label(field) for model in all_models() for field in model._meta.concrete_fields}
    assert set(JSON) | OURS <= fields
    for model in all_models():
        for field in text_fields(model):
            values = model._base_manager.values_list(field.name, flat=True)
            marked = any("<xss-da" in str(value) for value in values)  # however little fits
            assert marked, f"{label(field)} has no hostile row"


# Whatever lets a text become markup. `format_html` does not, if what it fills is written out.
LOUD = re.compile(
    r"""mark_safe|Safe(?:String|Text)\(|\|\s*safe\b|autoescape off|safeseq|__html__"""
    r"""|format_html(?:_join)?\((?!\s*["'])"""
)


@pytest.mark.parametrize(
    ("line", "is_loud"),
    [
        ("return SafeString(text)", True),
        ("{{ text|safe }}", True),
        ("format_html(text)", True),
        ('format_html(f"<td>{text}</td>")', True),
        ("def cells() -> SafeString:", False),
        ('format_html("<td>{}</td>", text)', False),
        ("format_html_join('', '<td>{}</td>', rows)", False),
    ],
)
def test_the_search_knows_what_switches_escaping_off(line, is_loud):
    assert bool(LOUD.search(line)) is is_loud


def test_nothing_is_marked_as_safe_but_what_was_looked_at():
    """Escaping is switched off in one place, for the help that Django itself wrote."""
    sources = [
        *(path for app in ("daplatform", "hits", "annotations", "crowds", "analysis")
          for path in (ROOT / app).rglob("*.py")),
        *(ROOT / "templates").rglob("*.html"),
    ]  # fmt: skip
    found = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        for line in path.read_text().splitlines()
        if LOUD.search(line)
    }
    assert {line.partition(":")[0] for line in found} == {"templates/_field.html"}
