"""The disk behind media, snapshots and results is full: a sentence, no halves, and on it goes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analysis.forms import ChoicesForm
from analysis.models import Result
from analysis.services.exports import export_request
from analysis.services.requests import result_request
from daplatform.jobs.services import job_run
from daplatform.verification import INVARIANTS
from hits.models import Campaign, Upload
from hits.services.composing import batch_compose
from hits.services.uploads import upload_confirm
from tests.factories import make_annotator, make_campaign, make_ratings
from tests.folders import make_folder, make_zip
from tests.pages import markup

pytestmark = pytest.mark.django_db
KILOBYTE = 1024
IMPORT = "/campaigns/import/"


class Disk:
    """A small disk of its own that can be filled, and emptied again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self, *, leaving: int = 0) -> None:
        """Take all the space but so many bytes."""
        self.empty()
        left = os.statvfs(self.folder)
        self.ballast.write_bytes(bytes(max(0, left.f_bavail * left.f_frsize - leaving)))

    def empty(self) -> None:
        self.ballast.unlink(missing_ok=True)

    def files(self) -> list[str]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in found if path != self.ballast)


@pytest.fixture
def disk(tmp_path, settings) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        settings.DATA_DIR, settings.MEDIA_ROOT = folder, folder / "media"
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def archive(tmp_path) -> SimpleUploadedFile:
    folder = make_folder(tmp_path / "campaign", videos=3, systems=2, clips=True)
    return SimpleUploadedFile("campaign.zip", make_zip(folder).read_bytes())


@pytest.fixture
def browser(organiser, client_of, woken):
    """An organiser's; what it would wake workers for, the tests do themselves."""
    return client_of(organiser)


@pytest.fixture
def result(disk) -> Result:
    campaign = make_campaign(hit_size=20, pairs=2, repeats=1, videos=24)
    for hit in batch_compose(campaign=campaign).hits.all():
        make_ratings(hit, make_annotator(), list(range(40, 60)))
    form = ChoicesForm({"annotators": "all"})
    assert form.is_valid()
    choices = form.settings(minimum_pairs=campaign.min_pairs)
    wanted = result_request(campaign=campaign, choices=choices)
    assert wanted is not None
    return wanted


def send(browser, archive):
    archive.seek(0)
    return browser.post(IMPORT, {"archive": archive})


def assert_nothing_is_amiss() -> None:
    assert [each.sentence for each in INVARIANTS if list(each.broken())] == []


def test_an_upload_is_refused_in_a_sentence_and_taken_once_there_is_space(disk, browser, archive):
    disk.fill(leaving=4 * KILOBYTE)
    refused = send(browser, archive)
    assert refused.status_code == 400
    assert "could not be stored: the server&#x27;s disk is full." in markup(refused)
    assert (disk.files(), Upload.objects.count()) == ([], 0)
    disk.empty()
    assert send(browser, archive).status_code == 302
    upload = Upload.objects.get()
    job_run(upload)
    upload.refresh_from_db()
    assert upload.is_checked


@pytest.mark.parametrize("leaving", [0, 4 * KILOBYTE, 12 * KILOBYTE])
def test_an_import_writes_the_whole_campaign_or_nothing(disk, browser, archive, leaving):
    send(browser, archive)
    job_run(Upload.objects.get())
    upload_confirm(upload=Upload.objects.get())
    disk.fill(leaving=leaving)
    job_run(Upload.objects.get())
    upload = Upload.objects.get()
    assert (upload.status, disk.files()) == ("failed", [])
    assert upload.problem == "Nothing was saved: the server's disk is full."
    assert not Campaign.objects.exists()
    disk.empty()
    send(browser, archive)
    again = Upload.objects.latest("pk")
    job_run(again)
    upload_confirm(upload=Upload.objects.latest("pk"))
    job_run(again)
    assert Campaign.objects.get().videos.count() == 3
    assert_nothing_is_amiss()


@pytest.mark.parametrize("leaving", [0, 4, 8, 12])
def test_a_result_says_why_it_waits_and_is_made_once_there_is_space(
    disk, result, client_of, woken, leaving
):
    """Wherever the space ends: at the snapshot, or at what pages list."""
    disk.fill(leaving=leaving * KILOBYTE)
    job_run(result)
    result.refresh_from_db()
    assert (result.status, result.problem) == ("waiting", "the server's disk is full")
    assert [name for name in disk.files() if not name.endswith(".arrow")] == []
    page = client_of(result.campaign.owner).get(
        f"/campaigns/{result.campaign.slug}/ranking/?annotators=all"
    )
    assert "cannot be computed yet: the server&#x27;s disk is full." in markup(page)
    assert_nothing_is_amiss()
    disk.empty()
    job_run(result)
    result.refresh_from_db()
    assert (result.status, result.problem) == ("done", "")
    assert result.signature
    assert_nothing_is_amiss()


@pytest.mark.parametrize("leaving", [0, 12])
def test_an_export_says_why_it_waits_and_is_made_once_there_is_space(disk, result, leaving):
    export = export_request(
        campaign=result.campaign,
        by=result.campaign.owner,
        name="ratings",
        format="csv",
        address="/",
        choices={"last": result.last_rating, "decisions": ""},
        rows=100,
    )
    disk.fill(leaving=leaving * KILOBYTE)
    job_run(export)
    export.refresh_from_db()
    assert (export.status, export.problem) == ("waiting", "the server's disk is full")
    assert [name for name in disk.files() if not name.endswith(".arrow")] == []
    disk.empty()
    job_run(export)
    export.refresh_from_db()
    assert (export.status, export.problem) == ("done", "")
    assert_nothing_is_amiss()


def test_a_full_disk_is_not_waited_out_as_a_dead_worker_is(disk, result):
    disk.fill()
    job_run(result)
    assert result in Result.objects.due()
