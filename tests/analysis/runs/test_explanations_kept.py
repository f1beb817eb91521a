"""Why a caption has its score: made from the store by a worker, kept, tried again if need be."""

from __future__ import annotations

import shutil

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from PIL import Image

from analysis.models import MetricScore
from analysis.selectors.explanations import (
    explained_run,
    explanation_name,
    explanation_of,
    frame_name,
)
from analysis.services import explanations, metric_context
from analysis.services.explanations import explanation_make
from analysis.tasks import metric_run_explain_task
from hits.models import Caption

pytestmark = pytest.mark.django_db
PARTS = {
    "score": "emscore",
    "coarse": "emscore_c",
    "f": "emscore_f",
    "precision": "emscore_p",
    "recall": "emscore_r",
}


@pytest.fixture(autouse=True)
def fresh_worker():
    explanations._context.cache_clear()
    yield
    explanations._context.cache_clear()


@pytest.fixture
def run(scored):
    return scored(list(PARTS.values()))


@pytest.fixture
def caption(campaign) -> Caption:
    return Caption.objects.get(
        system__campaign=campaign, system__name="system-1", video__name="v003"
    )


def made(run, caption) -> dict:
    explanation_make(run=run.pk, caption=caption.pk)
    found = explanation_of(run, caption)
    assert found is not None
    return found


def test_its_parts_are_the_scores_of_the_run(run, caption):
    found = made(run, caption)
    for part, metric in PARTS.items():
        stored = MetricScore.objects.get(run=run, caption=caption, metric=metric)
        assert found[part] == pytest.approx(stored.value, abs=1e-6), part


def test_nothing_is_embedded_for_it(run, caption, encoders):
    before = (encoders.images, encoders.texts)
    metric_context.context_forget()
    assert not made(run, caption)["problem"]
    assert (encoders.images, encoders.texts) == before


def test_every_frame_has_its_picture_of_its_own_moment(run, campaign):
    """The first clip goes from dark to light."""
    caption = Caption.objects.get(system__name="system-1", video__name="v000")
    found = made(run, caption)
    assert found["has_pictures"]
    shades = []
    for time in found["times"]:
        with default_storage.open(frame_name(caption.video, time)) as file:
            shades.append(Image.open(file).convert("L").getpixel((0, 0)))
    assert len(shades) == 10
    assert shades == sorted(shades)
    assert shades[0] < shades[-1]


def test_made_twice_it_stays_as_it_is(run, caption):
    made(run, caption)
    folder = default_storage.listdir(frame_name(caption.video, 0).rpartition("/")[0])
    before = default_storage.get_modified_time(explanation_name(run, caption))
    metric_run_explain_task(run.pk, caption.pk)
    assert default_storage.get_modified_time(explanation_name(run, caption)) == before
    assert default_storage.listdir(frame_name(caption.video, 0).rpartition("/")[0]) == folder


def test_pruned_embeddings_are_said_and_tried_again(run, caption, settings, tmp_path):
    shutil.move(settings.METRIC_STORE, tmp_path / "elsewhere")
    assert made(run, caption)["problem"] == explanations.NO_FRAMES
    shutil.move(tmp_path / "elsewhere", settings.METRIC_STORE)
    assert not made(run, caption)["problem"]


def test_embeddings_pruned_under_a_worker_that_knew_them_are_said(run, caption, settings):
    other = Caption.objects.get(system=caption.system, video__name="v000")
    assert not made(run, other)["problem"]
    explanations._context(metric_context.config_of(run.choices, "cpu")).resource(
        "image_text"
    ).frames("uniform:16").space._vectors.clear()  # as if it had not looked at them yet
    shutil.rmtree(settings.METRIC_STORE)
    assert made(run, caption)["problem"] == explanations.NO_FRAMES


def test_a_video_whose_file_is_gone_is_explained_without_pictures(run, caption):
    default_storage.delete(caption.video.file.name)
    found = made(run, caption)
    assert not found["problem"]
    assert not found["has_pictures"]


def test_a_video_that_could_not_be_read_says_why(scored, campaign, caption):
    video = caption.video
    default_storage.delete(video.file.name)
    run = scored(["emscore"])
    assert "this video could not be read: there is no such file" in made(run, caption)["problem"]


def test_a_run_on_a_gpu_is_explained_by_a_worker_without_one(run, caption, settings):
    """Its embeddings lie in a space of their own."""
    for folder in settings.METRIC_STORE.iterdir():
        folder.rename(folder.with_name(folder.name.replace("-full-", "-half-")))
    run.precision = "half"
    run.save()
    assert not made(run, caption)["problem"]


def test_of_many_frames_those_are_kept_that_a_word_matched(run, caption, monkeypatch):
    whole = made(run, caption)
    monkeypatch.setattr(explanations, "MOST_FRAMES", 3)
    default_storage.delete(explanation_name(run, caption))
    found = made(run, caption)
    assert found["frames_matched"] == len(whole["frames"]) == 10
    matched = sorted({whole["times"][token["best"]] for token in whole["tokens"]})
    assert found["times"] == matched
    for few, all_ in zip(found["tokens"], whole["tokens"], strict=True):
        assert found["times"][few["best"]] == whole["times"][all_["best"]]
    assert [len(row) for row in found["similarity"]] == [len(matched)] * len(found["tokens"])


def test_the_last_run_that_matched_words_with_frames_is_explained(scored, campaign):
    assert explained_run(campaign) is None
    scored(["bleu4", "clip_mean"])
    assert explained_run(campaign) is None
    run = scored(["emscore_ref"])
    scored(["bleu4"])
    assert explained_run(campaign) == run


def test_a_run_that_was_tried_again_is_explained_anew(run, caption):
    made(run, caption)
    run.finished_at = timezone.now() + timezone.timedelta(seconds=5)
    run.save()
    assert explanation_of(run, caption) is None
