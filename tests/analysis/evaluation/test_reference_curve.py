"""A line for each metric by number of references: the same numbers as the check, and in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.joining import join
from analysis.evaluation.reference_curve import (
    DRAWN,
    MOST_SCORED,
    best_metrics,
    curve_rows,
    curve_sentence,
    curve_specs,
    drawn_metrics,
    why_no_curve,
    word_metrics,
)
from analysis.evaluation.robustness.checks import Material, check_references, check_robustness
from analysis.evaluation.robustness.findings import Finding, correlate
from analysis.evaluation.robustness.referencing import check_reference_numbers
from analysis.evaluation.scores import score_table
from analysis.evaluation.scoring import Scorer
from analysis.metrics.context import ScoringContext


def finding(size: int, metric: str, r: float) -> Finding:
    return Finding("references", f"{size} of 3", metric, 40, r, low=r - 0.1, high=r + 0.1)


FOUND = [
    finding(size, metric, r)
    for metric, values in (("bleu4", (0.1, 0.2, 0.25)), ("cider", (0.3, 0.5, 0.48)))
    for size, r in enumerate(values, start=1)
]


def test_every_column_of_human_scores_gets_what_the_check_of_it_alone_finds():
    rng = np.random.default_rng(5)
    words = np.array(["a", "red", "dog", "runs", "over", "the", "wide", "field", "and", "barks"])
    texts = [" ".join(rng.permutation(words)[:6]) for _ in range(60)]
    references = {
        str(video): {f"H{n}": " ".join(rng.permutation(words)[:7]) for n in range(5)}
        for video in range(20)
    }
    videos = [str(row // 3) for row in range(60)]
    captions = CaptionSet(videos, [f"s{row % 3}" for row in range(60)], texts, references)
    scorer = Scorer(["bleu2", "cider"], ScoringContext())
    people = score_table(
        captions.videos, captions.systems, {"z": rng.normal(size=60), "raw": rng.normal(size=60)}
    )
    joined = join(people, scorer.captions(captions)[0])
    material = Material(captions, scorer)
    for found in check_references(joined, material):
        alone = check_robustness(joined, found.human, ["references"], material)
        assert found.findings == alone.findings
        assert [one.repeats for one in found.findings[:10:2]] == [5, 10, 10, 5, 1]
        first = found.findings[10:]
        assert {one.check for one in first} == {"first references"}
        assert first[-1].pearson == found.findings[9].pearson  # all five, in either way


def test_only_metrics_of_words_are_scored_again():
    names = ["cider", "emscore_text", "meteor", "sts", "clip_mean", "bleu4"]
    assert sorted(word_metrics(names)) == ["bleu4", "cider", "meteor"]


@pytest.mark.parametrize(
    ("metrics", "captions", "references", "reason"),
    [
        ([], 10, 5, "None of the metrics"),
        (["cider"], 10, 0, "There are no references"),
        (["cider"], 10, 1, "There is one reference for each video"),
        (["cider"], MOST_SCORED, 2, "manage.py correlate --robustness references"),
    ],
)
def test_without_a_curve_there_is_a_reason(metrics, captions, references, reason):
    assert reason in why_no_curve(metrics, captions, references)


def test_two_references_are_enough_for_a_curve():
    assert why_no_curve(["cider"], 10, 2) == ""


def test_rows_hold_each_number_of_references_and_nothing_of_other_checks():
    other = Finding("quality drift", "set 1", "cider", 40, 0.5)
    rows = curve_rows([*FOUND, other])
    assert [(row["metric"], row["references"]) for row in rows] == [
        (metric, size) for metric in ("bleu4", "cider") for size in (1, 2, 3)
    ]
    assert rows[0] | {"low": 0.0, "high": 0.2} == rows[0]
    assert best_metrics(rows) == ["cider", "bleu4"]


def test_the_sentence_says_what_the_best_metric_gains():
    assert curve_sentence(curve_rows(FOUND)) == (
        "cider reaches r = 0.300 with one reference and 0.480 with all 3; the last one takes away "
        "0.020."
    )


def test_the_sentence_says_nothing_of_a_gain_over_what_is_not_defined():
    rows = curve_rows(finding(size, "cider", r) for size, r in ((1, 0.3), (2, math.nan), (3, 0.48)))
    assert curve_sentence(rows) == (
        "cider reaches r = 0.300 with one reference and 0.480 with all 3."
    )


def test_what_is_not_defined_is_none_and_not_drawn():
    rows = curve_rows([*FOUND, *(finding(size, "flat", math.nan) for size in (1, 2, 3))])
    assert rows[-1]["pearson"] is None
    assert "flat" not in {
        row["metric"] for row in curve_specs(rows, "z")["pearson"]["data"]["values"]
    }
    assert curve_sentence(rows[-3:]) == "No correlation is defined."


def test_no_more_lines_are_drawn_than_can_be_told_apart():
    rows = curve_rows(
        [finding(size, f"m{n}", n / 10) for n in range(DRAWN + 2) for size in (1, 2, 3)]
    )
    drawn = {row["metric"] for row in curve_specs(rows, "z")["pearson"]["data"]["values"]}
    assert drawn == {"m6", "m5", "m4", "m3", "m2"}


def test_the_first_references_are_scored_where_chance_left_them_out():
    rng = np.random.default_rng(1)
    names = [f"H{n}" for n in range(7)]
    references = {str(video): {name: f"a {name} {video}" for name in names} for video in range(6)}
    texts = [f"a H{video} {video if video % 2 else 'dog'}" for video in range(6)]
    captions = CaptionSet([*map(str, range(6))], ["s"] * 6, texts, references)
    human = score_table(captions.videos, captions.systems, {"z": rng.normal(size=6)}).frame["z"]
    scorer = Scorer(["bleu1"], ScoringContext())
    found = check_reference_numbers(captions, human, scorer, rng)
    [first] = [one for one in found if (one.check, one.condition) == ("first references", "3 of 7")]
    table = scorer.captions(captions, names[:3])[0]
    assert first.pearson == correlate(human, table).pearson[0]


def test_a_metric_that_needs_no_reference_is_drawn_wherever_it_stands():
    free = [finding(size, "free", 0.01) for size in (0, 1, 2, 3)]
    many = [finding(size, f"m{n}", n / 10) for n in range(1, 8) for size in (1, 2, 3)]
    rows = curve_rows([*free, *many])
    assert drawn_metrics(rows) == ["m7", "m6", "m5", "m4", "free"]
    assert curve_sentence(rows) == (
        "m7 reaches r = 0.700 with one reference and 0.700 with all 3; the last one takes away "
        "0.000. Without any reference free reaches r = 0.010."
    )
    assert curve_sentence(curve_rows(free)) == "Without any reference free reaches r = 0.010."
