from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from analysis.stats.correlation import correlations
from analysis.stats.fusion import (
    Fusion,
    cross_validate,
    distinct_metrics,
    fit_fusion,
    holdout,
    leave_one_group_out,
    weight_intervals,
)


def campaign(seed=0, videos=40, systems=5):
    """Human scores that two metrics explain each in part; a third is noise."""
    rng = np.random.default_rng(seed)
    video = np.repeat(np.arange(videos), systems)
    metrics = rng.normal(size=(len(video), 3)) * [1, 5, 2] + [0, 10, -3]
    human = 50 + 8 * metrics[:, 0] + 1.6 * metrics[:, 1] + rng.normal(0, 8, len(video))
    return human, metrics, video


def test_it_is_least_squares_on_the_metrics():
    human, metrics, _ = campaign()
    design = np.column_stack([np.ones(len(human)), metrics])
    beta = np.linalg.lstsq(design, human, rcond=None)[0]
    fusion = fit_fusion(human, metrics)
    np.testing.assert_allclose(fusion.predict(metrics), design @ beta, rtol=1e-10)
    standardised = beta[1:] * metrics.std(axis=0) / human.std()
    np.testing.assert_allclose(fusion.weight, standardised, rtol=1e-10)
    assert fusion.n == len(human)


def test_ridge_is_least_squares_with_a_row_for_each_penalty():
    human, metrics, _ = campaign(1)
    z, y = (
        (values - values.mean(axis=0)) / values.std(axis=0, ddof=1) for values in (metrics, human)
    )
    penalty = np.sqrt(0.3 * (len(y) - 1)) * np.eye(3)
    design, target = np.vstack([z, penalty]), np.append(y, [0, 0, 0])
    expected = np.linalg.lstsq(design, target, rcond=None)[0]
    fusion = fit_fusion(human, metrics, ridge=0.3)
    np.testing.assert_allclose(fusion.weight, expected, rtol=1e-10)
    assert np.linalg.norm(fusion.weight) < np.linalg.norm(fit_fusion(human, metrics).weight)


def test_it_can_be_saved_and_applied_later():
    human, metrics, _ = campaign(2)
    fusion = fit_fusion(human, metrics)
    saved = json.loads(json.dumps(asdict(fusion)))
    lists = {name: tuple(value) for name, value in saved.items() if isinstance(value, list)}
    again = Fusion(**{**saved, **lists})
    assert again == fusion
    np.testing.assert_array_equal(again.predict(metrics), fusion.predict(metrics))


def test_a_constant_metric_weighs_nothing_and_a_double_shares():
    human, metrics, video = campaign(3)
    single = fit_fusion(human, metrics[:, :1])
    columns = np.column_stack([metrics[:, 0], np.full(len(human), 0.1), metrics[:, 0] * 2])
    fusion = fit_fusion(human, columns)
    assert fusion.weight[1] == 0
    np.testing.assert_allclose(fusion.weight[0], fusion.weight[2])
    np.testing.assert_allclose(fusion.predict(columns), single.predict(metrics[:, :1]))
    intervals = weight_intervals(human, columns, video, rng=np.random.default_rng(0), draws=20)
    assert intervals.low[1] == intervals.high[1] == 0


def test_copies_sums_and_constants_are_not_weighed_and_nothing_is_lost():
    human, metrics, _ = campaign(11)
    first, second, third = metrics.T
    mean = (first + 3 * third) / 4
    columns = np.column_stack([mean, first, second, third, -2 * second + 1, np.ones(len(human))])
    kept = distinct_metrics(columns, [3, 0, 4, 5, 1, 2])
    assert kept == [0, 3, 4]
    np.testing.assert_allclose(
        fit_fusion(human, columns[:, kept]).predict(columns[:, kept]),
        fit_fusion(human, metrics).predict(metrics),
    )


def test_a_metric_that_is_nearly_another_is_not_weighed_but_one_that_resembles_it_is():
    _, metrics, _ = campaign(12)
    near, like = (metrics[:, 0] + part * metrics[:, 2] for part in (0.002, 0.2))
    assert distinct_metrics(np.column_stack([metrics[:, 0], near, like]), [0, 1, 2]) == [0, 2]


def test_captions_that_lack_a_metric_are_not_fitted_and_have_no_score():
    human, metrics, _ = campaign(4)
    gaps = metrics.copy()
    gaps[3, 1], gaps[5, 2] = np.nan, np.inf
    rows = np.delete(np.arange(len(human)), [3, 5])
    fusion = fit_fusion(human, gaps)
    np.testing.assert_allclose(fusion.weight, fit_fusion(human[rows], metrics[rows]).weight)
    assert np.flatnonzero(np.isnan(fusion.predict(gaps))).tolist() == [3, 5]


def test_a_draw_weighs_its_captions_written_out():
    human, metrics, video = campaign(5, videos=12)
    interval = weight_intervals(
        human, metrics, video, rng=np.random.default_rng(7), draws=1, ridge=0.1
    )
    count = np.random.default_rng(7).multinomial(12, np.full(12, 1 / 12), size=1)[0]
    rows = np.repeat(np.arange(len(human)), count[video])
    expected = fit_fusion(human[rows], metrics[rows], ridge=0.1).weight
    np.testing.assert_allclose(interval.low, expected, rtol=1e-9)


def test_intervals_hold_the_weights_and_tell_noise_from_metrics():
    human, metrics, video = campaign(6)
    weight = np.array(fit_fusion(human, metrics).weight)
    found = weight_intervals(human, metrics, video, rng=np.random.default_rng(0), draws=300)
    assert (found.low < weight).all()
    assert (weight < found.high).all()
    assert (found.low[:2] > 0).all()
    assert found.low[2] < 0 < found.high[2]


def test_a_fifth_of_the_videos_is_held_out_whole():
    _, _, video = campaign()
    [held] = holdout(video, rng=np.random.default_rng(1))
    assert len(np.unique(video[held])) == 8
    assert not set(video[held]) & set(video[~held])


def test_every_group_is_held_out_once():
    folds = leave_one_group_out(np.array([4, 7, 4, 9]))
    assert np.sum(folds, axis=0).tolist() == [1, 1, 1, 1]
    assert folds[0].tolist() == [True, False, True, False]


def test_a_mix_predicts_unseen_captions_better_than_its_best_metric():
    human, metrics, video = campaign(8)
    found = cross_validate(human, metrics, leave_one_group_out(video))
    r = found.correlations.pearson
    assert r[0] > r[1:].max() + 0.05
    np.testing.assert_allclose(r[1:], correlations(human, metrics).pearson)
    assert found.folds == 40


def test_metrics_are_compared_on_the_captions_held_out():
    human, metrics, video = campaign(9)
    folds = holdout(video, rng=np.random.default_rng(2))
    found = cross_validate(human, metrics, folds)
    np.testing.assert_array_equal(np.isfinite(found.predicted), folds[0])
    assert set(found.correlations.n.tolist()) == {40}
    expected = fit_fusion(human[~folds[0]], metrics[~folds[0]]).predict(metrics[folds[0]])
    np.testing.assert_allclose(found.predicted[folds[0]], expected)


def test_what_fits_noise_does_not_predict_it():
    rng = np.random.default_rng(10)
    human, metrics, video = rng.normal(size=100), rng.normal(size=(100, 20)), np.arange(100) // 5
    fitted = fit_fusion(human, metrics).predict(metrics)
    unseen = cross_validate(human, metrics, leave_one_group_out(video)).correlations.pearson[0]
    assert np.corrcoef(human, fitted)[0, 1] > 0.3 > unseen + 0.1


@pytest.mark.parametrize(
    ("human", "metrics", "ridge", "message"),
    [
        (np.arange(4.0), np.ones((4, 3)), 0, "4 captions are too few"),
        (np.ones(9), np.arange(9.0)[:, None], 0, "constant"),
        (np.arange(9.0), np.arange(9.0)[:, None], -1, "ridge"),
    ],
)
def test_it_refuses_what_cannot_be_fitted(human, metrics, ridge, message):
    with pytest.raises(ValueError, match=message):
        fit_fusion(human, metrics, ridge=ridge)


def test_it_refuses_odd_splits_and_other_metrics():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="share"):
        holdout(np.arange(9), rng=rng, share=20)
    with pytest.raises(ValueError, match="two groups"):
        holdout(np.zeros(9, int), rng=rng)
    with pytest.raises(ValueError, match="two groups"):
        leave_one_group_out(np.zeros(9, int))
    human, metrics, video = campaign()
    with pytest.raises(ValueError, match="3 columns"):
        fit_fusion(human, metrics).predict(metrics[:, :2])
    with pytest.raises(ValueError, match="confidence"):
        weight_intervals(human, metrics, video, rng=rng, confidence=95)
