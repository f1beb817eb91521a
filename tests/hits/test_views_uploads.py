from __future__ import annotations

import os

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from daplatform.errors import DomainError
from daplatform.middleware import BoundedUploadHandler
from hits.models import Upload
from hits.services import uploads
from tests.factories import make_campaign
from tests.pages import markup, shown

CREATE = reverse("hits:upload-create")
HTMX = {"HTTP_HX_REQUEST": "true"}
FAULT = {
    "severity": "error",
    "kind": "empty-caption",
    "file": "captions.csv",
    "line": 17,
    "column": "caption",
    "message": "The caption of <b>clip</b> is empty.",
    "remedy": "Write one.",
}
REPORT = {
    "name": "Spring",
    "settings": {"Seed": 7},
    "videos": 3,
    "captions": 9,
    "systems": [
        {
            "name": "aurora",
            "role": "candidate",
            "is_control": False,
            "captions": 3,
            "samples": ["A dog."],
        }
    ],
    "faults": [],
    "error_count": 0,
    "warning_count": 0,
}


def archive(content=b"PK-anything", name="spring.zip"):
    return {"archive": SimpleUploadedFile(name, content)}


# What an upload can be at: its stage and status.
CHECKING, CHECKED, REFUSED = ("check", "waiting"), ("check", "done"), ("check", "failed")
IMPORTING, IMPORTED = ("import", "running"), ("import", "done")


@pytest.fixture
def upload(organiser):
    def make(at: tuple[str, str], **fields) -> Upload:
        stage, status = at
        return Upload.objects.create(
            owner=organiser, filename="spring.zip", stage=stage, status=status, **fields
        )

    return make


def page_of(client_of, organiser, upload, **headers):
    address = reverse("hits:upload-detail", args=[upload.pk])
    return markup(client_of(organiser).get(address, **headers))


def test_an_archive_is_kept_and_its_check_queued_after_the_commit(
    client_of, organiser, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as queued:
        response = client_of(organiser).post(CREATE, archive())
    upload = Upload.objects.get()
    assert response.url == reverse("hits:upload-detail", args=[upload.pk])
    assert (upload.owner, upload.filename, upload.status_label) == (
        organiser,
        "spring.zip",
        "Being checked",
    )
    assert upload.archive.read() == b"PK-anything"
    assert len(queued) == 1


def test_htmx_is_sent_on_to_the_page_of_the_upload(client_of, organiser):
    response = client_of(organiser).post(CREATE, archive(), **HTMX)
    address = reverse("hits:upload-detail", args=[Upload.objects.get().pk])
    assert response["HX-Redirect"] == address


@pytest.mark.parametrize("data", [{}, archive(b"")], ids=["missing", "empty"])
def test_it_refuses_nothing_at_all(client_of, organiser, data):
    response = client_of(organiser).post(CREATE, data)
    assert response.status_code == 400
    assert response.context["form"].errors["archive"]
    assert not Upload.objects.exists()


def test_it_refuses_an_archive_above_the_limit(client_of, organiser, settings):
    settings.UPLOAD_MAX_BYTES = 10
    response = client_of(organiser).post(CREATE, archive(), **HTMX)
    assert response.status_code == 400
    assert "larger than" in shown(response)
    assert not Upload.objects.exists()


@pytest.mark.parametrize("at", [CHECKING, IMPORTING])
def test_the_page_asks_again_while_work_goes_on(client_of, organiser, upload, at):
    page = page_of(
        client_of, organiser, upload(at, progress={"step": "reading", "done": 2, "total": 5})
    )
    assert 'hx-trigger="every 1s"' in page
    assert 'max="5" value="2"' in page


@pytest.mark.parametrize("at", [CHECKED, REFUSED, IMPORTED])
def test_the_page_stops_asking_when_there_is_nothing_to_wait_for(client_of, organiser, upload, at):
    page = page_of(client_of, organiser, upload(at, report=REPORT), **HTMX)
    assert "hx-trigger" not in page
    assert "<html" not in page


def test_it_shows_what_was_found_and_asks_for_a_yes(client_of, organiser, upload):
    checked = upload(CHECKED, report=REPORT)
    page = page_of(client_of, organiser, checked)
    assert reverse("hits:upload-confirm", args=[checked.pk]) in page
    assert "aurora" in page
    assert "A dog." in page


def test_it_shows_every_fault_and_cannot_be_confirmed(client_of, organiser, upload):
    report = REPORT | {"faults": [FAULT], "error_count": 8}
    refused = upload(REFUSED, report=report)
    page = page_of(client_of, organiser, refused)
    assert "captions.csv:17" in page
    assert "&lt;b&gt;clip" in page
    assert "Write one." in page
    assert "And 7 more" in page
    assert reverse("hits:upload-confirm", args=[refused.pk]) not in page


def test_it_says_why_an_import_was_refused(client_of, organiser, upload):
    refused = upload(REFUSED, report=REPORT, problem="You have a campaign of this name.")
    page = page_of(client_of, organiser, refused)
    assert "You have a campaign of this name." in page


def test_an_imported_campaign_is_led_to(client_of, organiser, upload):
    campaign = make_campaign(owner=organiser)
    page = page_of(client_of, organiser, upload(IMPORTED, campaign=campaign, report=REPORT))
    assert campaign.get_absolute_url() in page


def test_the_same_files_again_are_not_called_imported(client_of, organiser, upload):
    campaign = make_campaign(owner=organiser, name="Spring")
    page = page_of(client_of, organiser, upload(IMPORTED, campaign=campaign))
    assert "Already imported" in page
    assert "These are the files of “Spring”" in page


def test_saying_yes_queues_the_import(
    client_of, organiser, upload, django_capture_on_commit_callbacks
):
    checked = upload(CHECKED, report=REPORT)
    address = reverse("hits:upload-confirm", args=[checked.pk])
    with django_capture_on_commit_callbacks() as queued:
        response = client_of(organiser).post(address)
    assert response.url == reverse("hits:upload-detail", args=[checked.pk])
    checked.refresh_from_db()
    assert checked.status_label == "Being imported"
    assert len(queued) == 1


@pytest.mark.parametrize("at", [CHECKING, REFUSED, IMPORTING, IMPORTED])
def test_saying_yes_to_anything_else_is_refused(client_of, organiser, upload, at):
    other = upload(at, report=REPORT)
    response = client_of(organiser).post(reverse("hits:upload-confirm", args=[other.pk]))
    assert response.status_code == 400
    assert response.context["error"] in shown(response)
    other.refresh_from_db()
    assert (other.stage, other.status) == at


@pytest.mark.parametrize("at", [CHECKED, REFUSED])
def test_an_upload_nobody_wants_is_forgotten(client_of, organiser, upload, at):
    unwanted = upload(at, report=REPORT)
    unwanted.archive.save("spring.zip", SimpleUploadedFile("spring.zip", b"PK"))
    client = client_of(organiser)
    address = reverse("hits:upload-discard", args=[unwanted.pk])
    assert address in page_of(client_of, organiser, unwanted)
    assert client.post(address).url == reverse("hits:campaign-list")
    assert not Upload.objects.exists()
    assert not default_storage.exists(unwanted.archive.name)


@pytest.mark.parametrize("at", [CHECKING, IMPORTING])
def test_it_refuses_to_forget_what_is_being_worked_on(client_of, organiser, upload, at):
    busy = upload(at)
    response = client_of(organiser).post(reverse("hits:upload-discard", args=[busy.pk]))
    assert response.status_code == 400
    assert response.context["error"] in shown(response)
    assert Upload.objects.filter(pk=busy.pk).exists()


def test_no_more_reaches_the_disk_than_may_be_uploaded(client_of, organiser, settings, monkeypatch):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    settings.UPLOAD_MAX_BYTES = 10
    sizes = []

    def refuse(*, owner, archive):
        sizes.append((archive.size, os.path.getsize(archive.temporary_file_path())))
        raise DomainError("This is too large.")

    monkeypatch.setattr(uploads, "upload_create", refuse)
    assert client_of(organiser).post(CREATE, archive(b"x" * 1_000_000)).status_code == 400
    [(sent, kept)] = sizes
    assert sent == 1_000_000
    assert kept < 100_000


@pytest.mark.parametrize("path", [CREATE, reverse("login")])
def test_nothing_of_a_strangers_file_reaches_the_disk(db, settings, monkeypatch, path):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    sizes = []

    def note(handler, size):
        sizes.append(os.path.getsize(handler.file.temporary_file_path()))
        return handler.file

    monkeypatch.setattr(BoundedUploadHandler, "file_complete", note)
    stranger = Client(enforce_csrf_checks=True)
    stranger.cookies["csrftoken"] = "x" * 32  # or the form would not even be read
    assert stranger.post(path, archive(b"x" * 1_000_000)).status_code == 403
    assert sizes == [0]
