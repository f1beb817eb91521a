"""A metric that learns from a campaign: from the button on the page to scores of other captions."""

from __future__ import annotations

import csv
import io
import zipfile
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.evaluation.page import human_page
from analysis.evaluation.settings import UNSEEN
from analysis.learning import rated
from analysis.learning.held_out import NO_CURVE, Compared, HeldOut, said
from analysis.metrics.artifacts import read_artifact
from analysis.models import LearnedMetric, MetricRun, MetricScore
from analysis.selectors.evaluations import campaign_inputs, evaluation_numbers
from analysis.selectors.learned_metrics import learned_folder, learned_numbers
from analysis.selectors.metric_choices import metric_groups
from analysis.services import learned_metrics, metric_context
from analysis.services.evaluations import Choices, evaluation_request
from analysis.services.learned_metrics import learned_metric_request
from analysis.services.snapshots import snapshot_refresh
from daplatform.jobs.services import JobLost, job_finish, job_run, job_stop
from hits.models import System
from hits.views.access import campaigns_for
from rehearsal.demo.plans import RATED
from tests.analysis.pages.conftest import rated_campaign
from tests.factories import make_user
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def machine(settings, tmp_path, tiny_model, meteor_store, monkeypatch, woken):
    """A worker with a small sentence model, and campaigns that need few ratings."""
    settings.DATA_DIR, settings.METRIC_STORE = tmp_path / "data", tmp_path / "store"
    settings.METRIC_STORE.mkdir()
    for path in meteor_store.iterdir():
        (settings.METRIC_STORE / path.name).symlink_to(path)
    settings.METRIC_RESOURCES = {"sentence": str(tiny_model)}
    settings.METRIC_DEVICE = "cpu"
    metric_context.device.cache_clear()
    metric_context._job.cache_clear()
    metric_context.context_forget()
    monkeypatch.setattr(rated, "FEWEST", 50)
    yield
    metric_context.context_forget()


@pytest.fixture
def campaign(organiser, tmp_path):
    return rated_campaign(organiser, tmp_path)


@pytest.fixture
def page(client_of, organiser, campaign):
    client = client_of(organiser)

    def opened(name, *args, post=None, **query):
        address = reverse(f"analysis:{name}", args=[campaign.slug, *args])
        return client.get(address, query) if post is None else client.post(address, post)

    return opened


def learn(campaign, name="head-1", kind="head", **more) -> LearnedMetric:
    row = learned_metric_request(campaign=campaign, kind=kind, name=name, **more)
    job_finish(row)
    row.refresh_from_db()
    return row


def offered(campaign, user) -> set[str]:
    """The metrics that somebody may score a campaign with."""
    groups = metric_groups(campaign, [], campaigns_for(user))
    return {choice.name for group in groups for choice in group.choices}


def test_the_demo_has_a_metric_learn_from_its_ratings_once(campaign, page):
    campaign.slug, campaign.is_demo = RATED.slug, True
    campaign.save()
    for _ in range(2):
        call_command("learn_demo", "--now", stdout=StringIO())
    row = LearnedMetric.objects.get()
    assert (row.name, row.status) == ("demo-head", "done"), row.problem
    found = learned_numbers(row)
    card = markup(page("learned-metric", row.pk))
    assert f"{found.learned.pearson:.3f}" in card
    assert f"{found.untrained.pearson:.3f}" in card
    held = set(read_artifact(learned_folder("demo-head")).files)
    assert "training.json" in held
    assert "recipe tried" in row.card


def test_from_the_button_to_scores_with_a_fingerprint(page, campaign, tmp_path, settings):
    assert "Train a metric on these ratings" in markup(page("metrics"))
    asked = {"kind": "head", "name": "ours", "scores_after": "on"}
    answer = page("metric-learn", post=asked)
    row = LearnedMetric.objects.get()
    assert answer.url == reverse("analysis:learned-metric", args=[campaign.slug, row.pk])
    assert "Waiting for a worker" in markup(page("learned-metric", row.pk))
    assert page("metric-learn", post=asked | {"name": "another"}).status_code == 400

    job_finish(row)
    row.refresh_from_db()
    assert row.status == "done", row.problem
    artifact = read_artifact(learned_folder("ours"))
    found = learned_numbers(row)
    card = markup(page("learned-metric", row.pk))
    assert artifact.fingerprint in card
    assert f"{found.learned.pearson:.3f}" in card
    assert [part.share for part in found.parts] == [0.1, 0.2, 0.5, 1.0]
    steps = [step for step, _ in row.progress["curve"]]
    assert steps == sorted(set(steps))
    assert 'id="losses-title"' in card
    assert {"ours", "sts", "cider", "meteor"} <= {one.metric for one in found.compared}

    # The campaign was scored with it, and every number says by which weights.
    run = MetricRun.objects.get(status="done")
    assert run.metrics == ["ours"]
    signature = run.chunks.get(kind="scores").signatures["ours"]
    assert artifact.fingerprint in signature
    listed = markup(page("metrics"))
    assert signature in listed.replace("&amp;", "&")
    assert 'value="ours"' in listed

    # From the files that the pages hand out it gives the same scores.
    with zipfile.ZipFile(io.BytesIO(b"".join(page("learned-file", row.pk, "ours")))) as archive:
        archive.extractall(tmp_path / "unpacked")
    for name in ("captions.csv", "references.csv"):
        (tmp_path / name).write_bytes(b"".join(page("metric-file", name)))
    call_command(
        "score", str(tmp_path / "captions.csv"), "--references", str(tmp_path / "references.csv"),
        "--learned", str(tmp_path / "unpacked" / "ours"), "--metrics", "ours",
        "--sentence-model", settings.METRIC_RESOURCES["sentence"],
        "--store", str(settings.METRIC_STORE), "--out", str(tmp_path / "scores.csv"),
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    with (tmp_path / "scores.csv").open() as file:
        values = {(one["video"], one["system"]): one["value"] for one in csv.DictReader(file)}
    kept = MetricScore.objects.values_list("caption__video__name", "caption__system__name", "value")
    assert len(values) == len(kept)
    assert all(
        float(values[video, system]) == pytest.approx(value) for video, system, value in kept
    )


def test_of_trainings_one_after_the_other_the_last_curve_is_kept(campaign, monkeypatch):
    monkeypatch.setattr(learned_metrics, "job_alive", lambda *, job, progress: None)
    row = learned_metric_request(campaign=campaign, kind="bertha", name="twice")
    losses = learned_metrics.LossCurve(row)
    for steps in (4, 2):
        for step in range(1, steps + 1):
            losses(step, steps, 1 / step)
    assert losses.points == [(1, 1.0), (2, 0.5)]


def test_without_a_learning_curve_the_page_says_why():
    rows = tuple(
        Compared(name, pearson=r, spearman=r, kendall_b=r, p=0.01)
        for name, r in (("ours", 0.5), ("sts", 0.4))
    )
    *_, told = said(HeldOut("ours", 28, 4, 112, 0, rows))
    assert told == NO_CURVE


def test_numbers_are_read_by_name_whatever_order_a_database_keeps_them_in():
    row = Compared("ours", pearson=0.5, spearman=0.4, kendall_b=0.3, p=float("nan"))
    kept = HeldOut("ours", 28, 4, 112, 0, (row,)).as_numbers()
    kept["compared"] = [dict(reversed(one.items())) for one in kept["compared"]]
    assert HeldOut.read(kept).learned.pearson == 0.5


def test_it_is_never_held_against_captions_it_learned_from(campaign):
    row = learn(campaign)
    found = learned_numbers(row)
    run = MetricRun.objects.create(
        campaign=campaign, metrics=["rougel"], choices=MetricRun.objects.get().choices,
        last_caption=MetricRun.objects.get().last_caption,
    )  # fmt: skip
    job_finish(run)
    columns = snapshot_refresh(campaign=campaign).read()
    usual = campaign_inputs(campaign, columns)
    assert usual.metrics.names == ["rougel"]
    assert any("head-1 learned from" in note for note in usual.metrics.notes)
    unseen = campaign_inputs(campaign, columns, learned=UNSEEN)
    assert set(unseen.metrics.names) == {"rougel", "head-1"}
    assert any("left out for every metric" in note for note in unseen.metrics.notes)
    joined, _, _ = unseen.aligned(0)
    assert len(joined) == found.captions


def test_checks_on_the_page_score_changed_captions_with_it(campaign):
    learn(campaign)
    choices = Choices(checks="all", learned=UNSEEN)
    evaluation = evaluation_request(campaign=campaign, choices=choices)
    job_run(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.status == "done", evaluation.problem
    shuffled = human_page(evaluation_numbers(evaluation), "z")["checks"]["word order"]
    assert "head-1" in shuffled[0]


@pytest.mark.parametrize("kind", ["head", "bertha"])
def test_a_training_that_was_stopped_goes_on_and_ends_with_the_same_weights(
    kind, campaign, monkeypatch
):
    learn(campaign, "whole", kind, scores_after=False)
    monkeypatch.setattr(learned_metrics, "EVERY", 0.0)
    told = []

    def stopping(*, job, progress=None):
        told.append(progress["done"])
        if len(told) == 5:
            job_stop(job=job)
            raise JobLost

    monkeypatch.setattr(learned_metrics, "job_alive", stopping)
    row = learn(campaign, "parted", kind, scores_after=False)
    assert row.status == "stopped"
    assert not learned_folder("parted").exists()
    learned_metrics.learned_metric_again(row=row)
    job_finish(row)
    row.refresh_from_db()
    assert row.status == "done"
    weights = [
        [path.read_bytes() for path in sorted(learned_folder(name).rglob("*.safetensors"))]
        for name in ("whole", "parted")
    ]
    assert len(weights[0]) == (2 if kind == "bertha" else 1)
    assert weights[0] == weights[1]


def test_a_retired_metric_is_not_offered_and_its_scores_stay(page, campaign, organiser):
    row = learn(campaign)
    page("learned-retire", row.pk, post={"retired": "yes"})
    assert "head-1" not in offered(campaign, organiser)
    assert "Retired on" in markup(page("learned-metric", row.pk))
    assert '<th scope="row">head-1' in markup(page("metrics"))
    page("learned-retire", row.pk, post={"retired": "no"})
    assert "head-1" in offered(campaign, organiser)


def test_only_those_who_may_see_its_campaign_may_score_with_it(campaign, organiser, tmp_path):
    learn(campaign, kind="fusion", scores_after=False)
    names = {
        who: offered(campaign, user)
        for who, user in (("owner", organiser), ("other", make_user("organisers")))
    }
    assert "head-1" in names["owner"]
    assert "head-1" not in names["other"]
    assert names["owner"] - names["other"] == {"head-1"}


def test_it_waits_until_the_campaign_is_scored(campaign):
    run = MetricRun.objects.create(campaign=campaign, metrics=["bleu4"], choices={}, last_caption=1)
    row = learned_metric_request(campaign=campaign, kind="fusion", name="later")
    job_run(row)
    row.refresh_from_db()
    assert (row.status, row.attempts) == ("waiting", 0)
    MetricRun.objects.filter(pk=run.pk).update(status="stopped")
    assert LearnedMetric.objects.due().get() == row


class TestBadInput:
    def test_too_few_ratings_are_told_on_the_page(self, page, campaign, monkeypatch):
        monkeypatch.setattr(rated, "FEWEST", 200)
        row = learn(campaign)
        assert row.status == "failed"
        assert "at least 200 are needed to learn from" in row.problem
        assert "at least 200 are needed to learn from" in markup(page("learned-metric", row.pk))
        assert not learned_folder("head-1").exists()

    @pytest.mark.parametrize("name", ["", "bleu4", "../up", "1st", "a" * 41, "ours taken"])
    def test_names_that_cannot_be_had_are_refused(self, page, name):
        answer = page("metric-learn", post={"kind": "head", "name": name})
        assert answer.status_code == 400
        assert not LearnedMetric.objects.exists()

    def test_a_name_stands_for_one_training(self, page, campaign):
        learn(campaign, kind="fusion", scores_after=False)
        answer = page("metric-learn", post={"kind": "head", "name": "head-1"})
        assert "A metric head-1 already exists" in markup(answer)
        assert LearnedMetric.objects.get().kind == "fusion"

    def test_without_references_the_page_says_why(self, page, campaign):
        campaign.systems.filter(role=System.Role.REFERENCE).update(
            role=System.Role.HUMAN, is_control=False
        )
        assert "The campaign has no references" in markup(page("metrics"))
        assert page("metric-learn", post={"kind": "head", "name": "x"}).status_code == 400

    def test_a_full_disk_leaves_nothing_that_is_used(self, campaign, monkeypatch):
        def full(*args, **options):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr("analysis.learning.folder.write_artifact", full)
            row = learn(campaign, kind="fusion")
        assert row.status == "waiting"
        assert "disk is full" in row.problem
        assert not learned_folder("head-1").exists()
        job_finish(row)
        row.refresh_from_db()
        assert row.status == "done"
