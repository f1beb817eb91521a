"""Settings are read strictly, and every variable is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from daplatform.environment import flag, number, text, words
from tests.folders import make_folder

ROOT = Path(__file__).parent.parent
PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": "k" * 20 + "0123456789abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "da.example",
}


def run_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, "DJANGO_SETTINGS_MODULE": "daplatform.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [("true", True), ("False", False), ("0", False), ("Yes", True), ("", False)],
)
def test_a_boolean_means_what_it_says(monkeypatch, value, expected):
    monkeypatch.setenv("SOME_FLAG", value)
    assert flag("SOME_FLAG", default=not expected) is expected


def test_it_refuses_a_boolean_that_is_neither(monkeypatch):
    monkeypatch.setenv("SOME_FLAG", "maybe")
    with pytest.raises(ImproperlyConfigured, match="neither true nor false"):
        flag("SOME_FLAG", default=True)


def test_it_refuses_a_number_that_is_none(monkeypatch):
    monkeypatch.setenv("SOME_NUMBER", "ten")
    with pytest.raises(ImproperlyConfigured, match="not a whole number"):
        number("SOME_NUMBER", 3)


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("SOME_TEXT", "")
    assert text("SOME_TEXT", "default") == "default"
    with pytest.raises(ImproperlyConfigured, match="SOME_TEXT"):
        text("SOME_TEXT")


def test_a_list_leaves_blanks_out(monkeypatch):
    monkeypatch.setenv("SOME_WORDS", " a, ,b ,")
    assert words("SOME_WORDS") == ["a", "b"]


def test_every_variable_is_in_the_example_and_no_other():
    source = (ROOT / "daplatform" / "settings.py").read_text()
    read = set(re.findall(r'(?:text|flag|number|words)\(\s*"([A-Z_]+)"', source))
    listed = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert len(read) > 10
    assert read == listed


def test_settings_stay_short():
    assert len((ROOT / "daplatform" / "settings.py").read_text().splitlines()) < 300


def test_there_is_no_default_secret_outside_debug(tmp_path):
    done = run_python("-c", "import daplatform.settings", DATA_DIR=str(tmp_path))
    assert done.returncode != 0
    assert "Set SECRET_KEY" in done.stderr


def test_production_settings_pass_djangos_deployment_check(tmp_path):
    done = run_python(
        "manage.py",
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        DATA_DIR=str(tmp_path),
        **PRODUCTION,
    )
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_commands_on_files_need_no_configuration(tmp_path):
    folder = make_folder(tmp_path / "campaign")
    out = tmp_path / "hits.csv"
    done = run_python(
        "manage.py", "compose", str(folder), "--out", str(out), DATA_DIR=str(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    assert out.exists()
    assert "SECRET_KEY" in run_python("manage.py", "migrate", DATA_DIR=str(tmp_path)).stderr


def test_web_processes_import_neither_torch_nor_pandas(tmp_path):
    """Starting gunicorn's application and resolving every URL loads no heavy library."""
    program = (
        "import sys, daplatform.wsgi; from django.urls import get_resolver;"
        "get_resolver().reverse_dict;"
        "print(sorted({'torch', 'pandas', 'pyarrow', 'open_clip'} & sys.modules.keys()))"
    )
    done = run_python("-c", program, DATA_DIR=str(tmp_path), **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
