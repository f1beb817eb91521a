"""What the look promises: readable colours, nothing inline, vendored files as they were taken."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "static"
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
TOKENS = (STATIC / "css" / "tokens.css").read_text()
INLINE = re.compile(r"<style|\sstyle=|\son[a-z]+=|\shx-on|<script(?![^>]*\ssrc=)|javascript:", re.I)

MEANINGS = ["accent", "good", "warning", "danger", "info", "repeat"]
TEXT_PAIRS = [
    *((ink, ground) for ink in ("ink", "ink-soft", "ink-faint") for ground in ("paper", "surface")),
    ("ink", "sunken"),
    ("ink-soft", "sunken"),
    ("ink-faint", "sunken"),
    ("accent", "paper"),
    ("accent", "surface"),
    ("on-accent", "accent"),
    ("on-accent", "accent-hover"),
    ("danger", "surface"),
    *((meaning, f"{meaning}-soft") for meaning in MEANINGS),
    *(("ink", f"{meaning}-soft") for meaning in MEANINGS),
]
# Borders of controls and lines of charts have to be seen, not read: WCAG 1.4.11.
SHAPE_PAIRS = [
    *(("control", ground) for ground in ("surface", "paper", "sunken")),
    *((f"series-{i}", "surface") for i in range(1, 6)),
]


def theme(text: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", text))


LIGHT_TEXT, DARK_TEXT = TOKENS.split("@media (prefers-color-scheme: dark)")
THEMES = {"light": theme(LIGHT_TEXT), "dark": theme(DARK_TEXT)}


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_the_contrast_everybody_knows():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("name", THEMES)
def test_text_can_be_read(name):
    colours = THEMES[name]
    for ink, ground in TEXT_PAIRS:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize("name", THEMES)
def test_controls_and_lines_can_be_seen(name):
    colours = THEMES[name]
    for shape, ground in SHAPE_PAIRS:
        assert contrast(colours[shape], colours[ground]) >= 3, (shape, ground)


def test_dark_names_every_colour_that_light_names():
    assert THEMES["dark"].keys() == THEMES["light"].keys()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_holds_nothing_that_the_content_policy_refuses(path):
    assert INLINE.findall(path.read_text()) == []


def test_vendored_files_are_those_that_are_listed():
    folder = STATIC / "vendor"
    listed = dict(
        reversed(line.split())
        for line in re.findall(r"^[0-9a-f]{64}  \S+$", (folder / "README.md").read_text(), re.M)
    )
    files = [path for path in folder.rglob("*") if path.suffix in {".js", ".woff2", ".css"}]
    found = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert found == listed


def test_static_files_can_be_collected_for_production(settings, tmp_path):
    """A stylesheet or script that names a missing file fails here, not on the server."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "daplatform.static_files.ModuleStaticFilesStorage"}
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    assert (tmp_path / "staticfiles.json").exists()
    rating = next(path for path in (tmp_path / "js").glob("rating.*.js"))
    imported = re.findall(r'from "\./([^"]+)"', rating.read_text())
    assert imported
    assert all((rating.parent / name).exists() and name.count(".") == 2 for name in imported)


def test_browsers_that_ask_for_an_icon_by_its_old_name_find_it(client):
    found = client.get("/favicon.ico")
    assert found.status_code == 302
    assert (STATIC / found.url.removeprefix("/static/")).is_file()


@pytest.mark.parametrize(
    "sheet", sorted((STATIC / "css").glob("*.css")), ids=lambda path: path.name
)
def test_no_stylesheet_grows_beyond_400_lines(sheet):
    assert len(sheet.read_text().splitlines()) < 400


def test_every_stylesheet_is_asked_for_by_some_page():
    pages = "".join(path.read_text() for path in (ROOT / "templates").rglob("base.html"))
    assert {path.name for path in (STATIC / "css").glob("*.css")} == set(
        re.findall(r"css/([\w-]+\.css)", pages)
    )
