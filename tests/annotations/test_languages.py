"""Annotators' pages in their own language: complete, chosen by the campaign or by the browser."""

from __future__ import annotations

import gettext
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.conf import settings as django_settings
from django.test import Client

from tests.annotations.person import invite, link

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path.parent.parent.name for path in ROOT.glob("locale/*/LC_MESSAGES/django.po"))
BRACES = re.compile(r"\{\w+\}|%\(\w+\)s|</?\w+>")


def catalogue(language: str):
    with (ROOT / "locale" / language / "LC_MESSAGES" / "django.po").open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms_of(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return text if isinstance(text, tuple) else (text,)


def test_six_languages_are_shipped():
    assert SHIPPED == ["de", "es", "fr", "hi", "pt", "zh_Hans"]
    codes = {code.partition("-")[0] for code, _ in django_settings.LANGUAGES}
    assert codes == {"en", *(name.partition("_")[0] for name in SHIPPED)}


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> set:
    """Every sentence that templates and code mark for translation today, found in a copy."""
    if shutil.which("xgettext") is None:
        pytest.skip("gettext is not installed")
    copy = tmp_path_factory.mktemp("messages")
    for folder in ("daplatform", "hits", "annotations", "crowds", "analysis", "templates"):
        shutil.copytree(ROOT / folder, copy / folder)
    (copy / "locale").mkdir()
    command = [sys.executable, "-m", "django", "makemessages", "--locale", "de", "--no-location"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")}
    subprocess.run(command, cwd=copy, env=plain, check=True, capture_output=True)
    with (copy / "locale" / "de" / "LC_MESSAGES" / "django.po").open("rb") as file:
        return {(message.context, message.id) for message in read_po(file) if message.id}


@pytest.mark.parametrize("language", SHIPPED)
def test_no_sentence_is_missing(language, said):
    assert {(message.context, message.id) for message in catalogue(language)} == said
    for message in catalogue(language):
        assert not message.fuzzy
        assert all(forms_of(message.string)), message.id


@pytest.mark.parametrize("language", SHIPPED)
def test_what_is_filled_in_stands_in_every_translation(language):
    for message in catalogue(language):
        for translated in forms_of(message.string):
            wanted = set(BRACES.findall(forms_of(message.id)[-1]))
            assert set(BRACES.findall(translated)) == wanted, message.id


@pytest.mark.parametrize("language", SHIPPED)
def test_the_compiled_catalogue_is_that_of_the_texts(language):
    with (ROOT / "locale" / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in catalogue(language):
        if isinstance(message.id, str) and not message.context:
            assert compiled.gettext(message.id) == message.string


def page(address: str, language: str) -> str:
    return Client(headers={"accept-language": language}).get(address).text


def test_the_browser_chooses_where_the_campaign_does_not(campaign):
    address = link(invite(campaign, "Anna"))
    assert '<html lang="de"' in page(address, "de-AT,de;q=0.9")
    assert "Videobeschreibungen bewerten" in page(address, "de-AT,de;q=0.9")
    assert "Rate video captions" in page(address, "xx")


def test_the_campaign_chooses_for_everybody(campaign):
    campaign.language, campaign.consent = "fr", "May we?"
    campaign.translations = {"fr": {"consent": "Vous permettez ?"}}
    campaign.save()
    shown = page(link(invite(campaign, "Anna")), "de")
    assert '<html lang="fr"' in shown
    assert "Vous permettez ?" in shown
    assert "May we?" not in shown


def test_the_script_and_refusals_speak_it_too(campaign):
    client = Client(headers={"accept-language": "es", "origin": "http://testserver"})
    address = link(invite(campaign, "Anna"))
    work = client.get(client.post(address).headers["Location"])
    words = re.search(r'<script id="words" type="application/json">(.*?)</script>', work.text)
    assert json.loads(words[1])["next"] == "Siguiente"
    refused = client.post("/rate/save", "{}", content_type="application/json")
    assert refused.json()["error"] == (
        "Este enlace no es válido. Compruebe que se copió la dirección completa."
    )


def test_other_pages_stay_as_they_are(campaign, client_of):
    client = client_of(campaign.owner)
    client.get(link(invite(campaign, "Anna")), headers={"accept-language": "de"})
    own = client.get(campaign.get_absolute_url(), headers={"accept-language": "de"})
    assert '<html lang="en"' in own.text
