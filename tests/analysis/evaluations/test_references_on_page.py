"""How many references are enough: on the page, and with the same numbers from the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.evaluation import reference_curve
from analysis.selectors.evaluations import evaluation_makers
from analysis.selectors.metric_scores import files_write
from hits.models import Caption, System
from tests.analysis.evaluations.conftest import PLACEBOS, compute, score
from tests.pages import body, markup

pytestmark = pytest.mark.django_db
HEADING = "How many references are enough"


@pytest.fixture
def referenced(campaign):
    """Three references of each video, and metrics that are people's own guess and noise."""
    for number, words in enumerate(("sees a thing that moves", "move over there slowly")):
        source = System.objects.create(campaign=campaign, name=f"more-{number}", role="reference")
        Caption.objects.bulk_create(
            Caption(video=video, system=source, text=f"System {pk % 6} {words} number {pk}.")
            for pk, video in enumerate(campaign.videos.order_by("name"))
        )
    run = score(campaign, cider=2.0, bleu2=30.0)
    run.last_caption = Caption.objects.latest("pk").pk
    run.save()
    return campaign


def drawn_in(page, coefficient):
    return dict(page.context["curves"])[f"references-z-{coefficient}-spec"].spec


def test_a_curve_and_its_table_hold_the_same_numbers(page_of, referenced):
    ready = compute(referenced)
    page = page_of("evaluation", referenced)
    content, part = markup(page), page.context["part"]
    for coefficient in ("pearson", "kendall_b", "spearman"):
        assert f'data-chart="references-z-{coefficient}-spec"' in content
        for kind in ("svg", "png"):
            name = f"references-z-{coefficient}.{kind}"
            address = reverse("analysis:evaluation-file", args=[referenced.slug, ready.pk, name])
            assert f'href="{address}"' in content
            assert name in evaluation_makers(ready)
    drawn = {
        (row["references"], row["metric"]): row["pearson"]
        for row in drawn_in(page, "pearson")["data"]["values"]
    }
    assert sorted(drawn) == [(size, name) for size in (1, 2, 3) for name in ("bleu2", "cider")]
    for size, row in enumerate(part["references"], start=1):
        assert row["condition"] == f"{size} of 3"
        for metric in ("bleu2", "cider"):
            assert row[metric] == pytest.approx(drawn[size, metric])
            assert f"{row[metric]:.3f}".replace("-", "−") in content
    assert part["gain"] in content


def test_the_command_line_finds_the_same_numbers(page_of, referenced, tmp_path):
    ready = compute(referenced)
    exported = page_of("evaluation-file", referenced, ready.pk, "robustness.json")
    shown = json.loads(b"".join(exported.streaming_content))["rows"]
    ratings = page_of("download", referenced, "ratings", "csv")
    (tmp_path / "ratings.csv").write_bytes(body(ratings))
    files_write(referenced, tmp_path)
    call_command(
        "correlate",
        human=tmp_path / "ratings.csv",
        metrics=[tmp_path / "scores.csv"],
        captions=[tmp_path / "captions.csv"],
        references=tmp_path / "references.csv",
        compute=["bleu2", "cider"],
        robustness=["drift", "references"],
        out=tmp_path / "out",
        placebo=PLACEBOS,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    with (tmp_path / "out" / "robustness.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["check"] == "references"]
    named = {(r["human"], r["condition"], r["metric"]): float(r["pearson"]) for r in rows}
    assert len(named) == 12
    for row in shown:
        if row["check"] == "references":
            key = (row["human"], row["condition"], row["metric"])
            assert named.pop(key) == pytest.approx(row["pearson"], abs=1e-12)
    assert not named


def test_the_curve_has_meteor(page_of, referenced, settings, meteor_store, no_java):
    settings.METRIC_STORE = meteor_store
    run = score(referenced, meteor=2.0)
    run.last_caption = Caption.objects.latest("pk").pk
    run.save()
    compute(referenced)
    rows = page_of("evaluation", referenced).context["part"]["references"]
    assert [row["condition"] for row in rows] == ["1 of 3", "2 of 3", "3 of 3"]
    assert all(isinstance(row["meteor"], float) for row in rows)


def test_a_metric_without_references_is_a_dashed_line_from_none_on(page_of, referenced):
    run = score(referenced, clip_mean=2.0)
    run.last_caption = Caption.objects.latest("pk").pk
    run.save()
    compute(referenced)
    page = page_of("evaluation", referenced)
    rows = page.context["part"]["references"]
    assert [row["condition"] for row in rows] == ["0 of 3", "1 of 3", "2 of 3", "3 of 3"]
    assert len({row["clip_mean"] for row in rows}) == 1
    assert rows[0]["cider"] is None
    spec = drawn_in(page, "kendall_b")
    dashed = {row["metric"] for row in spec["data"]["values"] if row["looks"] == "no"}
    assert dashed == {"clip_mean"}
    assert "Without any reference clip_mean reaches" in markup(page)


def test_one_reference_is_said_in_a_sentence(page_of, ready, scored):
    content = markup(page_of("evaluation", scored))
    assert HEADING in content
    assert "There is one reference for each video" in content
    assert "references-z-pearson-spec" not in content


def test_what_takes_long_is_left_to_the_command(page_of, referenced, monkeypatch):
    monkeypatch.setattr(reference_curve, "MOST_SCORED", 100)
    compute(referenced)
    content = markup(page_of("evaluation", referenced))
    assert "manage.py correlate --robustness references does it" in content
