"""The metrics page: tick, score, watch, cancel, try again, read by system, take away."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.models import MetricRun, MetricWorker
from analysis.services.metric_workers import metric_worker_report
from analysis.tasks import metric_worker_report_task
from hits.models import System
from tests.analysis.runs.conftest import finish, step
from tests.factories import make_campaign
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def sent(monkeypatch, woken) -> list:
    """Nothing listens in tests; what would have been sent is noted instead."""
    report = metric_worker_report_task
    monkeypatch.setattr(report, "delay_on_commit", lambda: woken.append("report"))
    return woken


@pytest.fixture
def worker(db) -> MetricWorker:
    return MetricWorker.objects.create(
        name="gpu-1 cuda:0",
        device="cuda:0",
        unavailable={"spice": "SPICE is not installed"},
        seen_at=timezone.now(),
    )


def address(campaign, name="metrics", *rest) -> str:
    return reverse(f"analysis:{name}", args=[campaign.slug, *rest])


def tick(client, campaign, *metrics, **choices):
    chosen = {"model": "pretend", "frames": "uniform:16", "tokenize": "ptb"} | choices
    return client.post(address(campaign, "metric-score"), {"metrics": metrics, **chosen})


def test_metrics_are_offered_with_what_they_need(campaign, client_of, organiser, worker):
    page = markup(client_of(organiser).get(address(campaign)))
    assert "No scores yet" in page
    assert 'value="emscore" checked' in page
    assert "Compared with the video and the references" in page
    assert "needs PAC-S model, image-text model, references, video" in page


def test_what_no_worker_can_compute_is_greyed_and_says_why(campaign, client_of, organiser, worker):
    page = markup(client_of(organiser).get(address(campaign)))
    assert 'value="spice" disabled' in page
    assert "SPICE is not installed." in page
    MetricWorker.objects.create(
        name="other cpu", device="cpu", unavailable={}, seen_at=timezone.now()
    )
    assert 'value="spice" checked' in markup(client_of(organiser).get(address(campaign)))


def test_a_campaign_without_videos_or_references_says_so(client_of, organiser, worker):
    campaign = make_campaign(owner=organiser)
    System.objects.filter(role="reference").update(role="candidate", is_control=False)
    page = markup(client_of(organiser).get(address(campaign)))
    assert "The videos of this campaign are not stored here." in page
    assert "The campaign has no references." in page
    assert " checked" not in page


def test_without_a_worker_it_says_what_to_start_and_asks_around(
    campaign, client_of, organiser, sent
):
    page = markup(client_of(organiser).get(address(campaign)))
    assert "celery -A daplatform worker --queues gpu" in page
    assert sent == ["report"]


def test_a_worker_reports_what_it_cannot_compute(campaign, settings):
    metric_worker_report()
    metric_worker_report()
    worker = MetricWorker.objects.get()
    assert worker.device == "cpu"
    assert worker.unavailable["spice"].startswith("SPICE is not installed")
    assert "bleu4" not in worker.unavailable


def test_pressing_score_makes_a_run_and_wakes_a_worker(campaign, client_of, analyst, sent, worker):
    campaign.colleagues.add(analyst)
    response = tick(client_of(analyst), campaign, "bleu4", "emscore", frames="fps:1")
    assert response.url == address(campaign)
    run = MetricRun.objects.get()
    assert sent == [("metrics", run.pk)]
    assert (run.metrics, run.requested_by) == (["bleu4", "emscore"], analyst)
    assert run.choices["frames"] == "fps:1"


def test_it_refuses_what_cannot_be_computed_and_keeps_what_was_ticked(
    campaign, client_of, organiser, worker, sent
):
    response = tick(client_of(organiser), campaign, "bleu4", "spice")
    assert response.status_code == 400
    page = markup(response)
    assert "spice cannot be computed for this campaign." in page
    assert 'value="bleu4" checked' in page
    assert 'value="bleu3" >' in page or 'value="bleu3">' in page
    assert "Select at least one metric." in markup(tick(client_of(organiser), campaign))
    assert not MetricRun.objects.exists()


@pytest.mark.parametrize("model", ["/etc/passwd", "ViT-B-32"])
def test_only_models_the_operator_named_can_be_loaded(campaign, client_of, organiser, model):
    assert tick(client_of(organiser), campaign, "emscore", model=model).status_code == 400


def test_a_second_run_is_refused_while_one_is_under_way(campaign, client_of, organiser, worker):
    client = client_of(organiser)
    tick(client, campaign, "bleu4")
    response = tick(client, campaign, "bleu4")
    assert response.status_code == 400
    assert "This campaign is already being scored." in markup(response)


def test_the_page_follows_a_run_until_it_ends(campaign, client_of, organiser, ask):
    run = ask(["bleu4", "emscore"])
    client = client_of(organiser)
    assert "No worker has started yet." in markup(client.get(address(campaign)))
    step(run)
    page = markup(client.get(address(campaign), headers=HTMX))
    assert "<h1" not in page
    assert "0 of 20" in page
    assert "every 2s" in page
    finish(run)
    ended = client.get(address(campaign), headers=HTMX)
    assert ended.headers["HX-Refresh"] == "true"
    assert "every 2s" not in markup(client.get(address(campaign)))


def test_the_table_shows_means_by_system(campaign, client_of, organiser, scored):
    scored(["bleu1"])
    page = markup(client_of(organiser).get(address(campaign)))
    assert '<th scope="col" class="number">human-b</th>' in page
    assert "bleu1|refs:1|tokenize:ptb|version:" in page
    rows = csv.DictReader(
        io.BytesIO(download(client_of(organiser), campaign)).read().decode().splitlines()
    )
    values = [float(row["value"]) for row in rows if row["system"] == "human-b"]
    assert f"{sum(values) / len(values):.3f}" in page
    assert '<td class="number">20</td>' in page
    spec = client_of(organiser).get(address(campaign)).context["means"]
    drawn = {(row["metric"], row["system"]): row["mean"] for row in spec["data"]["values"]}
    assert drawn["bleu1", "human-b"] == pytest.approx(sum(values) / len(values))
    assert page.index('data-chart="means-spec"') < page.index("By system")


def download(client, campaign, name="scores.csv") -> bytes:
    response = client.get(address(campaign, "metric-file", name))
    assert response.headers["Content-Disposition"].startswith("attachment")
    return b"".join(response.streaming_content)


def test_files_are_handed_out_and_nothing_else(campaign, client_of, organiser, scored):
    client = client_of(organiser)
    assert client.get(address(campaign, "metric-file", "scores.csv")).status_code == 404
    scored(["bleu1"])
    for name in ("scores.csv.json", "captions.csv", "references.csv"):
        assert download(client, campaign, name)
    assert client.get(address(campaign, "metric-file", "settings.py")).status_code == 404


def test_a_run_can_be_cancelled(campaign, client_of, organiser, ask):
    run = ask()
    response = client_of(organiser).post(address(campaign, "metric-cancel", run.pk), follow=True)
    assert "Scoring has been cancelled." in markup(response)
    again = client_of(organiser).post(address(campaign, "metric-cancel", run.pk))
    assert again.status_code == 400


def test_failed_videos_are_named_and_can_be_tried_again(
    campaign, client_of, organiser, scored, sent
):
    client = client_of(organiser)
    Path(campaign.videos.get(name="v003").file.path).write_bytes(b"no video at all")
    run = scored()
    page = markup(client.get(address(campaign)))
    assert "1 item could not be scored" in page
    assert "v003" in shown(page)
    assert "Retry what failed" in page
    sent.clear()
    assert client.post(address(campaign, "metric-retry", run.pk)).status_code == 302
    assert set(sent) == {("metric chunks", run.pk)}
    finish(run)
    Path(campaign.videos.get(name="v003").file.path).unlink()
    assert client.post(address(campaign, "metric-retry", run.pk)).status_code == 302


def test_there_is_nothing_to_try_again_after_a_run_that_went_well(
    campaign, client_of, organiser, scored
):
    run = scored(["bleu1"])
    client = client_of(organiser)
    assert "Retry what failed" not in markup(client.get(address(campaign)))
    assert client.post(address(campaign, "metric-retry", run.pk)).status_code == 400


def test_asking_for_the_page_costs_the_same_however_much_was_scored(
    campaign, client_of, organiser, scored, worker, django_assert_max_num_queries
):
    scored()
    client = client_of(organiser)
    with django_assert_max_num_queries(22):
        client.get(address(campaign))
    MetricRun.objects.update(status=MetricRun.Status.RUNNING)
    with django_assert_max_num_queries(8):
        client.get(address(campaign), headers=HTMX)


def test_strangers_are_refused(campaign, client_of, stranger, client, scored):
    run = scored(["bleu1"])
    pages = [address(campaign), address(campaign, "metric-file", "scores.csv")]
    buttons = [
        address(campaign, "metric-score"),
        address(campaign, "metric-cancel", run.pk),
        address(campaign, "metric-retry", run.pk),
    ]
    for place in pages:
        assert client_of(stranger).get(place).status_code == 404
        assert client.get(place).status_code == 302
    for place in buttons:
        assert client_of(stranger).post(place).status_code == 404
        assert client.post(place).status_code == 302
    other = make_campaign(owner=stranger)
    assert client_of(stranger).post(address(other, "metric-cancel", run.pk)).status_code == 404


def test_someone_without_the_permission_may_look_but_not_score(campaign, client_of, ask):
    from tests.factories import make_user

    guest = make_user()
    campaign.colleagues.add(guest)
    client = client_of(guest)
    assert 'type="checkbox"' not in markup(client.get(address(campaign)))
    assert tick(client, campaign, "bleu4").status_code == 403
    assert client.post(address(campaign, "metric-cancel", ask().pk)).status_code == 403


def test_web_processes_never_import_torch(tmp_path):
    """Every address is loaded and the metrics are listed, as a web process does."""
    program = """
import sys
import django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
from analysis.metrics.registry import families
families()
heavy = {"torch", "open_clip", "sentence_transformers", "rapidfuzz", "sacrebleu", "pandas"}
sys.exit(", ".join(sorted(heavy & set(sys.modules))) or 0)
"""
    environment = {
        "DEBUG": "true",
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "daplatform.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
