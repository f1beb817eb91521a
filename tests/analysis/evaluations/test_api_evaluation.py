"""Metrics against people and their scores for scripts, and the examples of the documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from analysis import api
from analysis.models import MetricEvaluation
from analysis.services.keys import key_create
from crowds.models import Policy
from daplatform.jobs.services import job_run
from daplatform.jobs.tasks import job_run_task
from tests.pages import body

MANUAL = Path(__file__).parents[3] / "docs" / "scripts.md"


@pytest.fixture
def ask(organiser, db):
    key = key_create(owner=organiser, name="mine")
    return lambda address: Client().get(
        f"/api/{address}", headers={"Authorization": f"Bearer {key}"}
    )


def test_an_evaluation_is_made_and_found_again_by_its_signature(ask, scored):
    begun = ask(f"campaigns/{scored.slug}/evaluation")
    assert begun.status_code == 202
    assert begun.json()["correlations"] == []
    row = MetricEvaluation.objects.get()
    job_run(row)
    done = ask(f"campaigns/{scored.slug}/evaluation")
    assert (done.status_code, done.json()["is_current"]) == (200, True)
    rows = [row for row in done.json()["correlations"] if row["level"] == "caption"]
    assert {row["metric"] for row in rows} == {"cider", "bleu4"}
    row.refresh_from_db()
    found = ask(f"signed?signature={row.signature.replace('|', '%7C')}")
    assert found.status_code == 200, body(found)
    assert found.json()["evaluation"]["correlations"] == done.json()["correlations"]
    assert ask("signed?signature=nothing").status_code == 404
    assert Client().get("/api/signed?signature=x").status_code == 401


def test_the_level_of_quality_control_is_a_choice_beside_that_of_the_tests(ask, scored):
    ask(f"campaigns/{scored.slug}/evaluation?quality_alpha=0.01&min_pairs=5")
    row = MetricEvaluation.objects.get()
    chosen = (row.choices["alpha"], row.choices["quality_alpha"], row.choices["min_pairs"])
    assert chosen == (0.05, 0.01, 5)
    job_run(row)
    row.refresh_from_db()
    assert "quality_alpha:0.01|minimum_pairs:5" in row.signature
    assert ask(f"campaigns/{scored.slug}/evaluation?quality_alpha=0.2").status_code == 422
    assert ask(f"campaigns/{scored.slug}/evaluation?min_pairs=7").status_code == 422
    assert ask(f"campaigns/{scored.slug}/evaluation").status_code == 202  # another one


def test_scores_of_metrics_come_in_parts(ask, scored):
    address = f"campaigns/{scored.slug}/scores"
    first = ask(f"{address}?limit=3").json()
    assert first["next"] == 3
    assert set(first["items"][0]) == {"metric", "value", "label", "video", "system"}
    whole = ask(f"{address}?limit=1000").json()
    assert whole["count"] == len(whole["items"]) == 2 * 140


def example(language: str) -> str:
    """The code of the page, as it stands there."""
    [code] = re.findall(rf"```{language}\n(.*?)```", MANUAL.read_text(), re.S)
    return code


@pytest.fixture
def served(transactional_db, live_server, organiser, scored, monkeypatch):
    """A site whose worker is at once: the first answer is 202, the next has the numbers."""
    monkeypatch.setattr(api, "RETRY_AFTER", 0)
    monkeypatch.setattr(
        job_run_task, "apply_async_on_commit", lambda args, **options: job_run_task(*args)
    )
    key = key_create(owner=organiser, name="example")
    return os.environ | {"DA_SITE": live_server.url, "DA_KEY": key, "DA_CAMPAIGN": scored.slug}


def lines_of(command: list[str], env: dict[str, str]) -> list[str]:
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_the_python_example_runs(served):
    lines = lines_of([sys.executable, "-c", example("python")], served)
    assert lines[0].startswith("human-b")
    assert any(line.startswith("cider") for line in lines)
    assert lines[-1].endswith("ratings")


def has_r() -> bool:
    """Whether R is installed, with the package that the example asks for."""
    program = shutil.which("Rscript")
    asked = [program or "", "-e", 'quit(status = !requireNamespace("jsonlite"))']
    return program is not None and not subprocess.run(asked, capture_output=True).returncode


@pytest.mark.skipif(not has_r(), reason="R with jsonlite is not installed: its example did not run")
def test_the_r_example_runs(served, tmp_path):
    script = tmp_path / "example.R"
    script.write_text(example("r"))
    lines = lines_of(["Rscript", str(script)], served)
    assert any("cider" in line for line in lines)


def test_the_document_is_valid_json():
    assert Client().get("/api/openapi.json").json()["openapi"].startswith("3")


def test_whose_ratings_count_is_the_campaigns_own_rule_unless_told(ask, scored):
    Policy.objects.update_or_create(campaign=scored, defaults={"use_rule": "everyone"})
    ask(f"campaigns/{scored.slug}/evaluation")
    assert MetricEvaluation.objects.get().choices["annotators"] == "all"
    ask(f"campaigns/{scored.slug}/evaluation?annotators=passed")
    assert MetricEvaluation.objects.latest("pk").choices["annotators"] == "passed"
