"""A statistic is one file: it stands on the page, in the report and in report.json."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from django.urls import reverse

from analysis.models import Result
from analysis.presenting.charts import plain_spec, quantity
from analysis.results import pipeline, registry
from analysis.results.files import result_files
from analysis.results.pipeline import analyse, summarise
from analysis.results.registry import Finding, Section, Shown, Summary, findings
from analysis.results.settings import Settings
from analysis.services import files as file_services
from analysis.services.requests import result_key
from analysis.services.results import result_folder
from analysis.tasks import file_draw_task
from benchmarks.crowd import simulate
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import compute
from tests.pages import body, shown


@dataclass(frozen=True)
class Toy:
    highest: int
    systems: tuple[str, ...]


def show_toy(found, context):
    rows = [{"system": name, "highest": found.highest} for name in found.systems]
    spec = plain_spec("A toy chart.", 40)
    spec |= {"data": {"values": rows}, "mark": "bar", "encoding": {"x": quantity("highest", "Top")}}
    headings = {"system": "System", "highest": "Highest toy score"}
    return Shown(f"Somebody gave a toy score of {found.highest}.", rows, headings, spec=spec)


TOY = Finding(
    name="toy",
    title="A toy statistic",
    question="What is the highest score?",
    numbers=Toy,
    compute=lambda material: Toy(
        int(material.analysis.ratings.score.max()), tuple(material.analysis.ratings.systems)
    ),
    show=show_toy,
)


@pytest.fixture
def with_toy(monkeypatch):
    """As if a file with these FINDINGS lay in analysis/results/findings."""
    known = (*findings(), TOY)
    for module in (registry, pipeline):
        monkeypatch.setattr(module, "findings", lambda: known)


def analysed():
    return analyse(simulate(annotators=8, systems=3, seed=4), Settings(draws=10))


def test_every_file_of_the_package_registers_something_of_its_own():
    names = [finding.name for finding in findings()]
    assert len(names) == len(set(names))
    assert {"ranking", "significance", "replication", "annotators"} <= set(names)


def test_a_toy_statistic_stands_in_the_report_and_in_its_json(with_toy):
    summary = summarise(analysed(), splits=3, draws=3)
    made = result_files(summary, dict)
    assert json.loads(made["report.json"]())["trust"]["toy"]["highest"] <= 100
    report = made["report.html"]().decode()
    assert "A toy statistic" in report
    assert "Highest toy score" in report
    assert "A toy chart." in report


def test_numbers_survive_being_stored(with_toy):
    summary = summarise(analysed(), splits=3, draws=3)
    stored = json.loads(json.dumps(summary.as_json(), allow_nan=False, sort_keys=True))
    assert Summary.from_json(stored).as_json() == summary.as_json()
    assert Summary.from_json(stored).numbers["toy"] == summary.numbers["toy"]


def test_numbers_of_another_shape_are_refused(with_toy):
    stored = summarise(analysed(), splits=3, draws=3).as_json()
    del stored["numbers"]["toy"]["highest"]
    with pytest.raises(ValueError, match="Toy"):
        Summary.from_json(stored)


def test_a_new_statistic_has_every_result_made_anew(monkeypatch):
    before = result_key(Settings())
    monkeypatch.setattr(registry, "findings", lambda: (TOY,))
    assert result_key(Settings()) != before


def test_sections_stand_in_their_order():
    sections = [finding.section for finding in findings()]
    assert sections == sorted(sections, key=list(Section).index)


@pytest.mark.django_db
def test_a_toy_statistic_stands_on_the_page(with_toy, campaign, client_of, organiser):
    compute(campaign)
    page = shown(client_of(organiser).get(reverse("analysis:ranking", args=[campaign.slug])))
    assert "A toy statistic" in page
    assert "Somebody gave a toy score" in page
    assert "Highest toy score" in page


@pytest.mark.django_db
class TestFiles:
    def address(self, result, name):
        return reverse("analysis:result-file", args=[result.campaign.slug, result.pk, name])

    def test_they_are_made_when_they_are_asked_for_and_kept(self, campaign, client_of, organiser):
        result = compute(campaign)
        folder = result_folder(result)
        assert {path.name for path in folder.iterdir()} == {"annotators.arrow", "captions.arrow"}
        first = body(client_of(organiser).get(self.address(result, "systems.csv")))
        assert first.startswith(b"system,")
        assert (folder / "systems.csv").read_bytes() == first
        (folder / "systems.csv").write_bytes(b"kept")
        assert body(client_of(organiser).get(self.address(result, "systems.csv"))) == b"kept"

    def test_a_result_made_anew_forgets_the_files_of_before(self, campaign, client_of, organiser):
        result = compute(campaign)
        client_of(organiser).get(self.address(result, "systems.csv"))
        Result.objects.all().again()
        job_run(result)
        assert not (result_folder(result) / "systems.csv").exists()

    def test_a_web_machine_has_charts_drawn_by_a_worker(
        self, campaign, client_of, organiser, monkeypatch
    ):
        result, sent = compute(campaign), []
        monkeypatch.setattr(file_services, "can_draw", lambda: False)
        monkeypatch.setattr(file_draw_task, "delay_on_commit", lambda *given: sent.append(given))
        client = client_of(organiser)
        waiting = client.get(self.address(result, "report.html"))
        assert (waiting.status_code, waiting["Refresh"]) == (202, "4")
        assert sent == [("result", result.pk, "report.html")]
        monkeypatch.setattr(file_services, "can_draw", lambda: True)
        for _ in range(2):  # safe twice
            file_draw_task(*sent[0])
        monkeypatch.setattr(file_services, "can_draw", lambda: False)
        report = body(client.get(self.address(result, "report.html")))
        assert b"<svg" in report
        title = f"<h1>Direct Assessment: {campaign.name}, ratings until 20"
        assert title in report.decode()

    def test_there_is_no_other_file(self, campaign, client_of, organiser):
        result = compute(campaign)
        for name in ("captions.arrow", "passwd", "report.pdf"):
            assert client_of(organiser).get(self.address(result, name)).status_code == 404
