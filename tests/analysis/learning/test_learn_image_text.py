"""`manage.py learn clip|cloob|factvc` on scenes the demo renders: a model that loads comes out."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.learning.folder import MODEL_CONFIG
from analysis.metrics.encoding.models import DEMO_MODEL, ModelChoice, find_model
from benchmarks.scenes import write_scenes
from tests.analysis.learning.small_world import as_option
from tests.analysis.metrics.conftest import TINY_VIT, model_folder  # noqa: F401 # a fixture

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session")
def scenes(tmp_path_factory) -> Path:
    return write_scenes(tmp_path_factory.mktemp("scenes") / "scenes")


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
    held = json.loads((tmp_path / "model" / "split.json").read_text())
    stopping, reported = (set(held[part]["scenes"]) for part in ("stopping", "reported"))
    assert stopping
    assert reported
    assert not stopping & reported
    told = json.loads((tmp_path / "model" / "training.json").read_text())
    assert len(told["clips"]) == len(list((scenes / "clips").iterdir()))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.fixture(scope="module")
def own_architecture(tmp_path_factory) -> str:
    """A small ViT under a name that open_clip knows, as built-in ones are."""
    from analysis.metrics.encoding.torch_models.libraries import open_clip

    folder = tmp_path_factory.mktemp("architectures")
    (folder / "small-vit.json").write_text(json.dumps(TINY_VIT))
    open_clip.add_model_config(folder)
    return "small-vit"


def cloob_file(folder, beta, inverse) -> Path:
    """A checkpoint with CLOOB's names."""
    from safetensors.torch import load_file

    state = {"module.logit_scale_hopfield": torch.tensor(beta).log()}
    for name, tensor in load_file(folder / "open_clip_model.safetensors").items():
        own = name if name.startswith("visual.") else f"transformer.{name}"
        state[f"module.{own}"] = tensor
    del state["module.transformer.logit_scale"]
    state["module.logit_inv_tau"] = torch.tensor(inverse).log()
    torch.save({"state_dict": state}, folder / "cloob.pt")
    return folder / "cloob.pt"


@pytest.mark.parametrize(
    ("kind", "rate"), [("clip", "1e-5"), ("cloob", "1e-5"), ("factvc", "1e-3")]
)
def test_a_vision_transformer_learns_from_a_folder_or_a_file_of_weights(
    kind,
    rate,
    scenes,
    own_architecture,
    model_folder,  # noqa: F811
    tmp_path,
):
    folder = model_folder(TINY_VIT)
    few = ("--rate", rate, "--epochs", "1", "--most", "64", "--pooling", "max")
    learn(kind, scenes, tmp_path / "folder", *few, model=str(folder))
    weights = cloob_file(folder, 14.3, 20.0) if kind == "cloob" else folder / "weights.pt"
    if kind != "cloob":
        state = find_model(ModelChoice(str(folder))).load("cpu").model.state_dict()
        torch.save(state, weights)
    name = f"cloob:{own_architecture}" if kind == "cloob" else own_architecture
    learn(kind, scenes, tmp_path / "file", *few, "--weights", str(weights), model=name)
    for place in ("folder", "file"):
        trained = find_model(ModelChoice(str(tmp_path / place))).load("cpu")
        assert trained.model.visual.proj is not None
        assert np.isfinite(trained.encode_texts(["a dog runs"])[0].vectors).all()
        assert "max over frames" in (tmp_path / place / "README.md").read_text()
    cards = [(tmp_path / place / "README.md").read_text() for place in ("folder", "file")]
    if kind == "cloob":  # a checkpoint goes on with the scales it was trained with
        assert "hopfield scale 8.0, inverse temperature 30.0" in cards[0]
        assert "hopfield scale 14.3" in cards[1]
        assert "inverse temperature 20.0" in cards[1]


def test_the_poolings_are_those_of_the_metrics_of_their_names():
    from analysis.learning.image_text import POOLED
    from analysis.learning.schooling import POOLINGS

    cosines = torch.tensor([[0.1, 0.5, 0.3]])
    assert tuple(POOLED) == POOLINGS
    found = {name: float(pooled(cosines)) for name, pooled in POOLED.items()}
    assert found == pytest.approx({"mean": 0.3, "max": 0.5, "min": 0.1})


def test_the_scales_of_cloob_are_options():
    from analysis.learning.contrastive import cloob_loss, loss_of_kind
    from analysis.learning.schooling import Schooling

    rng = np.random.default_rng(2)
    pairs = [torch.nn.functional.normalize(torch.tensor(rng.normal(size=(4, 3))), dim=1)] * 2
    named = loss_of_kind("cloob", Schooling(hopfield_scale=2.0, inverse_temperature=5.0))
    scale = torch.tensor(1.0)
    told = cloob_loss(*pairs, scale, beta=2.0, inverse_temperature=5.0)
    assert float(named(*pairs, scale)) == float(told)
    assert float(loss_of_kind("cloob", Schooling())(*pairs, scale)) != float(told)


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


def test_videos_that_are_reported_on_neither_teach_nor_stop(scenes):
    from analysis.evaluation.set_inputs import Source
    from analysis.learning.rated import read_rated
    from analysis.learning.schooling import three_ways

    found = three_ways([read_rated(Source.parse(as_option(scenes)), score="score")], 1)
    videos = [
        {video for one in part for video in one.batch.videos}
        for part in (found.training, found.stopping, found.reported)
    ]
    assert [len(part) for part in videos][2] == 10
    assert not videos[0] & videos[1]
    assert not (videos[0] | videos[1]) & videos[2]


class Together:
    """One of two processes, as accelerate tells it."""

    num_processes, device = 2, torch.device("cpu")

    def __init__(self, rank: int) -> None:
        self.process_index, self.is_main_process = rank, rank == 0

    def prepare(self, *parts):
        return parts if len(parts) > 1 else parts[0]

    def unwrap_model(self, model):
        return model


def test_processes_share_a_batch_and_one_of_them_writes(tiny_model, tmp_path, monkeypatch):
    from analysis.learning import fine_tuning
    from analysis.learning.checkpoints import Checkpoints
    from analysis.learning.rated import RatedSet
    from analysis.metrics.batch import Batch
    from analysis.metrics.learned.features import Features
    from analysis.metrics.learned.head import Head, Recipe

    said = [f"a man {at}" for at in range(10)]
    told = {str(at): ["a man"] for at in range(10)}
    numbers, vectors = np.zeros((10, 3)), np.zeros((3, 10, 16), np.float32)
    rated = RatedSet(
        "s", Batch(said, list(told), told, told), ["x"] * 10, np.arange(10.0),
        features=Features(numbers, *vectors),
    )  # fmt: skip
    parts = []
    for rank in range(2):
        monkeypatch.setattr(fine_tuning, "Accelerator", lambda rank=rank: Together(rank))
        model = fine_tuning.Siamese(tiny_model, Head(3, 16, Recipe(hidden=4, members=1)), 1)
        saved = Checkpoints(tmp_path / f"m{rank}", "k")
        tuning = fine_tuning.Tuning(batch=3)
        training = fine_tuning.FineTuning(model, [rated], [], tuning, 1, saved)
        assert training.steps == 2
        parts += [{one.caption for one, _ in training._batch(step)} for step in range(2)]
        training._keep()
    assert set.union(*parts) == set(said)
    assert sum(map(len, parts)) == 10
    assert [path.name for path in tmp_path.iterdir()] == [".m0.checkpoint"]


def test_a_model_of_images_and_texts_shares_a_batch_in_the_same_way():
    from analysis.learning.image_text import Pupil

    class Towers:
        model = torch.nn.Linear(1, 1)

    shares = [Pupil(Towers(), {}, accelerator=Together(rank)).own(list("abcde")) for rank in (0, 1)]
    assert shares == [["a", "c", "e"], ["b", "d"]]


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
    more = ("--anyway", "--rate", rate, "--most", "64", "--batch", "8")
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
