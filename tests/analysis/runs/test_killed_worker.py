"""A real worker on a real Redis, killed with -9 in the middle of a run and started again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services
from tests.analysis.metrics.conftest import TINY_VIT, save_safetensors
from tests.folders import make_folder

ROOT = Path(__file__).parents[3]
METRICS = "bleu4,rougel,cider,chrf,clip_mean,clip_kmeans,emscore,emscore_ref,factvc,refclipscore"
# A dozen processes are started, four of them with torch: slow on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def redis_server() -> Iterator[str]:
    try:
        with services.redis() as url:
            yield url
    except services.ServiceMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """Two real towers, small and with random weights: to run, never to judge by."""
    import torch

    from analysis.metrics.towers.libraries import open_clip

    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    save_safetensors(open_clip.CLIP(**TINY_VIT).state_dict(), folder / "weights.safetensors")
    about = {"model_cfg": TINY_VIT, "preprocess_cfg": {}}
    (folder / "open_clip_config.json").write_text(json.dumps(about))
    return folder


class Machine:
    """A folder with a database, media and embeddings, and the programs that work on it."""

    def __init__(self, folder: Path, redis: str) -> None:
        self.folder = folder
        settings = {
            "DEBUG": "true",
            "DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
            "CELERY_BROKER_URL": redis,
            "METRIC_DEVICE": "cpu",
            "LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "tests.analysis.runs.worker_settings",
        }
        self.environment = os.environ | settings

    def manage(self, *arguments: object) -> None:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3), done.stderr

    def score(self, model: Path, *arguments: object) -> None:
        named = ["--metrics", METRICS, "--model", model]
        self.manage("score_campaign", "test-campaign", *named, *arguments)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def scores(self) -> bytes:
        return (self.out / "scores.csv").read_bytes()

    @contextlib.contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [sys.executable, "-m", "celery", "--quiet", "-A", "daplatform", "worker"]
        command += ["--beat", "--schedule", str(self.folder / "beat"), "--concurrency", "1"]
        command += ["--queues", "default,gpu", "--loglevel", "ERROR"]
        process = subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def ask(self, query: str) -> list:
        address = f"file:{self.folder}/db.sqlite3?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=30)) as database:
            return database.execute(query).fetchall()

    def wait_for(self, query: str) -> None:
        deadline = time.monotonic() + 150
        while not self.ask(query):
            assert time.monotonic() < deadline, f"never came: {query}"
            time.sleep(0.02)


@pytest.fixture
def machines(redis_server, tmp_path) -> tuple[Machine, Machine]:
    """Two machines with the same campaign on them."""
    first = Machine(tmp_path / "first", redis_server)
    first.folder.mkdir()
    folder = make_folder(tmp_path / "campaign", videos=40, systems=3, clips=True)
    first.manage("migrate", "--verbosity", "0")
    first.manage("createsuperuser", "--noinput", "--username", "o", "--email", "o@example.org")
    first.manage("import_campaign", folder, "--owner", "o")
    shutil.copytree(first.folder, tmp_path / "second")
    return first, Machine(tmp_path / "second", redis_server)


def test_a_run_whose_worker_was_killed_ends_with_the_same_bytes(machines, model, tmp_path):
    disturbed, undisturbed = machines
    disturbed.score(model)
    done = "SELECT 1 FROM analysis_metricchunk WHERE kind = 'videos' AND state = 'done'"
    with disturbed.worker() as worker:
        disturbed.wait_for(done)
        os.killpg(worker.pid, signal.SIGKILL)
    assert disturbed.ask("SELECT 1 FROM analysis_metricrun WHERE state = 'running'")
    with disturbed.worker():
        disturbed.wait_for("SELECT 1 FROM analysis_metricrun WHERE state = 'done'")
    disturbed.manage("score_campaign", "test-campaign", "--out", disturbed.out)
    undisturbed.score(model, "--now", "--out", undisturbed.out)
    scores = disturbed.scores()
    assert scores == undisturbed.scores()
    assert scores.count(b"\n") == 1 + 10 * 40 * 4
    assert b",\n" not in scores  # nothing is missing
    assert scores == from_files(disturbed, model, tmp_path)


def from_files(machine: Machine, model: Path, tmp_path: Path) -> bytes:
    """The same by `manage.py score`, from the files that the page hands out."""
    tables, out = machine.out, tmp_path / "from-files.csv"
    arguments = ["--references", tables / "references.csv", "--videos", tmp_path / "campaign"]
    arguments += ["--model", model, "--store", tmp_path / "store", "--out", out]
    machine.manage("score", tables / "captions.csv", *arguments, "--metrics", METRICS)
    return out.read_bytes()
