from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results.pipeline import Analysis, analyse
from analysis.results.settings import Settings
from analysis.stats.captions import CaptionScores
from analysis.stats.ratings import KINDS, Ratings
from analysis.stats.standardise import standardise
from benchmarks.crowd import simulate

QUICK = Settings(draws=20)


def as_columns(ratings: Ratings) -> dict[str, list]:
    """The columns of a ratings file."""
    columns = {
        name: [getattr(ratings, f"{name}s")[code] for code in getattr(ratings, name)]
        for name in ("annotator", "hit", "system", "item")
    }
    columns |= {name: getattr(ratings, name).tolist() for name in ("score", "seconds", "position")}
    return columns | {"kind": [KINDS[code] for code in ratings.kind]}


def systems_of(analysis: Analysis) -> dict[str, list[float]]:
    """What is said of each system, by name."""
    said = [
        analysis.systems.raw,
        analysis.systems.z,
        analysis.systems.captions,
        analysis.systems.ratings,
        analysis.ranking.wins,
        analysis.ranking.rank_low,
        analysis.ranking.rank_high,
        analysis.intervals.z_low,
        analysis.intervals.z_high,
    ]
    return {
        analysis.ratings.systems[code]: [float(column[code]) for column in said]
        for code in analysis.competing
    }


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_permuting_rows_changes_not_one_bit(seed):
    ratings = simulate(annotators=4, seed=seed % 5)
    order = np.random.default_rng(seed).permutation(len(ratings))
    columns = {name: [values[row] for row in order] for name, values in as_columns(ratings).items()}
    before, after = analyse(ratings, QUICK), analyse(Ratings.from_columns(columns), QUICK)
    assert str(after.signature) == str(before.signature)
    assert after.flags == before.flags
    np.testing.assert_array_equal(after.captions.z, before.captions.z)
    np.testing.assert_array_equal(after.ranking.p, before.ranking.p)
    np.testing.assert_array_equal(after.intervals.z_low, before.intervals.z_low)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 3), st.integers(0, 25), st.integers(1, 3))
def test_an_annotator_s_scale_does_not_matter(annotator, shift, factor):
    crowd = simulate(annotators=4, clickers=0)
    ratings = dataclasses.replace(crowd, score=crowd.score // 4)  # room to move on the scale
    mine = ratings.annotator == annotator
    moved = np.where(mine, ratings.score * factor + shift, ratings.score).astype(np.int16)
    changed = dataclasses.replace(ratings, score=moved)
    before, after = analyse(ratings, QUICK), analyse(changed, QUICK)
    np.testing.assert_allclose(after.standardised.z, before.standardised.z, atol=1e-12)
    np.testing.assert_allclose(after.systems.z, before.systems.z, atol=1e-12)
    np.testing.assert_allclose(after.ranking.p, before.ranking.p, rtol=1e-12)
    assert after.quality.status == before.quality.status


@settings(max_examples=15, deadline=None)
@given(st.permutations(["north", "east", "south", "west"]))
def test_relabelling_systems_relabels_results(names):
    ratings = simulate(annotators=5)
    columns = as_columns(ratings)
    new = dict(zip(("S00", "S01", "S02", "S03"), names, strict=True)) | {"Human-a": "Human-a"}
    renamed = Ratings.from_columns(columns | {"system": [new[name] for name in columns["system"]]})
    before, after = systems_of(analyse(ratings, QUICK)), systems_of(analyse(renamed, QUICK))
    assert after.keys() == {new[name] for name in before}
    for name, said in before.items():
        assert after[new[name]] == pytest.approx(said, rel=1e-9)


def test_adding_an_annotator_who_failed_changes_nothing():
    ratings = simulate(annotators=6, clickers=0)
    columns = as_columns(ratings)
    rng = np.random.default_rng(4)
    mine = [row for row, name in enumerate(columns["annotator"]) if name == "w0000"]
    clicker = {name: [values[row] for row in mine] for name, values in columns.items()}
    clicker["annotator"] = ["a clicker"] * len(mine)
    clicker["score"] = rng.integers(0, 101, len(mine)).tolist()
    more = Ratings.from_columns({name: columns[name] + clicker[name] for name in columns})
    before, after = analyse(ratings, QUICK), analyse(more, QUICK)
    assert after.quality.status[0] == "failed"
    assert systems_of(after) == systems_of(before)
    np.testing.assert_array_equal(after.captions.z, before.captions.z)
    np.testing.assert_array_equal(after.ranking.p, before.ranking.p)


def test_every_z_score_of_an_annotator_has_mean_0_and_deviation_1():
    ratings = simulate(annotators=5, hits_each=2, seed=3)
    z = standardise(ratings).z.reshape(5, -1)
    np.testing.assert_allclose(z.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=1, ddof=1), 1, rtol=1e-12)


def test_with_nobody_passed_everything_is_undefined_and_nothing_breaks():
    ratings = simulate(annotators=3, clickers=1, seed=2)
    analysis = analyse(ratings, Settings(draws=20, quality_alpha=1e-9))
    assert not analysis.used.any()
    assert len(analysis.ranking.order) == 0
    assert [ratings.systems[code] for code in analysis.competing] == ["S00", "S01", "S02", "S03"]
    assert np.isnan(analysis.systems.z).all()
    assert np.isnan(analysis.intervals.z_low).all()
    assert np.isnan(analysis.ranking.p).all()


def test_an_annotator_with_one_rating_is_left_out_and_counted():
    ratings = simulate(annotators=4)
    columns = as_columns(ratings)
    one = {name: [values[0]] for name, values in columns.items()} | {"annotator": ["single"]}
    one |= {"system": ["S00"], "kind": ["system"]}
    more = Ratings.from_columns({name: columns[name] + one[name] for name in columns})
    keep_all = Settings(draws=20, keep_all_annotators=True)
    before, after = analyse(ratings, keep_all), analyse(more, keep_all)
    assert after.undefined == 1
    assert systems_of(after) == systems_of(before)


def test_it_refuses_to_rank_systems_with_one_caption_each():
    ratings = Ratings.from_columns(
        {
            "annotator": ["w"] * 2,
            "hit": ["h"] * 2,
            "system": ["A", "B"],
            "item": [1, 1],
            "kind": ["system"] * 2,
            "score": [50, 60],
            "seconds": [1.0, 1.0],
        }
    )
    with pytest.raises(ValueError, match="no system has ratings of two captions"):
        analyse(ratings)


class TestFluency:
    @pytest.fixture
    def ratings(self):
        ratings = simulate(annotators=4, clickers=0)
        fluency = simulate(annotators=4, clickers=0, seed=9).score
        return dataclasses.replace(ratings, fluency=fluency)

    def scored(self, ratings, question) -> CaptionScores:
        return analyse(ratings, Settings(draws=1, question=question)).captions

    def test_the_combined_score_is_the_mean_of_both_z_scores(self, ratings):
        combined = self.scored(ratings, "combined")
        score, fluency = self.scored(ratings, "score"), self.scored(ratings, "fluency")
        np.testing.assert_allclose(combined.z, (score.z + fluency.z) / 2, atol=1e-12)
        np.testing.assert_allclose(combined.raw, (score.raw + fluency.raw) / 2)

    def test_without_the_question_it_is_the_score_alone(self, ratings):
        plain = dataclasses.replace(ratings, fluency=None)
        np.testing.assert_array_equal(
            self.scored(plain, "combined").z, self.scored(ratings, "score").z
        )
        with pytest.raises(ValueError, match="no fluency"):
            self.scored(plain, "fluency")
