"""Published data sets come out as stated. What was published is read beside the checkout: none of
its numbers stand here."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from analysis.evaluation import trecvid
from analysis.evaluation.alignment import check_alignment
from analysis.evaluation.captions import read_captions
from analysis.evaluation.human import HumanScores
from analysis.evaluation.inputs import Inputs
from analysis.evaluation.joining import join
from analysis.evaluation.reading import read_scores
from analysis.evaluation.robustness.findings import correlate
from analysis.evaluation.scoring import Scorer
from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.stats.correlation import correlations, system_means

PUBLISHED = Path(os.environ["DA_PUBLISHED"])

pytestmark = pytest.mark.published


def folder(*names):
    path = PUBLISHED.joinpath(*names)
    if not path.is_dir():
        pytest.skip(f"PUBLISHED DATA MISSING, METRICS ARE NOT CHECKED AGAINST PEOPLE: {path}")
    return path


@pytest.fixture(scope="module")
def factuality():
    """Five of the six systems: the printed values are theirs (factvc-2023, Table 4)."""
    path = folder("youcook2-fact")
    human = read_scores(path / "human.csv").without_systems(["VLTinT"])
    captions = read_captions([path / "captions.csv"], path / "references.csv")
    return path, human, captions


def test_youcook2_correlations_are_those_printed(factuality, meteor_store):
    path, human, captions = factuality
    published = pd.read_csv(path / "published.csv", index_col="metric")
    names = list(published.index)
    table, _ = Scorer(names, MetricConfig(store=meteor_store).context()).captions(captions)
    for column in published.columns:
        found = correlate(human.frame[column], table)
        assert found.n.tolist() == [500] * len(names)
        assert dict(zip(names, found.pearson, strict=True)) == pytest.approx(
            published[column][names].to_dict(), abs=0.002
        )


def test_youcook2_correlations_of_the_published_scores_are_those_printed(factuality):
    path, human, _ = factuality
    published = pd.read_csv(path / "published.csv", index_col="metric")
    joined = join(human, read_scores(path / "scores.csv").only(published.index.tolist()))
    for column in published.columns:
        found = correlations(joined.human[column].to_numpy(), joined.metrics.to_numpy())
        assert found.pearson.tolist() == pytest.approx(published[column].tolist(), abs=0.002)


@cache
def trecvid_inputs(collection, year):
    path = folder("trecvid-vtt", f"{collection}-annotator", year)
    whole = folder("trecvid-vtt", "single-annotator", year)
    captions = trecvid.read_captions(path, whole)
    table, _ = Scorer(["rougel", "cider"], ScoringContext()).captions(captions)
    return Inputs(HumanScores(trecvid.read_human(path).only(["z"])), table, captions)


@pytest.mark.parametrize("year", ["2016", "2017", "2018", "2019"])
@pytest.mark.parametrize("collection", ["multiple", "single"])
def test_trecvid_scores_belong_to_the_line_before(collection, year):
    """SID counts lines from 1, though it runs from 0: it is found without being told."""
    inputs = trecvid_inputs(collection, year)
    alignment = check_alignment(inputs.human.table, inputs.metrics)
    assert alignment.found == -1
    assert alignment.metric == "cider"


def test_trecvid_correlations_at_the_shift_found_and_without_it():
    """The README's example: CIDEr's r more than doubles once lines are counted from 1."""
    inputs = trecvid_inputs("multiple", "2019")
    joined, _, used = inputs.aligned("auto")
    wrong, _, _ = inputs.aligned(0)
    right, misread = (
        correlations(one.human["z"].to_numpy(), one.metrics.to_numpy()) for one in (joined, wrong)
    )
    assert used == -1
    assert right.pearson[1] > 2 * misread.pearson[1]
    systems, system = pd.factorize(joined.human.index.get_level_values("system"))[::-1]
    means = system_means(joined.human["z"].to_numpy(), joined.metrics.to_numpy(), system, 10)
    assert len(systems) == 10
    assert correlations(*means).pearson[1] > 0.8


def test_the_set_from_which_lines_were_lost_is_refused_until_they_are_known():
    path = folder("trecvid-vtt", "multiple-annotator", "2018")
    with pytest.raises(ValueError, match="line numbers do not say which belong together"):
        trecvid.read_captions(path)
