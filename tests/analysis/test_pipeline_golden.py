"""A small crowd computed independently with R 4.2.2 and with pandas and scipy (data/golden)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.quality import check_quality
from analysis.stats.ratings import Ratings

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "pipeline_small"
BASES = {"all_items": "all", "system_repeat_only": "captions"}
ASKED = 10  # pairs, in the crowd of the golden files
FILTERS = {"qc_pass": False, "all_nonconst": True}


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    frame = pd.read_csv(GOLDEN / "ratings.csv")
    names = {"worker": "annotator", "video": "item", "type": "kind", "pos": "position"}
    kinds = {"SYSTEM": "system", "BAD_REF": "degraded", "REPEAT": "repeat"}
    frame = frame.rename(columns=names).assign(seconds=np.nan)
    return Ratings.from_table(frame.assign(kind=frame["kind"].map(kinds)))


@pytest.fixture(params=[(basis, kept) for basis in BASES for kept in FILTERS], ids=str)
def variant(request, ratings):
    basis, kept = request.param
    settings = Settings(basis=BASES[basis], keep_all_annotators=FILTERS[kept], minimum_pairs=ASKED)
    return analyse(ratings, settings), f"{basis}__{kept}.csv"


def expected(name: str) -> pd.DataFrame:
    return pd.read_csv(GOLDEN / f"expected_{name}")


def test_annotator_means_and_deviations(variant):
    analysis, name = variant
    for worker in expected(f"worker_mean_sd__{name}").itertuples():
        annotator = analysis.ratings.annotators.index(worker.worker)
        assert analysis.standardised.mean[annotator] == pytest.approx(worker.mean, rel=1e-12)
        assert analysis.standardised.sd[annotator] == pytest.approx(worker.sd, rel=1e-12)


def test_caption_scores(variant):
    analysis, name = variant
    golden = expected(f"caption__{name}").set_index(["system", "video"]).sort_index()
    labels = pd.MultiIndex.from_arrays(
        [
            np.array(analysis.ratings.systems)[analysis.captions.system],
            np.array(analysis.ratings.items)[analysis.captions.item].astype(int),
        ]
    )
    ours = pd.DataFrame(
        {column: getattr(analysis.captions, column) for column in ("raw", "z", "n")}, index=labels
    ).sort_index()
    assert list(ours.index) == list(golden.index)
    np.testing.assert_allclose(ours, golden, rtol=1e-12, atol=1e-14)


def test_system_scores_and_their_order(variant):
    analysis, name = variant
    golden = expected(f"system__{name}").set_index("system")
    names = [analysis.ratings.systems[system] for system in analysis.ranking.order]
    assert names == list(golden.sort_values("z", ascending=False).index)
    scores = analysis.systems
    ours = np.column_stack([scores.raw, scores.z, scores.captions, scores.ratings])
    places = [analysis.ratings.systems.index(system) for system in golden.index]
    np.testing.assert_allclose(ours[places], golden, rtol=1e-12)


def test_significance_of_every_ordered_pair(variant):
    analysis, name = variant
    golden = expected(f"ranksum_greater_row_gt_col__{name}").set_index("system")
    places = [analysis.ratings.systems.index(system) for system in golden.index]
    np.testing.assert_allclose(
        analysis.ranking.p[np.ix_(places, places)], golden[golden.index], rtol=1e-12
    )


def test_quality_control(ratings):
    quality = check_quality(ratings)
    for worker in expected("worker_qc.csv").itertuples():
        annotator = ratings.annotators.index(worker.worker)
        assert quality.pairs.n[annotator] == worker.n_pairs
        assert quality.pairs.p[annotator] == pytest.approx(worker.p_t_less, rel=1e-12, nan_ok=True)
        assert quality.repeats.n[annotator] == worker.n_repeats
        assert quality.repeats.p[annotator] == pytest.approx(
            worker.repeat_p_t_two_sided, rel=1e-12, nan_ok=True
        )
        assert quality.repeat_distance[annotator] == pytest.approx(worker.repeat_mean_abs_diff)
        gap = quality.original_mean[annotator] - quality.degraded_mean[annotator]
        assert gap == pytest.approx(worker.mean_diff)


def test_only_annotators_with_pairs_enough_and_a_clear_verdict_pass(ratings):
    status = dict(
        zip(ratings.annotators, check_quality(ratings, minimum_pairs=ASKED).status, strict=True)
    )
    assert status == {
        "w_const": "failed",
        "w_good1": "passed",
        "w_good2": "passed",
        "w_harsh": "passed",
        "w_random": "failed",
        "w_short": "insufficient",
    }


def test_ratings_without_a_z_score_are_left_out_and_counted(ratings):
    everybody = analyse(ratings, Settings(keep_all_annotators=True))
    constant = ratings.annotators.index("w_const")
    assert everybody.undefined == np.count_nonzero(ratings.annotator == constant)
    assert analyse(ratings).undefined == 0
