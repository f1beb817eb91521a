"""One verdict per pair of metrics, and nothing is called better without significance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.evaluation.joining import join
from analysis.evaluation.latex import williams_matrix
from analysis.evaluation.levels import draws_to_decide
from analysis.evaluation.page import human_page
from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.scores import score_table
from analysis.evaluation.sentences import best_sentence, fusion_sentence, verdict_sentences
from analysis.evaluation.settings import Settings
from analysis.evaluation.storing import Evaluated
from analysis.stats.dependent import compare_metrics

ALPHA = 0.05


def part_of(noise, *, videos=60, systems=4, seed=3, **settings):
    """Metrics that are people's scores and so much noise."""
    rng = np.random.default_rng(seed)
    rows = [(str(video), f"S{system}") for video in range(videos) for system in range(systems)]
    names, of = zip(*rows, strict=True)
    truth = rng.normal(size=len(rows))
    metrics = {name: truth + sd * rng.normal(size=len(rows)) for name, sd in noise.items()}
    joined = join(score_table(names, of, {"z": truth}), score_table(names, of, metrics))
    chosen = Settings(**{"draws": 50, "placebo": 0, **settings})
    return evaluate_metrics(joined, chosen)


@pytest.mark.parametrize("seed", range(6))
def test_clusters_sentences_and_the_matrix_say_the_same_of_every_pair(seed):
    noise = {"a": 1.0, "b": 1.15, "c": 1.3, "d": 1.6, "e": 2.4}
    evaluation = part_of(noise, seed=seed)
    [part] = evaluation.parts
    beats = part.caption.comparisons.clusters.beats
    for verdict in part.verdicts:
        told = verdict_sentences(part, verdict, ALPHA)[0]
        apart = bool(beats[verdict.better, verdict.worse])
        assert ("do not differ significantly" in told) == (not apart)
        assert (": " in told and "? Yes:" in told) == apart
    best, *others = np.argsort(-part.caption.correlations.pearson).tolist()
    said = best_sentence(part)
    assert ("does not differ significantly" in said) == any(
        not beats[best, other] for other in others
    )


def test_the_matrix_for_a_paper_shades_what_the_sentence_calls_better():
    evaluation = part_of({"a": 1.0, "b": 1.12, "c": 1.3, "d": 1.6, "e": 2.4}, seed=2)
    [part] = evaluation.parts
    borderline = [one for one in part.verdicts if one.p < ALPHA <= one.p_holm]
    assert borderline
    captions = williams_matrix(evaluation).split(r"\end{tabular}")[0]
    rows = {line.split(" & ")[0]: line.split(" & ") for line in captions.splitlines()}
    order = list(np.array(part.metrics)[part.caption.comparisons.clusters.order])
    for verdict in part.verdicts:
        better, worse = part.metrics[verdict.better], part.metrics[verdict.worse]
        cell = rows[better][1 + order.index(worse)]
        assert ("cellcolor" in cell) == verdict.is_better(ALPHA)


def test_a_mix_is_called_better_only_with_significance():
    for noise in (2.0, 3.0, 4.0, 8.0):
        [part] = part_of({"a": 1.0, "b": noise}).parts
        unseen = np.column_stack([part.fusion.validation.predicted, part.rows.metrics[:, 0]])
        p = compare_metrics(part.rows.human, unseen).p
        said = fusion_sentence(part, ALPHA)
        assert ("better" in said) == (p[0, 1] < ALPHA)
        assert ("worse" in said) == (p[1, 0] < ALPHA)
        assert ("differ significantly" in said) == (min(p[0, 1], p[1, 0]) >= ALPHA)
    [apart] = part_of({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}).parts
    assert "significantly better" in fusion_sentence(apart, ALPHA)


def test_the_mix_is_tried_on_every_caption_by_default():
    [part] = part_of({"a": 1.0, "b": 1.2}).parts
    assert not np.isnan(part.fusion.validation.predicted).any()
    [held] = part_of({"a": 1.0, "b": 1.2}, split="holdout").parts
    assert np.isnan(held.fusion.validation.predicted).any()


def test_with_many_metrics_a_permutation_can_still_be_significant_after_holm():
    noise = {"good": 0.1} | {f"m{number}": 6.0 for number in range(8)}
    [part] = part_of(noise, draws=1_000).parts
    found = part.caption.comparisons.permutation
    assert found.draws >= draws_to_decide(9, Settings())
    assert (found.p_holm[0, 1:] < ALPHA).all()


def test_the_page_shows_the_p_that_decides():
    evaluation = part_of({"a": 1.0, "b": 1.15, "c": 1.3})
    page = human_page(Evaluated(evaluation, (Robustness("z", ()),)), "z")
    [part] = evaluation.parts
    williams = part.caption.comparisons.williams
    shown = page["tests"]["captions"]
    frame = pd.DataFrame(shown["p"], shown["metrics"], shown["metrics"])
    one, other = shown["metrics"][:2]
    at = [part.metrics.index(name) for name in (one, other)]
    assert frame.loc[one, other] == pytest.approx(williams.p_holm[at[0], at[1]])
