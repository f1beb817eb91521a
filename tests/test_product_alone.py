"""The platform without its rehearsal room: installed alone, it migrates, starts and answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.services import free_port, server

ROOT = Path(__file__).parent.parent
PRODUCT = ["daplatform", "hits", "annotations", "analysis", "templates", "static"]
FILES = ["manage.py", "requirements-web.txt", "constraints.txt"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A folder with the apps only, and an environment with what web machines install only."""
    for name in PRODUCT:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run([sys.executable, "-m", "venv", ".venv"], cwd=tmp_path, check=True)
    install = ["pip", "install", "--quiet", "--disable-pip-version-check"]
    run(tmp_path, *install, "-r", "requirements-web.txt")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    settings = {"DATA_DIR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "daplatform.settings"}
    return {**kept, **settings, "DEBUG": "true"}


def run(folder: Path, module: str, *arguments: str) -> str:
    """What a module of the folder's own environment prints."""
    command = [folder / ".venv" / "bin" / "python", "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_starts_without_the_rehearsal_room_and_without_torch(product, monkeypatch):
    run(product, "django", "check")
    run(product, "django", "migrate", "--verbosity", "0")
    commands = run(product, "django", "help", "--commands").split()
    assert {"import_campaign", "verify", "reconcile"} <= set(commands)
    assert not {"rehearse", "simulate_crowd", "demo_campaign"} & set(commands)
    assert "torch" not in run(product, "pip", "list", "--format", "freeze")
    port = free_port()
    monkeypatch.chdir(product)
    for name, value in environment(product).items():
        monkeypatch.setenv(name, value)
    gunicorn = [str(product / ".venv" / "bin" / "gunicorn"), "daplatform.wsgi"]
    with server([*gunicorn, "--bind", f"127.0.0.1:{port}"], port):
        page = httpx.get(f"http://127.0.0.1:{port}/accounts/login/")
        assert page.status_code == 200
        assert "Log in" in page.text
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
