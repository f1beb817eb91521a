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
PROGRAM = """
import json, sys
import django
from django.core.management import call_command
django.setup()
for command in json.loads(sys.argv[1]):
    call_command(*command)
"""
# Six processes are started, three of them with torch: slow on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
PATIENCE = 150


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
    """Two real encoders, small and with random weights: to run, never to judge by."""
    import torch

    from analysis.metrics.encoding.torch_models.libraries import open_clip

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

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def manage(self, *commands: list[object]) -> None:
        """Management commands one after the other, in one process: to start Django takes long."""
        asked = json.dumps([[str(word) for word in command] for command in commands])
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, asked],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    @contextlib.contextmanager
    def worker(self, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
        command = [sys.executable, "-m", "celery", "--quiet", "-A", "daplatform", "worker"]
        command += ["--beat", "--schedule", str(self.folder / "beat"), "--concurrency", "1"]
        command += ["--queues", "default,gpu", "--loglevel", "ERROR"]
        environment = self.environment | variables
        process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
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
        deadline = time.monotonic() + PATIENCE
        while not self.ask(query):
            assert time.monotonic() < deadline, f"never came: {query}"
            time.sleep(0.02)


@pytest.fixture
def machines(redis_server, tmp_path) -> tuple[Machine, Machine]:
    """Two machines with the same campaign on them."""
    first = Machine(tmp_path / "first", redis_server)
    first.folder.mkdir()
    folder = make_folder(tmp_path / "campaign", videos=36, systems=2, clips=True)
    first.manage(
        ["migrate", "--verbosity", 0],
        ["createsuperuser", "--noinput", "--username", "o", "--email", "o@example.org"],
        ["import_campaign", folder, "--owner", "o"],
    )
    shutil.copytree(first.folder, tmp_path / "second")
    return first, Machine(tmp_path / "second", redis_server)


def test_a_run_whose_worker_was_killed_ends_with_the_same_bytes(machines, model, tmp_path):
    disturbed, undisturbed = machines
    request = ["score_campaign", "test-campaign", "--metrics", METRICS, "--model", model]
    disturbed.manage(request)
    with disturbed.worker(DIES="1") as worker:
        assert worker.wait(PATIENCE) == -signal.SIGKILL
    assert disturbed.ask("SELECT 1 FROM analysis_metricrun WHERE status = 'running'")
    with disturbed.worker():
        disturbed.wait_for("SELECT 1 FROM analysis_metricrun WHERE status = 'done'")
    disturbed.manage(["score_campaign", "test-campaign", "--out", disturbed.out])
    scores = (disturbed.out / "scores.csv").read_bytes()
    assert scores.count(b"\n") == 1 + 10 * 36 * 3
    assert b",\n" not in scores  # nothing is missing

    # The same undisturbed and without a queue; and from the files that the page hands out.
    tables, again = disturbed.out, tmp_path / "again.csv"
    files = ["--references", tables / "references.csv", "--videos", tmp_path / "campaign"]
    files += ["--model", model, "--store", tmp_path / "store", "--metrics", METRICS]
    undisturbed.manage(
        [*request, "--now", "--out", undisturbed.out],
        ["score", tables / "captions.csv", *files, "--out", again],
    )
    assert scores == (undisturbed.out / "scores.csv").read_bytes()
    assert scores == again.read_bytes()
