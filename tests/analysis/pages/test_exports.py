"""Long lists: made by a worker, shown with how far they are, kept for one person and some days."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.models import Export
from analysis.selectors.exports import export_path
from analysis.services import downloads
from analysis.services.exports import exports_prune
from crowds.models import AuditEntry
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import make_export
from tests.factories import make_user
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_bound(settings, monkeypatch):
    settings.EXPORT_ROWS_AT_ONCE = 100
    monkeypatch.setattr(downloads, "PIECE", 30)


@pytest.fixture
def waiting(page_of, campaign, ready) -> Export:
    """All 140 captions, asked for and not made yet."""
    answer = page_of("download", campaign, "captions", "csv", sort="-raw")
    assert answer.status_code == 302
    assert answer.url == reverse("analysis:export-list", args=[campaign.slug])
    return Export.objects.get()


def fetched(page_of, campaign, export) -> bytes:
    answer = page_of("export-file", campaign, export.pk)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_a_long_list_is_left_to_a_worker_who_is_woken(waiting, woken):
    assert ("exports", waiting.pk) in woken
    assert (waiting.status, waiting.rows, waiting.written) == ("waiting", 140, 0)


def test_a_short_list_comes_at_once(page_of, campaign, ready):
    assert page_of("download", campaign, "captions", "csv", q="v007").status_code == 200
    assert not Export.objects.exists()


@pytest.mark.parametrize("format", ["csv", "json", "tex", "html"])
def test_it_holds_the_bytes_it_would_have_had_at_once(page_of, campaign, ready, settings, format):
    query = {"sort": "-raw"}
    page_of("download", campaign, "captions", format, **query)
    export = Export.objects.get()
    job_run(export)
    settings.EXPORT_ROWS_AT_ONCE = 1_000
    at_once = body(page_of("download", campaign, "captions", format, **query))
    assert fetched(page_of, campaign, export) == at_once
    export.refresh_from_db()
    assert (export.status, export.size) == ("done", len(at_once))


def test_ratings_are_written_piece_by_piece(page_of, campaign, ready, settings):
    page_of("download", campaign, "ratings", "csv")
    export = Export.objects.get()
    job_run(export)
    export.refresh_from_db()
    assert export.written == export.rows == 500
    settings.EXPORT_ROWS_AT_ONCE = 1_000
    at_once = body(page_of("download", campaign, "ratings", "csv"))
    assert fetched(page_of, campaign, export) == at_once


def test_asking_again_gives_the_same_row(page_of, campaign, waiting):
    page_of("download", campaign, "captions", "csv", sort="-raw")
    page_of("download", campaign, "captions", "csv", sort="-raw")
    assert Export.objects.get() == waiting
    page_of("download", campaign, "captions", "csv", sort="raw")
    assert Export.objects.count() == 2


def test_it_is_safe_to_make_it_twice(page_of, campaign, waiting):
    job_run(waiting)
    before = fetched(page_of, campaign, waiting)
    job_run(waiting)
    assert fetched(page_of, campaign, waiting) == before
    assert [path.name for path in export_path(waiting).parent.iterdir()] == ["captions.csv"]


def test_a_worker_tells_after_each_piece_how_far_it_is(waiting, monkeypatch):
    told: list[int] = []
    found = downloads.DOWNLOADS["captions"]

    def watched(*args, **choices):
        made = found(*args, **choices)

        def pieces():
            for piece in made.pieces():
                told.append(Export.objects.get().written)
                yield piece

        return type(made)(made.title, made.rows, pieces, made.signature)

    monkeypatch.setitem(downloads.DOWNLOADS, "captions", watched)
    job_run(waiting)
    assert told == [0, 30, 60, 90, 120]


def test_a_result_that_was_replaced_is_a_failure_that_can_be_tried_again(
    page_of, campaign, ready, waiting, woken
):
    Export.objects.update(choices=waiting.choices | {"result": 0})
    job_run(waiting)
    waiting.refresh_from_db()
    assert waiting.status == "failed"
    content = markup(page_of("export-list", campaign))
    assert "This result no longer exists" in content
    assert waiting.address in content
    Export.objects.update(choices=waiting.choices | {"result": ready.pk})
    woken.clear()
    page_of("download", campaign, "captions", "csv", sort="-raw")
    waiting.refresh_from_db()
    assert (waiting.status, waiting.problem, woken) == ("waiting", "", [("exports", waiting.pk)])


def test_the_page_shows_progress_and_asks_again_until_all_is_made(page_of, campaign, waiting):
    Export.objects.update(progress={"rows": 60})
    content = markup(page_of("export-list", campaign))
    assert 'max="140" value="60"' in content
    assert "hx-trigger" in content
    job_run(waiting)
    content = markup(page_of("export-list", campaign))
    assert "hx-trigger" not in content
    assert reverse("analysis:export-file", args=[campaign.slug, waiting.pk]) in content


def test_exports_are_their_askers_alone(page_of, campaign, ready, client_of, stranger, client):
    colleague = make_user("analysts")
    campaign.colleagues.add(colleague)
    export = make_export(campaign, colleague)
    address = reverse("analysis:export-file", args=[campaign.slug, export.pk])
    assert client_of(colleague).get(address).status_code == 200
    assert page_of("export-file", campaign, export.pk).status_code == 404
    assert "No downloads yet" in shown(page_of("export-list", campaign))
    assert client_of(stranger).get(address).status_code == 404
    assert client.get(address).status_code == 302
    campaign.colleagues.remove(colleague)
    assert client_of(colleague).get(address).status_code == 404


def test_taking_data_away_is_in_the_audit_trail_once(page_of, campaign, waiting, organiser):
    page_of("download", campaign, "captions", "csv", sort="-raw")
    entry = AuditEntry.objects.get(action="exported")
    assert (entry.person, entry.detail) == (organiser, "captions.csv, 140 rows")


def test_old_exports_are_deleted_with_their_files(page_of, campaign, ready, organiser, settings):
    old, young = (make_export(campaign, person) for person in (organiser, make_user("analysts")))
    (export_path(old).parent / "half.part").write_text("of a worker that died")
    then = timezone.now() - timedelta(days=settings.EXPORT_KEPT_DAYS, minutes=1)
    Export.objects.filter(pk=old.pk).update(created_at=then)
    exports_prune()
    assert list(Export.objects.all()) == [young]
    assert not export_path(old).parent.exists()
    assert export_path(young).is_file()


def test_a_lost_file_is_made_again(page_of, campaign, waiting):
    job_run(waiting)
    export_path(waiting).unlink()
    assert page_of("export-file", campaign, waiting.pk).status_code == 404
    content = markup(page_of("export-list", campaign))
    assert "The file no longer exists" in content
    assert f'href="{waiting.address}"' in content
    assert reverse("analysis:export-file", args=[campaign.slug, waiting.pk]) not in content
    page_of("download", campaign, "captions", "csv", sort="-raw")
    job_run(waiting)
    assert fetched(page_of, campaign, waiting)
    assert "no longer exists" not in shown(page_of("export-list", campaign))


def test_a_full_disk_leaves_no_half_and_the_work_to_the_next_sweep(waiting, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("analysis.services.exports.write_download", full)
        job_run(waiting)
    assert not list(export_path(waiting).parent.iterdir())
    job_run(waiting)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.problem) == ("done", "")


def test_the_list_takes_few_queries(
    page_of, campaign, ready, organiser, django_assert_max_num_queries
):
    page_of("export-list", campaign)
    for sort in ("z", "raw", "n"):
        page_of("download", campaign, "captions", "csv", sort=sort)
    with django_assert_max_num_queries(8):
        page_of("export-list", campaign)
