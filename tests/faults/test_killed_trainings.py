"""Trainings in processes of their own, killed for good (SIGKILL): started again, the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.scenes import write_scenes
from tests.analysis.learning.conftest import tiny_model  # noqa: F401 # a fixture
from tests.analysis.learning.small_world import as_option, make_set
from tests.analysis.learning.test_learn_command import bytes_of

pytestmark = pytest.mark.slow
CHILD = """
import os, sys, django
os.environ["DJANGO_SETTINGS_MODULE"] = "daplatform.settings"
django.setup()
from dataclasses import replace
from django.core.management import call_command
from analysis.learning import head_training, training
from analysis.management.commands import learn
head_training.RECIPES = {
    name: replace(head_training.RECIPES[name], steps=60)
    for name in ("embeddings", "embeddings, attention")
}
training.TRIAL_STEPS, learn.STEPS_TOLD = 20, 1
if sys.argv[1] in ("clip", "cloob", "factvc"):
    from analysis.learning import image_text
    image_text.KEEP_EVERY = 2
if sys.argv[1] == "bertha":
    from analysis.learning import fine_tuning
    made = fine_tuning.Tuning.__init__
    fine_tuning.Tuning.__init__ = lambda self, **how: made(self, **{**how, "keep_every": 3})
call_command("learn", *sys.argv[1:])
"""


def training_of(options: list[str], after: int | None = None) -> int:
    """Run a training; kill it when it has told of so many steps. How many steps it told of."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    steps, said = 0, []
    for line in child.stderr:
        said.append(line)
        steps += line.startswith("step ")
        if steps == after:
            child.send_signal(signal.SIGKILL)
            break
    child.stderr.close()
    ended = child.wait()
    assert ended == (-signal.SIGKILL if after else 0), "".join(said[-20:])
    return steps


@pytest.fixture
def options(tmp_path, tiny_model, meteor_store):  # noqa: F811
    def of(kind: str) -> list[str]:
        if kind in ("clip", "cloob", "factvc"):
            scenes = write_scenes(tmp_path / "scenes", count=40)
            return [
                kind, "--set", as_option(scenes), "--videos", str(scenes / "clips"), "--model",
                "demo", "--anyway", "--frames", "uniform:2", "--epochs", "2", "--batch", "8",
                "--most", "64", "--rate", "1e-4",
            ]  # fmt: skip
        sets = [make_set(tmp_path / name, seed) for seed, name in enumerate(("one", "two"))]
        named = [part for one in sets for part in ("--set", as_option(one))]
        store = str(meteor_store)
        return [*kind.split(), *named, "--sentence-model", str(tiny_model), "--store", store]

    return of


@pytest.mark.parametrize(
    ("kind", "deaths"),
    [
        ("head", (20,)),
        ("bertha", (4, 20)),
        ("bertha --pairs", (4, 20)),
        ("clip", (3,)),
        ("cloob", (3,)),
        ("factvc", (5,)),
    ],
)
def test_killed_at_some_step_and_started_again_it_ends_with_the_same_bytes(
    kind, deaths, options, tmp_path
):
    chosen = options(kind)
    training_of([*chosen, "--out", str(tmp_path / "whole")])
    for after in deaths:
        training_of([*chosen, "--out", str(tmp_path / "killed")], after)
        assert not (tmp_path / "killed").exists()
    training_of([*chosen, "--out", str(tmp_path / "killed")])
    assert bytes_of(tmp_path / "whole") == bytes_of(tmp_path / "killed")
    assert not list(tmp_path.glob(".*"))
