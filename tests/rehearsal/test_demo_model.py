"""The model that comes with the platform: a real model, far better than chance on unseen scenes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.metrics.encoding.models import DEMO, DEMO_MODEL, MERGES, ModelChoice, find_model
from analysis.metrics.encoding.vocabulary import (
    clip_merges,
    needed_merges,
    read_merges,
    write_merges,
)
from rehearsal.demo import Actor, Story, caption, demo_scenes, frames, render_clip, scene
from rehearsal.demo_model.evaluation import evaluate
from rehearsal.demo_model.examples import (
    HELD_OUT_SEEDS,
    TRAINING_SEEDS,
    Examples,
    facts,
    make_examples,
    words_of,
)
from tests.clips import make_clip

WEIGHTS = "open_clip_model.safetensors"
# Scenes that neither the training nor the numbers of the card have used.
UNSEEN = range(HELD_OUT_SEEDS + 10_000, HELD_OUT_SEEDS + 10_060)


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def encoders():
    return find_model(ModelChoice(DEMO)).load("cpu")


def test_the_weights_are_those_of_the_card():
    assert f"{digest(DEMO_MODEL)}  {WEIGHTS}" in (DEMO_MODEL / "README.md").read_text()


def test_it_finds_scenes_it_never_saw_by_their_captions(encoders):
    examples = make_examples(UNSEEN, 2, processes=1)
    result = evaluate(encoders, examples, ["human-a", "human-b"])
    chance = 1 / len(UNSEEN)
    assert min(result.scene_by_caption.values()) > 12 * chance
    assert min(result.caption_by_scene.values()) > 12 * chance
    assert result.coarse > 0.4
    assert result.fine > 0.4


def test_no_scene_of_a_demo_campaign_was_trained_on():
    assert max(shown.seed for shown in demo_scenes(40)) < TRAINING_SEEDS < HELD_OUT_SEEDS


def test_a_fresh_checkout_scores_rendered_scenes_with_it(tmp_path):
    """Through the command, which sees that the clip was rendered for it and needs no consent: the
    true caption is above a false one."""
    shown, other = scene(1), scene(2)
    (tmp_path / "clips").mkdir()
    render_clip(shown, tmp_path / "clips" / "v.mp4", size=(160, 90), fps=4)
    rows = [("true", caption(shown, "human-a").text), ("false", caption(other, "human-a").text)]
    table = "\n".join(["video,system,caption", *(f'v,{name},"{text}"' for name, text in rows)])
    (tmp_path / "captions.csv").write_text(table)
    out = tmp_path / "scores.csv"
    call_command(
        "score",
        str(tmp_path / "captions.csv"),
        f"--videos={tmp_path / 'clips'}",
        f"--store={tmp_path / 'store'}",
        "--metrics=clip_mean,clipscore,emscore,factvc",
        "--model=demo",
        f"--out={out}",
    )
    assert json.loads((tmp_path / "scores.csv.json").read_text())["notes"] == []
    values = [line.rsplit(",", 2) for line in out.read_text().splitlines()[1:]]
    for true, false in zip(values[::2], values[1::2], strict=True):
        assert true[1] == false[1]
        assert float(true[2]) > float(false[2]), true[1]


@pytest.mark.parametrize("other", ["w.mp4", "W.MP4", "more/w.mp4"])
def test_one_other_video_in_the_folder_and_it_is_refused(tmp_path, other):
    (tmp_path / "clips" / "more").mkdir(parents=True)
    render_clip(scene(1), tmp_path / "clips" / "v.mp4", size=(160, 90), fps=4)
    make_clip(tmp_path / "w.mp4").rename(tmp_path / "clips" / other)
    (tmp_path / "captions.csv").write_text("video,system,caption\nv,A,a dog runs\n")
    with pytest.raises(CommandError, match="its scores mean nothing") as refused:
        call_command(
            "score",
            str(tmp_path / "captions.csv"),
            f"--videos={tmp_path / 'clips'}",
            "--metrics=emscore",
            "--model=demo",
            f"--out={tmp_path / 'scores.csv'}",
        )
    assert refused.value.returncode == 2
    assert not (tmp_path / "scores.csv").exists()


def test_a_story_is_told_in_single_facts():
    story = Story((Actor("dog", 2, "black", "cross", "left"), Actor("man")), place="street")
    assert facts(story) == {"dog", "2 dog", "black dog", "cross", "left", "man", "place street"}


def small_examples() -> Examples:
    seeds = range(TRAINING_SEEDS, TRAINING_SEEDS + 8)
    told = {source: [caption(scene(n), source) for n in seeds] for source in SOURCES}
    pictures = np.stack([frames(scene(n), 1, (64, 64)) for n in seeds])
    return Examples(pictures, [scene(n).story for n in seeds], told)


SOURCES = ("human-a", "human-b", "concise", "imaginative", "restless", "confused")


def test_training_again_makes_the_same_bytes_and_another_seed_others(tmp_path):
    import torch

    from rehearsal.demo_model.training import Recipe, save, train

    examples = small_examples()
    merges = tmp_path / MERGES
    write_merges(merges, needed_merges(words_of(examples.texts()), read_merges(clip_merges())))
    threads, state = torch.get_num_threads(), torch.get_rng_state()

    def trained(seed: int) -> str:
        torch.rand(1)  # whatever else draws random numbers
        recipe = Recipe(epochs=2, batch=4, seed=seed)
        save(train(examples, merges, recipe, lambda *_: None), tmp_path)
        return digest(tmp_path)

    torch.set_rng_state(state)
    first = trained(1)
    assert trained(1) == first
    assert trained(2) != first
    assert torch.get_num_threads() == threads


@pytest.mark.slow
def test_the_command_leaves_a_model_that_loads_and_its_card(tmp_path):
    options = ["--scenes=64", "--epochs=1", "--held-out=8", "--processes=1", f"--out={tmp_path}"]
    call_command("train_demo_model", *options)
    assert digest(tmp_path) in (tmp_path / "README.md").read_text()
    [embedding] = find_model(ModelChoice(str(tmp_path))).load("cpu").encode_texts(["a red ball"])
    assert np.isfinite(embedding.vectors).all()


def test_too_few_scenes_are_refused(tmp_path):
    options = ["--scenes=2", "--held-out=2", "--processes=1", f"--out={tmp_path}"]
    with pytest.raises(CommandError, match="at least a batch of 64 scenes"):
        call_command("train_demo_model", *options)
