"""An archive sent in: checked, confirmed, imported, whatever happens to the worker in between."""

from __future__ import annotations

import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError

from daplatform.errors import DomainError
from daplatform.jobs import services
from daplatform.jobs.services import job_run
from hits.models import Campaign, Upload
from hits.services import uploads
from hits.services.uploads import (
    report,
    upload_confirm,
    upload_create,
)
from tests.folders import make_folder, make_zip

pytestmark = pytest.mark.django_db


@pytest.fixture
def upload(organiser, tmp_path) -> Upload:
    folder = make_folder(tmp_path / "campaign", videos=3, systems=2, clips=True)
    archive = ContentFile(make_zip(folder).read_bytes(), name="my campaign.zip")
    return upload_create(owner=organiser, archive=archive)


@pytest.fixture
def checked(upload) -> Upload:
    job_run(upload)
    upload.refresh_from_db()
    return upload


def test_the_check_reports_what_is_in_it_and_writes_no_campaign(checked):
    assert checked.is_checked
    assert checked.report["name"] == "Test campaign"
    assert (checked.report["videos"], checked.report["captions"]) == (3, 12)
    assert [system["name"] for system in checked.report["systems"] if system["is_control"]] == [
        "human-a"
    ]
    assert not Campaign.objects.exists()
    assert re.fullmatch(
        r"[\d.]+ USD, about [\d.]+ USD an hour at the expected \d+ minutes a HIT",
        checked.report["settings"]["Reward"],
    )


def test_the_check_says_when_no_hit_can_be_made_and_what_would_fit(checked):
    assert "has 9 and 3. Captions per HIT 10" in checked.report["misfit"]


def test_confirmed_it_becomes_a_campaign_and_the_archive_goes(checked):
    upload_confirm(upload=checked)
    job_run(checked)
    checked.refresh_from_db()
    assert checked.is_imported
    assert checked.campaign.videos.count() == 3
    assert not default_storage.exists(checked.archive.name)


def test_every_task_may_run_twice(upload):
    for _ in range(2):
        job_run(upload)
    upload.refresh_from_db()
    upload_confirm(upload=upload)
    for _ in range(2):
        job_run(upload)
    assert Campaign.objects.count() == 1


def test_faults_end_it_with_all_of_them_named(organiser, tmp_path):
    folder = make_folder(tmp_path / "campaign", videos=3, systems=2)
    (folder / "references.csv").unlink()
    (folder / "captions.csv").write_text("video,system,caption\nv000,a,\nv007,a,Unknown video.\n")
    archive = ContentFile(make_zip(folder).read_bytes(), name="campaign.zip")
    upload = upload_create(owner=organiser, archive=archive)
    job_run(upload)
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert upload.report["error_count"] >= 3
    assert {fault["file"] for fault in upload.report["faults"]} >= {
        "captions.csv",
        "references.csv",
    }


@pytest.mark.parametrize("content", [b"", b"not a zip at all", b"PK\x03\x04 truncated"])
def test_something_that_is_no_zip_is_refused_kindly(organiser, content):
    upload = upload_create(owner=organiser, archive=ContentFile(content, name="x.zip"))
    job_run(upload)
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert upload.report["faults"][0]["message"]


def test_it_cannot_be_confirmed_before_it_is_checked(upload):
    with pytest.raises(DomainError, match="not waiting"):
        upload_confirm(upload=upload)


def test_a_refused_import_says_why(checked, organiser):
    Campaign.objects.create(
        name="Test campaign", slug="taken", owner=organiser, source_digest="0" * 64
    )
    upload_confirm(upload=checked)
    job_run(checked)
    checked.refresh_from_db()
    assert checked.status == Upload.Status.FAILED
    assert "already have a campaign" in checked.problem


def test_an_archive_too_large_is_refused(organiser, settings):
    settings.UPLOAD_MAX_BYTES = 10
    with pytest.raises(DomainError, match="larger than"):
        upload_create(owner=organiser, archive=ContentFile(b"x" * 11, name="x.zip"))
    assert not Upload.objects.exists()


def test_an_archive_that_vanished_is_refused_and_not_tried_for_ever(upload):
    upload.archive.delete(save=False)
    job_run(upload)
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert "no longer stored" in upload.problem


def test_a_fault_of_ours_is_raised_and_ends_the_waiting(checked, monkeypatch):
    upload_confirm(upload=checked)
    monkeypatch.setattr(uploads, "campaign_import", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        job_run(checked)
    checked.refresh_from_db()
    assert checked.status == Upload.Status.FAILED
    assert "went wrong" in checked.problem


def test_a_busy_database_leaves_the_upload_to_be_taken_up_again(checked, monkeypatch):
    def busy(**_):
        raise OperationalError("database is locked")

    upload_confirm(upload=checked)
    monkeypatch.setattr(uploads, "campaign_import", busy)
    with pytest.raises(OperationalError):
        job_run(checked)
    checked.refresh_from_db()
    assert checked.is_active
    assert default_storage.exists(checked.archive.name)


def test_a_worker_thought_dead_does_not_undo_what_another_did(upload, monkeypatch):
    def overtaken(reading):
        Upload.objects.update(claimed_by="another")
        return report(reading)

    monkeypatch.setattr(uploads, "report", overtaken)
    job_run(upload)
    upload.refresh_from_db()
    assert (upload.status, upload.report) == (Upload.Status.RUNNING, {})
    assert default_storage.exists(upload.archive.name)


def test_importing_tells_how_far_it_is(checked, monkeypatch):
    monkeypatch.setattr(services, "TOLD_EVERY", 0)
    upload_confirm(upload=checked)
    job_run(checked)
    checked.refresh_from_db()
    assert checked.progress == {"step": "Writing captions", "done": 12, "total": 12}


def test_a_name_no_database_can_hold_is_a_fault_like_any_other(organiser, tmp_path):
    folder = make_folder(tmp_path / "campaign", videos=3, systems=2)
    toml = folder / "campaign.toml"
    toml.write_text(toml.read_text().replace("Test campaign", r"Test\u0000campaign"))
    archive = ContentFile(make_zip(folder).read_bytes(), name="campaign.zip")
    upload = upload_create(owner=organiser, archive=archive)
    job_run(upload)
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert [fault["kind"] for fault in upload.report["faults"]] == ["control character"]
