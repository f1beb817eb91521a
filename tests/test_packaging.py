"""The wheel: what it declares, what it holds, and that it runs where there is no checkout."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import httpx
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from daplatform import __version__
from tests.services import free_port, server

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DEBIANS = Path("/usr/bin/python3")
RATINGS = ROOT / "docs" / "notebooks" / "data" / "ratings.csv"


def pins(name: str) -> dict[str, Requirement]:
    """What a requirements file pins itself, without the files it includes."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    kept = [Requirement(line) for line in lines if line and line[0] not in "#-"]
    return {canonicalize_name(pin.name): pin for pin in kept}


def version_of(pin: Requirement) -> str:
    return str(pin.specifier).removeprefix("==")


@pytest.mark.parametrize(
    ("declared", "file"),
    [
        (PROJECT["dependencies"], "requirements-web.txt"),
        (EXTRAS["metrics"], "requirements.txt"),
        (EXTRAS["dev"], "requirements-dev.txt"),
    ],
    ids=["web", "metrics", "dev"],
)
def test_what_is_declared_is_what_was_tested(declared, file):
    wanted = {canonicalize_name(one.name): one for one in map(Requirement, declared)}
    pinned = pins(file)
    assert wanted.keys() == pinned.keys()
    for name, pin in pinned.items():
        assert wanted[name].extras == pin.extras
        assert wanted[name].specifier.contains(version_of(pin)), name


def test_every_pin_is_among_the_constraints():
    constraints = pins("constraints.txt")
    for file in ("requirements-web.txt", "requirements.txt", "requirements-dev.txt"):
        for name, pin in pins(file).items():
            assert version_of(constraints[name]) == version_of(pin), name


def test_debians_own_python_gets_tested_versions_too():
    """Debian 12 has 3.11.2, for which some packages need others that a newer one does not."""
    older = {"python_full_version": "3.11.2", "python_version": "3.11", "extra": ""}
    pinned = pins("constraints.txt")
    needed = {
        canonicalize_name(wanted.name)
        for found in metadata.distributions()
        if canonicalize_name(found.name) in pinned
        for wanted in map(Requirement, found.requires or ())
        if wanted.marker is None or wanted.marker.evaluate(older)
    }
    assert "async-timeout" in needed  # redis
    assert needed <= pinned.keys() | {"setuptools"}


def test_it_can_be_cited():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "type", "authors"} <= citation.keys()
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


def test_there_is_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert citation["version"] == __version__
    assert newest is not None
    assert newest[1] == __version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_platform_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    apps = {Path(entry).parts[0] for entry in names if "dist-info" not in entry}
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert apps == folders - {"tests", "benchmarks", "rehearsal"}
    for folder in ("templates", "static", "locale"):
        lying = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.*")}
        assert {f"daplatform/site/{path}" for path in lying} <= set(names)
    assert "analysis/demo_model/open_clip_model.safetensors" in names


def environment(home: Path) -> dict[str, str]:
    """Nothing of the tests' own, least of all a path to the checkout."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home)}


def new_environment(folder: Path, python: str | Path = sys.executable) -> None:
    """Empty; our own pip fills it."""
    command = [python, "-m", "venv", "--without-pip", folder / ".venv"]
    subprocess.run(command, check=True)


def debians_python() -> Path | str:
    """That of Debian 12, for which docs/operations.md is written, where it is; or our own."""
    asked = [DEBIANS, "-c", "import sys, venv; print(sys.version_info[:3] == (3, 11, 2))"]
    with contextlib.suppress(FileNotFoundError, subprocess.CalledProcessError):
        if "True" in subprocess.run(asked, check=True, capture_output=True, text=True).stdout:
            return DEBIANS
    return sys.executable


def pip(folder: Path, *arguments: str | Path) -> str:
    """What our pip says of the folder's environment, with the index of this machine."""
    command = [sys.executable, "-m", "pip", "--python", folder / ".venv", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def run(folder: Path, program: str, *arguments: str | Path, **variables: str) -> str:
    """What a program of the folder's own environment prints."""
    command = [folder / ".venv" / "bin" / program, *arguments]
    variables = {**environment(folder), **variables}
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_analyse(folder: Path) -> None:
    """`daplatform analyse` outside the checkout, with no setting made, leaves its files only."""
    shutil.copy(RATINGS, folder / "ratings.csv")
    said = run(folder, "daplatform", "analyse", "ratings.csv", "--out", "results")
    assert "Signature:" in said
    assert "<style>" in (folder / "results" / "report.html").read_text("utf-8")
    assert {path.name for path in folder.iterdir()} <= {".venv", ".local", "ratings.csv", "results"}


@pytest.mark.slow
def test_an_installed_wheel_analyses_a_file(wheel, tmp_path):
    """Packages come from the environment of the tests: this needs no network."""
    new_environment(tmp_path)
    folder = run(tmp_path, "python", "-c", "import site; print(site.getsitepackages()[0])").strip()
    Path(folder, "packages.pth").write_text("\n".join(site.getsitepackages()))
    pip(tmp_path, "install", "--quiet", "--no-deps", "--no-index", wheel)
    check_analyse(tmp_path)
    scored = run(tmp_path, "daplatform", "metrics")
    assert "bleu4" in scored


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_web_machine_starts_without_the_rehearsal_room_and_without_torch(
    wheel, tmp_path, monkeypatch
):
    """From an empty environment, which it fills from the package index."""
    new_environment(tmp_path, debians_python())
    pip(tmp_path, "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", wheel)
    check_analyse(tmp_path)
    settings = {"DEBUG": "true", "DATA_DIR": str(tmp_path / "var")}
    run(tmp_path, "daplatform", "check", **settings)
    run(tmp_path, "daplatform", "migrate", "--verbosity", "0", **settings)
    commands = run(tmp_path, "daplatform", "help", "--commands", **settings).split()
    assert {"import_campaign", "verify", "reconcile"} <= set(commands)
    assert not {"rehearse", "simulate_crowd", "demo_campaign"} & set(commands)
    assert "torch" not in pip(tmp_path, "list", "--format", "freeze")
    port = free_port()
    monkeypatch.chdir(tmp_path)
    gunicorn = [str(tmp_path / ".venv" / "bin" / "gunicorn"), "daplatform.wsgi", "--timeout=120"]
    variables = environment(tmp_path) | settings
    with server([*gunicorn, "--bind", f"127.0.0.1:{port}"], port, env=variables):
        site = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=100)
        page = site.get("/accounts/login/")
        assert page.status_code == 200
        assert "Log in" in page.text
        assert site.get("/static/css/base.css").status_code == 200
        assert site.get("/healthz").status_code == 200
