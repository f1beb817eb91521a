"""Schemathesis reads the OpenAPI document and asks for everything in it, sensible and not."""

from __future__ import annotations

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from analysis.services.keys import key_create
from daplatform.jobs.tasks import job_run_task
from tests.factories import make_annotator, make_campaign, make_hit, make_ratings


@pytest.fixture
def open_database(db):
    """A real server ends its use of the database with each request; the test goes on."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def operations(open_database, organiser, settings, tmp_path, monkeypatch):
    """Every operation of the document, and a campaign for some of the requests to hit."""
    settings.DATA_DIR, settings.ALLOWED_HOSTS = tmp_path, ["*"]
    monkeypatch.setattr(
        job_run_task, "apply_async_on_commit", lambda args, **options: job_run_task(*args)
    )
    campaign = make_campaign(owner=organiser, slug="0")
    make_ratings(make_hit(campaign), make_annotator(), [1, 2, 3, 4, 5, 6])
    # Each test brings its own key, and NUL does not get as far as the API: the rest is spoilt.
    spoilt = {"with-security-parameters": False, "allow-x00": False}
    config = schemathesis.Config.from_dict({"generation": spoilt})
    document = schemathesis.openapi.from_wsgi(
        "/api/openapi.json", get_wsgi_application(), config=config
    )
    return [found.ok() for found in document.get_all_operations()]


@pytest.fixture
def key(organiser) -> str:
    return key_create(owner=organiser, name="schemathesis")


def ask_everything(operation, headers: dict[str, str], mode=GenerationMode.POSITIVE) -> list[int]:
    """Validate the answers to generated requests; what was answered."""
    answered = []

    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case):
        response = case.call(headers=headers)
        case.validate_response(response, headers=headers)
        answered.append(response.status_code)

    ask()
    return answered


def test_answers_are_as_the_document_says(operations, key):
    answered = [ask_everything(one, {"Authorization": f"Bearer {key}"}) for one in operations]
    assert len(answered) == 15
    assert {200, 404} <= {status for found in answered for status in found}


def test_choices_that_make_no_sense_are_refused_as_the_document_says(operations, key):
    headers = {"Authorization": f"Bearer {key}"}
    for asking in (one for one in operations if one.query):
        # It spoils the name instead, too; Schemathesis itself minds what is wrongly taken.
        assert 422 in ask_everything(asking, headers, GenerationMode.NEGATIVE)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer da_guessed"}])
def test_without_a_key_there_is_one_answer_and_it_is_in_the_document(operations, headers):
    for operation in operations:
        assert set(ask_everything(operation, headers)) == {401}
