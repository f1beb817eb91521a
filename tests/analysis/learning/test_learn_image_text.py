"""`manage.py learn clip|cloob|factvc` on scenes the demo renders: a model that loads comes out."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.learning.folder import MODEL_CONFIG
from analysis.metrics.encoding.models import DEMO_MODEL, ModelChoice, find_model
from rehearsal.demo import CAMPAIGN_SEEDS, HUMANS, captions, judge, render_clip, scene
from tests.analysis.learning.small_world import as_option

torch = pytest.importorskip("torch")

FIRST = 3 * CAMPAIGN_SEEDS
"""Scenes that the demo model was neither trained nor tried on."""


@pytest.fixture(scope="session")
def scenes(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("scenes") / "scenes"
    (folder / "clips").mkdir(parents=True)
    rows: dict[str, list[Any]] = {"captions": [], "references": [], "human": []}
    for seed in range(FIRST, FIRST + 48):
        shown, name = scene(seed), f"scene-{seed}"
        render_clip(shown, folder / "clips" / f"{name}.mp4", size=(64, 64), fps=2)
        for source, told in captions(shown).items():
            if source in HUMANS:
                rows["references"].append((name, source, told.text))
            else:
                rows["captions"].append((name, source, told.text))
                rows["human"].append((name, source, 100 * judge(shown, told.text)))
    for file, header in (
        ("captions", ("video", "system", "caption")),
        ("references", ("video", "source", "caption")),
        ("human", ("video", "system", "score")),
    ):
        with (folder / f"{file}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows[file]])
    return folder


def learn(kind, scenes, out, *more, model="demo"):
    printed = StringIO()
    call_command(
        "learn", kind, "--set", as_option(scenes), "--videos", str(scenes / "clips"),
        "--model", model, "--out", str(out), "--frames", "uniform:2", "--epochs", "2",
        "--batch", "16", *more, stdout=printed, stderr=StringIO(),
    )  # fmt: skip
    return printed.getvalue()


@pytest.mark.parametrize(
    ("kind", "rate"), [("clip", "1e-5"), ("cloob", "1e-5"), ("factvc", "1e-3")]
)
def test_the_folder_it_writes_is_a_model(kind, rate, scenes, tmp_path):
    printed = learn(kind, scenes, tmp_path / "model", "--anyway", "--rate", rate)
    assert "before" in printed
    towers = find_model(ModelChoice(str(tmp_path / "model"))).load("cpu")
    [vector] = towers.encode_texts(["a dog runs"])
    assert np.isfinite(vector.vectors).all()
    assert "τ-c" in (tmp_path / "model" / "README.md").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_factvc_trains_the_projections_and_nothing_else(scenes, tmp_path):
    from analysis.evaluation.set_inputs import Source
    from analysis.learning.checkpoints import Checkpoints
    from analysis.learning.image_text import ImageTextTraining, Pupil
    from analysis.learning.projections import triple_lessons
    from analysis.learning.rated import read_rated
    from analysis.learning.schooling import Schooling
    from analysis.metrics.encoding.torch_models.image_text import load_folder

    rated = read_rated(Source.parse(as_option(scenes)), score="score")
    towers = load_folder(DEMO_MODEL, "cpu")
    before = {name: value.clone() for name, value in towers.model.state_dict().items()}
    pictures = {video: torch.rand(2, 3, 64, 64) for video in set(rated.batch.videos)}
    pupil = Pupil(towers, pictures)
    # Whatever it does to agreement, the trained state is kept.
    judged = iter((0.0, 1.0))
    pupil.agreement = lambda sets: next(judged)
    schooling = Schooling(epochs=1, batch=16, rate=1e-2, decay=0.0, most=64)
    lessons = triple_lessons(pupil, rated.batch.references, schooling, 1, {})
    checkpoints = Checkpoints(tmp_path / "model", "key")
    ImageTextTraining(pupil, lessons, [rated], schooling, 1, checkpoints).run()
    changed = {
        name for name, value in towers.model.state_dict().items() if not value.equal(before[name])
    }
    assert changed == {"text_projection", "visual.attnpool.c_proj.weight"}


@pytest.mark.parametrize(
    ("losses", "coarse_counts", "fine_counts"),
    [("both", 1.0, 0.1), ("coarse", 1.0, 0.0), ("fine", 0.0, 1.0)],
)
def test_factvcs_loss_is_the_sum_written_out(losses, coarse_counts, fine_counts):
    from analysis.learning.projections import factvc_loss

    rng = np.random.default_rng(1)
    videos, true, false = (rng.normal(size=(3, 4)) for _ in range(3))
    s = 2.0 * videos @ true.T
    coarse = np.mean([np.log(np.exp(s[i]).sum()) - s[i, i] for i in range(3)])
    fine = np.mean([max(0.0, 5 - s[i, i] + 2.0 * videos[i] @ false[i]) for i in range(3)])
    found = factvc_loss(
        *map(torch.tensor, (videos, true, false)),
        torch.tensor(2.0),
        fine_weight=0.1,
        margin=5.0,
        losses=losses,
    )
    assert float(found) == pytest.approx(coarse_counts * coarse + fine_counts * fine, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "rate"), [("clip", "1e-5"), ("cloob", "1e-5"), ("factvc", "1e-3")]
)
def test_a_training_killed_in_the_middle_goes_on_and_ends_with_the_same_bytes(
    kind, rate, scenes, tmp_path, monkeypatch
):
    from analysis.learning import image_text

    monkeypatch.setattr(image_text, "KEEP_EVERY", 2)
    more = ("--anyway", "--rate", rate, "--most", "64")
    learn(kind, scenes, tmp_path / "whole", *more)
    learned = image_text.ImageTextTraining._learn
    steps = []

    def killed(self):
        steps.append(self.step)
        if self.step == 3 and steps.count(3) == 1:
            raise KeyboardInterrupt
        return learned(self)

    monkeypatch.setattr(image_text.ImageTextTraining, "_learn", killed)
    with pytest.raises(KeyboardInterrupt):
        learn(kind, scenes, tmp_path / "halves", *more)
    assert not (tmp_path / "halves").exists()
    learn(kind, scenes, tmp_path / "halves", *more)
    assert steps[:6] == [0, 1, 2, 3, 2, 3]
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "halves" / path.name).read_bytes(), path.name
    assert not list(tmp_path.glob(".*"))


def test_another_loss_of_factvc_is_another_training(scenes, tmp_path):
    with pytest.raises(CommandError, match="losses must be one of"):
        learn("factvc", scenes, tmp_path / "model", "--anyway", "--losses", "medium")


def test_the_demo_model_is_not_trained_on_what_it_was_not_made_for(scenes, tmp_path):
    with pytest.raises(CommandError, match="demo model") as refused:
        learn("clip", scenes, tmp_path / "model")
    assert refused.value.returncode == 2


def test_a_folder_without_weights_is_no_model(scenes, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / MODEL_CONFIG).write_text("{}")
    with pytest.raises(CommandError, match="weights") as refused:
        learn("clip", scenes, tmp_path / "model", model=str(tmp_path / "empty"))
    assert refused.value.returncode == 2
    assert not (tmp_path / "model").exists()
