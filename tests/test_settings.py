"""Settings are read strictly, and every variable is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from daplatform.checks import production_settings
from daplatform.environment import flag, number, text, words
from tests.folders import make_folder

ROOT = Path(__file__).parent.parent
PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": "k" * 20 + "0123456789abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "da.example",
    "PUBLIC_URL": "https://da.example",
    "BEHIND_PROXY": "true",
    "DATABASE_URL": "postgres://da:secret@db.example:5432/daplatform",
    "CELERY_BROKER_URL": "redis://queue.example:6379/0",
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


def test_production_settings_pass_the_deployment_check(tmp_path):
    command = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = run_python(*command, DATA_DIR=str(tmp_path), **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_the_deployment_check_refuses_what_does_on_a_desk_only(tmp_path):
    """With the defaults of .env.example and a secret."""
    secret = {"SECRET_KEY": PRODUCTION["SECRET_KEY"], "DATA_DIR": str(tmp_path)}
    done = run_python("manage.py", "check", "--deploy", **secret)
    assert done.returncode == 1
    for variable in ("PUBLIC_URL", "DATABASE_URL", "CELERY_BROKER_URL", "BEHIND_PROXY"):
        assert f"HINT: Set {variable}" in done.stderr
    assert run_python("manage.py", "check", **secret).returncode == 0


@pytest.mark.parametrize(
    ("variable", "value", "found"),
    [
        ("PUBLIC_URL", "http://da.example", ["daplatform.E001"]),
        ("PUBLIC_URL", "https://localhost:8000", ["daplatform.E002"]),
        ("PUBLIC_URL", "https://[::1]", ["daplatform.E002"]),
        ("PUBLIC_URL", "https://other.example", ["daplatform.E003"]),
        ("PUBLIC_URL", "https://da.example:8443", []),
        ("CELERY_BROKER_URL", "filesystem://", ["daplatform.E005"]),
        ("CELERY_BROKER_URL", "memory://", ["daplatform.E005"]),
        ("CELERY_BROKER_URL", "amqp://da:secret@queue.example//", []),
        ("BEHIND_PROXY", False, ["daplatform.E006"]),
    ],
)
def test_each_setting_is_checked_by_itself(settings, monkeypatch, variable, value, found):
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = "https://da.example", ["da.example"]
    settings.CELERY_BROKER_URL, settings.BEHIND_PROXY = "redis://queue.example/0", True
    monkeypatch.setattr("daplatform.checks.SQLITE", "none of the tests' databases")
    setattr(settings, variable, value)
    messages = production_settings()
    assert [message.id for message in messages] == found
    assert all(message.hint for message in messages)


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
        "heavy = {'torch', 'pandas', 'pyarrow', 'open_clip', 'scipy.stats'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = run_python("-c", program, DATA_DIR=str(tmp_path), **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
