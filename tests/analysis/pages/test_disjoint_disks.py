"""Machines with disks of their own and one bucket: what a worker makes, every web server serves."""

from __future__ import annotations

import pytest
from botocore.exceptions import EndpointConnectionError
from django.core.files.storage import default_storage

from analysis.models import Export, Result
from analysis.presenting.listings import ANNOTATORS, CAPTIONS
from analysis.selectors.exports import export_path
from analysis.selectors.results import result_folder
from analysis.services.exports import exports_prune
from daplatform import shared_files
from daplatform.jobs.services import job_run
from daplatform.models import SharedFile
from tests.analysis.pages.conftest import compute, grow_old
from tests.pages import body, shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_bucket(bucket):
    """What machines share beside the database."""


@pytest.fixture
def move(settings, tmp_path):
    """Go on as another machine, whose disk nobody else sees."""

    def to(name: str) -> None:
        settings.DATA_DIR = tmp_path / name
        settings.METRIC_STORE = settings.DATA_DIR / "embeddings"

    to("worker")
    return to


@pytest.fixture
def away():
    """Call it, and the bucket does not answer until it is called again."""

    class Silent:
        def __getattr__(self, name):
            raise EndpointConnectionError(endpoint_url="http://bucket")

    patch = pytest.MonkeyPatch()

    def turn(is_away: bool = True) -> None:
        patch.undo()
        if is_away:
            patch.setattr(type(default_storage._wrapped), "bucket", Silent())

    default_storage.exists("x")  # it is there
    yield turn
    patch.undo()


@pytest.fixture
def made(move, campaign) -> Result:
    return compute(campaign)


@pytest.mark.parametrize("page", ["caption-list", "annotator-list", "ranking"])
def test_a_web_server_shows_what_a_worker_computed(page_of, made, campaign, move, page):
    there = shown(page_of(page, campaign))
    move("web")
    assert shown(page_of(page, campaign)) == there
    assert "missing" not in there
    listed = body(page_of("download", campaign, "captions", "csv"))
    move("worker")
    assert body(page_of("download", campaign, "captions", "csv")) == listed


def test_a_file_of_a_result_is_the_same_everywhere_and_goes_with_it(page_of, made, campaign, move):
    def csv() -> bytes:
        return b"".join(page_of("result-file", campaign, made.pk, "systems.csv"))

    move("web")
    first = csv()
    assert len(first) > 100
    move("another web")
    assert csv() == first
    move("worker")
    names = set(SharedFile.objects.values_list("path", flat=True))
    assert f"results/{campaign.pk}/{made.pk}/systems.csv" in names
    Result.objects.filter(pk=made.pk).again()
    job_run(made)
    assert len(SharedFile.objects.all()) == 2  # what was made of the old numbers is gone


@pytest.mark.parametrize("harm", [b"", b"ARROW1 and nonsense"])
def test_a_damaged_copy_is_fetched_again(page_of, made, campaign, move, harm):
    there = shown(page_of("caption-list", campaign))
    move("web")
    page_of("caption-list", campaign)
    (result_folder(made) / CAPTIONS).write_bytes(harm)
    assert shown(page_of("caption-list", campaign)) == there


def test_what_was_made_anew_elsewhere_replaces_an_old_copy(made, move):
    path = result_folder(made) / ANNOTATORS
    move("web")
    copy = shared_files.shared_path(result_folder(made) / ANNOTATORS)
    move("worker")
    path.write_bytes(b"newer")
    shared_files.folder_share(path.parent)
    move("web")
    assert shared_files.shared_path(copy).read_bytes() == b"newer"


def test_a_bucket_that_is_away_is_a_sentence_and_passes(
    page_of, made, campaign, move, away, client_of
):
    there = shown(page_of("caption-list", campaign))
    move("web")
    away()
    assert "human-b" in shown(page_of("ranking", campaign))  # its numbers are in the database
    browser = client_of(campaign.owner)
    browser.raise_request_exception = False
    answer = browser.get(f"/campaigns/{campaign.slug}/captions/", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert "is not available at the moment" in shown(answer)
    assert not list(result_folder(made).glob("*"))  # not even a part
    away(False)
    assert shown(page_of("caption-list", campaign)) == there


def test_a_job_waits_for_a_bucket_that_is_away(page_of, made, campaign, move, away):
    Result.objects.filter(pk=made.pk).again()
    made.refresh_from_db()
    before = set(SharedFile.objects.values_list("path", "sha256"))
    (result_folder(made) / CAPTIONS).unlink()
    SharedFile.objects.all().delete()
    away()
    job_run(made)
    made.refresh_from_db()
    assert (made.status, made.problem, made.attempts) == ("waiting", shared_files.AWAY, 0)
    assert not SharedFile.objects.exists()  # nothing half-shared is anybody's
    away(False)
    job_run(made)
    made.refresh_from_db()
    assert (made.status, made.problem) == ("done", "")
    assert set(SharedFile.objects.values_list("path", "sha256")) == before


def test_a_machine_that_lost_its_job_meanwhile_shares_nothing(made, move, monkeypatch):
    """It was cut off while it put its files into the bucket; another has made them since."""
    before = set(SharedFile.objects.values_list("path", "sha256"))
    Result.objects.filter(pk=made.pk).again()
    put = shared_files.digest

    def meanwhile(path):
        Result.objects.filter(pk=made.pk).update(claimed_by="another")
        path.write_bytes(path.read_bytes() + b" ")  # it made something else
        return put(path)

    move("late")
    monkeypatch.setattr(shared_files, "digest", meanwhile)
    job_run(made)
    assert set(SharedFile.objects.values_list("path", "sha256")) == before
    assert Result.objects.get(pk=made.pk).claimed_by == "another"


def test_what_the_bucket_lost_is_made_again(page_of, made, campaign, move, bucket, client_of):
    for file in SharedFile.objects.all():
        bucket.delete_object(Bucket="media", Key=file.key)
    grow_old(made)
    move("web")
    browser = client_of(campaign.owner)
    browser.raise_request_exception = False
    address = f"/campaigns/{campaign.slug}/captions/"
    assert browser.get(address).status_code == 503
    assert "being recreated" in shown(page_of("caption-list", campaign))


def test_an_export_is_served_elsewhere_and_goes_with_its_days(
    page_of, campaign, move, settings, bucket
):
    settings.EXPORT_ROWS_AT_ONCE = 1
    page_of("download", campaign, "ratings", "csv")
    job_run(Export.objects.get())
    export = Export.objects.get()
    content = export_path(export).read_bytes()
    move("web")
    assert b"".join(page_of("export-file", campaign, export.pk)) == content
    assert "no longer exists" not in shown(page_of("export-list", campaign))
    move("worker")
    settings.EXPORT_KEPT_DAYS = -1
    exports_prune()
    assert not SharedFile.objects.exists()
    assert "Contents" not in bucket.list_objects_v2(Bucket="media", Prefix="shared/exports")


def test_without_a_bucket_there_are_no_rows(page_of, campaign, move, settings):
    settings.MEDIA_BUCKET = ""
    made = compute(campaign)
    assert shared_files.is_shared(result_folder(made) / CAPTIONS)
    assert not SharedFile.objects.exists()
