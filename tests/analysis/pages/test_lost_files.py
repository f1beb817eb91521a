"""A database that came back without files: whoever looks for them has them made again."""

from __future__ import annotations

import shutil

import pytest

from analysis.models import Result
from analysis.presenting.listings import ANNOTATORS
from analysis.selectors.results import result_folder
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import grow_old
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def restored(ready) -> Result:
    shutil.rmtree(result_folder(ready))
    grow_old(ready)
    return ready


@pytest.mark.parametrize("page", ["caption-list", "annotator-list", "pair", "ranking"])
def test_whoever_looks_for_lost_files_has_them_made_again(page_of, restored, campaign, woken, page):
    content = markup(page_of(page, campaign))
    assert "are missing and are being recreated" in content
    assert "DATA_DIR" not in content
    restored.refresh_from_db()
    assert (restored.status, woken) == ("waiting", [("results", restored.pk)])
    assert "human-b" in shown(page_of("ranking", campaign))
    job_run(restored)
    content = markup(page_of(page, campaign))
    assert "being computed" not in content
    assert "human-b" in content or page == "annotator-list"
    assert page_of("download", campaign, "captions", "csv").status_code == 200


def test_a_page_that_could_show_nothing_shows_what_was_made_again(page_of, restored, campaign):
    assert "seen=" not in markup(page_of("caption-list", campaign))
    job_run(restored)
    assert page_of("caption-list", campaign, headers=HTMX)["HX-Refresh"] == "true"


def test_one_lost_file_is_enough(page_of, ready, campaign):
    (result_folder(ready) / ANNOTATORS).unlink()
    grow_old(ready)
    assert "being recreated" in shown(page_of("caption-list", campaign))


def test_files_that_never_arrive_are_not_made_again_and_again(page_of, restored, campaign, woken):
    page_of("caption-list", campaign)
    job_run(restored)
    shutil.rmtree(result_folder(restored))  # as if written on another machine
    page_of("caption-list", campaign, headers=HTMX)
    assert "DATA_DIR" in shown(page_of("caption-list", campaign))
    restored.refresh_from_db()
    assert (restored.status, woken) == ("done", [("results", restored.pk)])


def test_lost_files_wait_for_a_full_disk(page_of, restored, campaign, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    page_of("caption-list", campaign)
    with monkeypatch.context() as patched:
        patched.setattr("analysis.services.results.write_listing", full)
        job_run(restored)
    content = markup(page_of("caption-list", campaign))
    assert "cannot be computed yet" in content
    assert "human-b" in shown(page_of("ranking", campaign))
    job_run(restored)
    assert "being computed" not in shown(page_of("caption-list", campaign))
