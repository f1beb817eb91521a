"""Dockerfile, compose.yaml and deploy/kubernetes: valid by their schemas, and true to the platform.

Images are built by nobody here: tests have no registry to take a base from.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from compose_spec import PyCompose
from django.urls import reverse

from daplatform.jobs.services import kinds

ROOT = Path(__file__).parents[1]
MANIFESTS = {
    f"{file.stem}/{document['kind']}/{document['metadata']['name']}": document
    for file in sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(file.read_text("utf-8"))
}
KUBERNETES = "1.31"
# Of boto3, not of ours.
CREDENTIALS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_CA_BUNDLE"}


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def pods() -> dict[str, dict[str, Any]]:
    """What Jobs and Deployments run, by their names."""
    return {
        manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
        for manifest in MANIFESTS.values()
        if manifest["kind"] in ("Job", "Deployment")
    }


def commands() -> dict[str, list[list[str]]]:
    of_pods = [pod["containers"][0].get("command", []) for pod in pods().values()]
    of_services = [service.get("command", []) for service in compose()["services"].values()]
    return {"kubernetes": of_pods, "compose": of_services}


def known_variables() -> set[str]:
    listed = re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE)
    return set(listed) | CREDENTIALS


def test_compose_understands_the_file():
    text = (ROOT / "compose.yaml").read_text("utf-8")
    # The parser wants values in the places of required variables.
    filled = re.sub(r"\$\{(\w+)[^}]*\}", r"\1", text)
    # Merge keys are YAML's, and are merged before the specification is asked.
    PyCompose.from_yaml(yaml.safe_dump(yaml.safe_load(filled))).validate()


@pytest.mark.parametrize("name", [name for name in MANIFESTS if "ScaledObject" not in name])
def test_kubernetes_understands_every_manifest(name):
    kubernetes_validate.validate(MANIFESTS[name], KUBERNETES, strict=True)


@pytest.mark.parametrize("where", ["kubernetes", "compose"])
def test_every_queue_has_a_worker_and_beat_runs_once(settings, where):
    found = [command for command in commands()[where] if "celery" in command]
    worked = {command[command.index("--queues") + 1] for command in found if "worker" in command}
    assert worked == {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert sum("beat" in command for command in found) == 1


def test_only_variables_that_exist_are_set():
    given = (
        compose()["x-platform"]["environment"].keys()
        | MANIFESTS["settings/ConfigMap/daplatform"]["data"].keys()
    )
    assert "PUBLIC_URL" in given
    assert given <= known_variables()


def test_nothing_of_the_platform_runs_as_root():
    """nginx does, to take its ports, and its workers do not."""
    for name, pod in pods().items():
        assert pod["securityContext"]["runAsNonRoot"], name
    stages = re.split(r"^FROM ", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    by_name = {stage.split("AS ")[1].split()[0]: stage for stage in stages[1:]}
    assert "\nUSER da\n" in by_name["web"]
    assert by_name["metrics"].startswith("web AS")
    assert {"web", "metrics", "nginx"} == {
        service["build"]["target"]
        for service in compose()["services"].values()
        if "build" in service
    }


def test_what_is_copied_into_images_is_there():
    for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), source


def test_pods_are_asked_whether_they_are_ready_under_a_name_they_answer_to():
    settings = MANIFESTS["settings/ConfigMap/daplatform"]["data"]
    [web] = pods()["web"]["containers"]
    asked = web["readinessProbe"]["httpGet"]
    assert asked["path"] == reverse("readyz")
    assert asked["httpHeaders"] == [{"name": "Host", "value": settings["ALLOWED_HOSTS"]}]


def test_migrations_are_one_job_that_checks_the_settings_first():
    jobs = [name for name in MANIFESTS if "/Job/" in name]
    assert jobs == ["migrate/Job/migrate"]
    [container] = pods()["migrate"]["containers"]
    assert "check --deploy && exec python3 manage.py migrate" in container["command"][-1]


def test_metric_workers_are_as_many_as_their_work_needs():
    """KEDA's own schema is in no package: this is what can be checked of it."""
    scaled = MANIFESTS["gpu/ScaledObject/worker-gpu"]["spec"]
    assert scaled["scaleTargetRef"]["name"] in pods()
    [trigger] = scaled["triggers"]
    counted = set(re.findall(r'da_waiting{queue="([^"]+)"}', trigger["metadata"]["query"]))
    assert counted == {kind.name for kind in kinds().values() if kind.model.QUEUE == "gpu"}
