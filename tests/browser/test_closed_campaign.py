"""A German Excel export becomes a campaign; it is set, corrected, closed, reopened and erased."""

from __future__ import annotations

import datetime as dt
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from annotations.models import Annotator as Rater
from annotations.models import AnnotatorIdentity, Assignment
from crowds.tasks import campaigns_retire_task
from hits.models import Campaign, Caption
from tests.annotations.person import Person, invite, link
from tests.browser.material import clip_bytes
from tests.browser.member import SCREENS, Member
from tests.browser.test_organisers_way import eager

__all__ = ["eager"]
SETTINGS = """name = "Straßen"
control = "Mensch"

[hits]
size = 10
pairs = 2
repeats = 1
minutes_allowed = 60
"""
SEVEN = range(1, 8)
TABLES = {
    "videos.csv": ["video;url", *(f"v{n};https://videos.example/{n}.mp4" for n in SEVEN)],
    "captions.csv": [
        "video;system;caption",
        *(f'v{n};Gerät;"Ein Mann läuft\n über die {n}. Straße."' for n in SEVEN),
    ],
    "references.csv": [
        "video;source;caption",
        *(f"v{n};Mensch;Jemand überquert gerade die Straße Nummer {n}." for n in SEVEN),
    ],
}


@pytest.fixture
def archive(tmp_path) -> Path:
    """As Excel saves it in Germany: semicolons, Windows-1252, line breaks inside captions."""
    path = tmp_path / "strassen.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("campaign.toml", SETTINGS)
        for name, lines in TABLES.items():
            packed.writestr(name, "\r\n".join([*lines, ""]).encode("cp1252"))
    return path


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def organiser(request, site, browser):
    person = Member(site, browser, *request.param)
    person.context.route(
        "https://videos.example/**",
        lambda route: route.fulfill(body=clip_bytes(3, 0.3), content_type="video/mp4"),
    )
    person.come_in(User.objects.create_superuser("olga", password="a-word-of-olga"))
    yield person
    person.close()


def import_it(organiser: Member, archive: Path) -> Campaign:
    page = organiser.page
    page.goto(f"{organiser.site.url}/campaigns/import/")
    page.get_by_label("Campaign archive").set_input_files(archive)
    page.get_by_role("button", name="Upload and check").click()
    organiser.stop("Ready to import")
    expect(page.get_by_text("Line breaks inside 7 texts became spaces")).to_be_visible()
    page.get_by_role("button", name="Import this campaign").click()
    expect(page.get_by_role("button", name="Compose HITs").first).to_be_visible()
    campaign = Campaign.objects.get()
    assert campaign.minutes_allowed == 60
    assert Caption.objects.filter(text="Ein Mann läuft über die 3. Straße.").exists()
    return campaign


def set_it(organiser: Member, campaign: Campaign) -> None:
    page = organiser.page
    organiser.tab("Settings")
    organiser.stop("Settings")
    page.get_by_label("Require watching to the end").uncheck()
    page.get_by_label("HITs per person, at most").fill("2")
    page.get_by_role("button", name="Save the settings").click()
    expect(page.get_by_text("The settings are saved.")).to_be_visible()
    campaign.refresh_from_db()
    assert (campaign.must_watch, campaign.max_hits_per_annotator) == (False, 2)
    organiser.tab("Overview")
    page.get_by_role("button", name="Compose HITs").first.click()
    expect(page.get_by_text("Batch 1 is composed.")).to_be_visible()


def correct_it(organiser: Member, campaign: Campaign) -> None:
    page = organiser.page
    video = campaign.videos.get(name="v3")
    page.goto(f"{organiser.site.url}/campaigns/{campaign.slug}/videos/{video.pk}/")
    page.get_by_role("link", name="Correct the caption of Gerät").click()
    organiser.stop("Correct a caption")
    expect(page.get_by_text("keeps showing the old text")).to_be_visible()
    page.get_by_label("Caption").fill("Eine Frau läuft über die 3. Straße.")
    page.get_by_role("button", name="Correct the caption").click()
    expect(page.get_by_text("The caption is corrected.")).to_be_visible()
    assert Caption.objects.filter(video=video, system__name="Gerät").count() == 2


def close_it(organiser: Member) -> None:
    page = organiser.page
    organiser.tab("Settings")
    page.get_by_role("link", name="Close the campaign").click()
    organiser.stop("Close the campaign")
    expect(page.get_by_text("What ends")).to_be_visible()
    page.get_by_role("button", name="Close the campaign").click()
    expect(page.get_by_text("The campaign is closed.")).to_be_visible()
    organiser.stop("Settings")


def opened(organiser: Member, path: str) -> str:
    """What somebody sees who opens a link."""
    guest = organiser.context.new_page()
    guest.goto(organiser.site.url + path)
    text = guest.locator("main").inner_text()
    guest.close()
    return text


def test_a_german_export_from_import_to_forgetting(organiser, archive, settings):
    settings.RETENTION_DAYS = 30
    campaign = import_it(organiser, archive)
    set_it(organiser, campaign)
    worker, late = link(invite(campaign, "Anna")), link(invite(campaign, "Bert"))
    person = Person(worker)
    correct_it(organiser, campaign)
    close_it(organiser)
    assert "This study is closed" in opened(organiser, late)
    person.save_all()  # who was at work may finish
    assert person.submit().status_code == 200
    organiser.page.get_by_role("button", name="Reopen the campaign").click()
    expect(organiser.page.get_by_text("The campaign is open again.")).to_be_visible()
    assert "This study is closed" not in opened(organiser, late)
    call_command("close", campaign.slug, stdout=StringIO())
    assert "This study is closed" in opened(organiser, late)
    Assignment.objects.filter(submitted_at__isnull=False).update(
        submitted_at=timezone.now() - dt.timedelta(days=31)
    )
    campaigns_retire_task()
    assert not AnnotatorIdentity.objects.exists()
    assert Rater.objects.filter(ratings__isnull=False).exists()
    call_command("erase", "--campaign", campaign.slug, stdout=StringIO())
    organiser.page.reload()
    organiser.page.get_by_role("button", name="Reopen the campaign").click()
    expect(organiser.page.get_by_text("The identities of participants were erased")).to_be_visible()
