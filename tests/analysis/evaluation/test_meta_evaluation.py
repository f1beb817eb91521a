"""From joined scores to results, and the sentence each odd input gets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.evaluation import caption_tables, sentences, tables
from analysis.evaluation.influence import reliance
from analysis.evaluation.joining import join
from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.scores import score_table
from analysis.evaluation.settings import Settings

QUICK = Settings(draws=40, placebo=40)


@pytest.fixture(scope="module")
def evaluation(joined):
    return evaluate_metrics(joined, QUICK)


def test_caption_and_system_correlations_are_scipys(joined, evaluation):
    rows = {(row["metric"], row["level"]): row for row in tables.correlation_rows(evaluation)}
    human, metric = joined.human["z"], joined.metrics["far"]
    caption = rows["far", "caption"]
    assert caption["n"] == 240
    assert caption["pearson"] == pytest.approx(stats.pearsonr(human, metric).statistic)
    assert caption["kendall_c"] == pytest.approx(
        stats.kendalltau(human, metric, variant="c").statistic
    )
    assert caption["pearson_low"] < caption["pearson"] < caption["pearson_high"]
    means = [side.groupby("system").mean() for side in (human, metric)]
    assert rows["far", "system"]["n"] == 4
    assert rows["far", "system"]["spearman"] == pytest.approx(stats.spearmanr(*means).statistic)
    assert rows["far", "per_video"]["n"] == 60


def test_each_system_and_each_video_has_a_row_of_its_own(joined, evaluation):
    within = {
        (row["metric"], row["video"]): row["pearson"] for row in tables.by_video_rows(evaluation)
    }
    assert len(within) == 3 * 60
    human, metric = (side.xs("17", level="video") for side in (joined.human, joined.metrics))
    expected = stats.pearsonr(human["z"], metric["far"]).statistic
    assert within["far", "17"] == pytest.approx(expected)
    systems = {row["system"]: row["n"] for row in tables.by_system_rows(evaluation)}
    assert systems == dict.fromkeys("ABCD", 60)


def test_the_best_metric_is_named_and_a_negative_one_is_turned_round(evaluation):
    part = evaluation.parts[0]
    assert sentences.best_sentence(part).startswith(
        "Of 3 metrics close agrees best with people (z)"
    )
    assert sentences.flipped_sentence(part).startswith("against correlates negatively")
    williams = {(row["better"], row["worse"]): row for row in tables.williams_rows(evaluation)
                if row["level"] == "caption"}  # fmt: skip
    assert williams["close", "far"]["p"] < 0.001 < williams["far", "close"]["p"]
    assert williams["against", "far"]["flipped"] == "against"


def test_the_report_answers_whether_a_metric_is_better_and_why(evaluation):
    part = evaluation.parts[0]
    verdict = next(one for one in part.verdicts if part.metrics[one.worse] == "far")
    better, odd = sentences.verdict_sentences(part, verdict, 0.05)
    assert better.startswith("Is close better than far here? Yes: r = ")
    assert odd.startswith("Is it due to a few outliers? No: without the ")


def test_a_lead_that_rests_on_odd_captions_is_called_that():
    rng = np.random.default_rng(1)
    human, noise = rng.normal(size=120), rng.normal(size=(2, 120))
    metrics = np.array([0.5 * human + noise[0], 0.5 * human + noise[1]])
    human[:4] = 6
    metrics[0, :4], metrics[1, :4] = 8, 0
    videos = [str(video) for video in range(120)]
    joined = join(
        score_table(videos, ["A"] * 120, {"z": human}),
        score_table(videos, ["A"] * 120, dict(zip(("odd", "plain"), metrics, strict=True))),
    )
    part = evaluate_metrics(joined, QUICK).parts[0]
    verdict = part.verdicts[0]
    strongest = {joined.videos[row] for row in verdict.reliance.strongest[:4]}
    assert part.metrics[verdict.better] == "odd"
    assert verdict.p < 0.05 < verdict.p_after
    assert verdict.removed >= 4
    assert strongest == {"0", "1", "2", "3"}
    verdict = replace(verdict, r_after=(0.5, 0.4))
    assert "outliers? It may be: " in sentences.verdict_sentences(part, verdict, 0.05)[1]
    verdict = replace(verdict, r_after=(0.4, 0.5), p_after=0.83)
    said = sentences.verdict_sentences(part, verdict, 0.05)[1]
    assert "outliers? It seems so: " in said
    assert "the order is reversed: plain is ahead, 0.500 against 0.400 (p = 0.170)" in said


def test_reliance_is_what_removing_those_captions_one_by_one_finds():
    rng = np.random.default_rng(5)
    human = rng.normal(size=80)
    better, worse = human + rng.normal(size=80), human + 2 * rng.normal(size=80)
    found = reliance(human, better, worse)
    for removed in range(found.to_reverse + 1):
        kept = np.setdiff1d(np.arange(80), found.strongest[:removed])
        lead = np.corrcoef(human[kept], better[kept])[0, 1]
        lead -= np.corrcoef(human[kept], worse[kept])[0, 1]
        assert (lead <= 0) == (removed == found.to_reverse)
    assert 0 < found.to_doubt <= found.to_reverse


def test_a_metric_that_the_best_beats_is_not_called_its_equal():
    """Best and middle cannot be told apart, nor middle and last, but best and last can."""
    rng = np.random.default_rng(4)
    human = rng.normal(size=90)
    metrics = {
        name: human + noise * rng.normal(size=90)
        for name, noise in (("best", 1.0), ("middle", 1.5), ("last", 2.2))
    }
    videos = [str(video) for video in range(90)]
    joined = join(*(score_table(videos, ["A"] * 90, side) for side in ({"z": human}, metrics)))
    part = evaluate_metrics(joined, QUICK).parts[0]
    clusters = part.caption.comparisons.clusters
    assert clusters.rank_low.tolist() == [1, 1, 1]
    places = [(row["rank_low"], row["rank_high"]) for row in tables.level_rows(part, part.caption)]
    assert places == [(1, 2), (1, 3), (2, 3)]
    assert "; it does not differ significantly from middle" in sentences.best_sentence(part)


def test_the_captions_a_lead_rests_on_are_listed(evaluation):
    part = evaluation.parts[0]
    verdict = part.verdicts[0]
    rows = caption_tables.strongest_captions(evaluation, part, verdict)
    assert len(rows) == min(verdict.reliance.to_doubt, caption_tables.MOST)
    first = verdict.reliance.strongest[0]
    assert rows[0]["human_score"] == part.rows.human[first]
    assert rows[0]["worse_score"] == part.rows.metrics[first, verdict.worse]
    assert rows[0]["video"] == evaluation.joined.videos[first]


def test_three_captions_do_not_make_a_metric_significantly_better():
    human = score_table(["1", "2", "3"], ["A"] * 3, {"z": [1, 2, 3]})
    metrics = score_table(["1", "2", "3"], ["A"] * 3, {"m": [1, 2, 4], "n": [2, 1, 3]})
    said = sentences.best_sentence(evaluate_metrics(join(human, metrics), QUICK).parts[0])
    assert "m agrees best" in said
    assert "too few captions to test" in said


def test_removed_captions_are_listed_with_their_distance(evaluation):
    rows = [row for row in caption_tables.outlier_rows(evaluation) if row["variant"] == "linear"]
    filters = {(row["metric"], row["variant"], row["removed_for"]): row
               for row in caption_tables.filter_rows(evaluation)}  # fmt: skip
    for metric in ("close", "far", "against"):
        own = [row for row in rows if row["metric"] == metric]
        assert len(own) == filters[metric, "linear", "the metric"]["removed"]
        assert all(row["distance"] > row["threshold"] for row in own)
    assert rows[0]["direction"] == "human_on_metric"
    first = filters["close", "linear", "the metric"]
    assert first["pearson_placebo_low"] <= first["pearson_before"] <= first["pearson_placebo_high"]


def test_the_same_scores_in_another_order_have_the_same_signature(scores):
    human, metrics = scores
    backwards = replace(human, frame=human.frame.iloc[::-1])
    one, other = (evaluate_metrics(join(table, metrics), QUICK) for table in (human, backwards))
    assert str(one.signature) == str(other.signature)
    assert str(tables.correlation_rows(one)) == str(tables.correlation_rows(other))


def table_of(values, systems=None, **more):
    count = len(values)
    systems = systems or ["A", "B", "C"] * (count // 3)
    return score_table([str(n // 3) for n in range(count)], systems, {"m": values, **more})


def test_it_refuses_two_captions():
    human = score_table(["1", "2"], ["A", "A"], {"z": [1, 2]})
    with pytest.raises(ValueError, match="2 captions have a score in z and in every metric"):
        evaluate_metrics(join(human, score_table(["1", "2"], ["A", "A"], {"m": [1, 2]})), QUICK)


def test_a_constant_metric_is_not_defined_and_that_is_said():
    rng = np.random.default_rng(2)
    values = rng.normal(size=30)
    evaluation = evaluate_metrics(
        join(table_of(values), table_of(values + 1, flat=np.ones(30))), QUICK
    )
    assert any("flat gives every caption the same score" in text for text in evaluation.warnings)
    rows = {row["metric"]: row for row in tables.correlation_rows(evaluation)
            if row["level"] == "caption"}  # fmt: skip
    assert np.isnan(rows["flat"]["pearson"])
    assert rows["flat"]["reason"] == "the metric is constant"


def test_constant_human_scores_are_said():
    evaluation = evaluate_metrics(
        join(table_of(np.ones(30)), table_of(np.random.default_rng(2).normal(size=30))), QUICK
    )
    assert any("human scores in m are the same" in text for text in evaluation.warnings)
    assert sentences.best_sentence(evaluation.parts[0]).startswith("No metric has a defined")


@pytest.mark.parametrize(
    ("systems", "said"), [(["A"], "one system, A"), (["A", "B"], "two systems")]
)
def test_too_few_systems_are_said(scores, systems, said):
    human, metrics = scores
    evaluation = evaluate_metrics(join(human.of_systems(systems), metrics), QUICK)
    assert any(said in text for text in evaluation.warnings)
    rows = [row for row in tables.correlation_rows(evaluation) if row["level"] == "system"]
    assert all(np.isnan(row["pearson"]) and row["reason"] for row in rows)


def test_captions_without_a_value_are_left_out_of_all_metrics_and_counted(scores):
    human, metrics = scores
    values = metrics.frame["far"].to_numpy().copy()
    values[:7] = np.nan
    evaluation = evaluate_metrics(join(human, metrics.with_columns({"far": values})), QUICK)
    assert any("7 captions have no value of far" in text for text in evaluation.warnings)
    assert len(evaluation.parts[0].rows) == 233


def test_a_metric_without_any_value_is_left_out(scores):
    human, metrics = scores
    nothing = metrics.with_columns({"nothing": np.full(len(metrics.frame), np.nan)})
    evaluation = evaluate_metrics(join(human, nothing), QUICK)
    assert "nothing" not in evaluation.parts[0].metrics
    assert any("nothing has no value" in text for text in evaluation.warnings)


@pytest.mark.parametrize(
    "wrong",
    [{"draws": 0}, {"alpha": 1.0}, {"factor": 0}, {"ridge": -1}, {"split": "x"}, {"seed": -1}],
)
def test_it_refuses_settings_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Settings(**wrong)
