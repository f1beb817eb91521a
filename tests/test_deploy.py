"""What deploy/ says agrees with what the platform does."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

ROOT = Path(__file__).parents[1]
UNITS = sorted((ROOT / "deploy").glob("*.service"))
NOBODY = 2**22 + 1  # no process has such a number


def test_every_queue_has_a_worker_in_the_recipe(settings):
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    recipe = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    [enabled] = re.findall("systemctl enable --now (.*)", recipe)
    workers = {word.partition("@")[2] for word in enabled.split() if "@" in word}
    assert workers == routed | {settings.CELERY_TASK_DEFAULT_QUEUE}


def test_rabbitmq_is_as_patient_as_the_longest_task(settings):
    """Where it counts for queues, and where it has to be told in its own settings."""
    recipe = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    told = [int(number) for number in re.findall(r"consumer_timeout = (\d+)", recipe)]
    declared = [
        queue.queue_arguments["x-consumer-timeout"] for queue in settings.CELERY_TASK_QUEUES
    ]
    assert set(told) == set(declared)
    assert min(told) > settings.CELERY_TASK_TIME_LIMIT * 1000


def test_every_queue_is_declared(settings):
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    declared = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert declared == routed | {settings.CELERY_TASK_DEFAULT_QUEUE}


def test_nginx_lets_the_largest_archive_through(settings):
    text = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    limits = re.findall(r"location = (\S+) {\s+client_max_body_size (\d+)m;", text)
    [(address, megabytes)] = limits
    assert address == reverse("hits:upload-create")
    assert int(megabytes) * 1024**2 > settings.UPLOAD_MAX_BYTES


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_understands_every_unit(tmp_path):
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8")
        here = text.replace("/srv/daplatform/.venv/bin", str(Path(sys.executable).parent))
        (tmp_path / unit.name).write_text(here, encoding="utf-8")
    found = subprocess.run(
        ["systemd-analyze", "verify", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")


def test_a_web_server_that_starts_forgets_the_counts_of_the_dead_only(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    living, dead = (tmp_path / f"counter_{pid}.db" for pid in (os.getpid(), NOBODY))
    for file in (living, dead):
        file.touch()
    runpy.run_path(str(ROOT / "deploy/gunicorn.conf.py"))["forget_the_dead"]()
    assert list(tmp_path.iterdir()) == [living]
