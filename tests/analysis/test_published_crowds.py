"""Real crowds come out as the method's authors published them (WMT 2021), and files of the field
are read as their makers left them.

The data is not ours to redistribute: it is read from DA_PUBLISHED, by default the folder
`shared/published` beside the checkout. Tolerances are those the published digits allow.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.reading import read_ratings
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.ratings import Ratings
from analysis.stats.signature import sign
from daplatform.tables import TableError

PUBLISHED = Path(os.environ["DA_PUBLISHED"])

pytestmark = pytest.mark.published


@pytest.fixture(scope="module", params=["wmt21-cs-en", "wmt21-ha-en"])
def crowd(request):
    folder = PUBLISHED / request.param
    if not folder.is_dir():
        pytest.skip(f"PUBLISHED DATA MISSING, NOTHING IS CHECKED AGAINST REAL CROWDS: {folder}")
    ratings = Ratings.from_table(pd.read_csv(folder / "ratings.csv"))
    return analyse(ratings, Settings(keep_all_annotators=True, draws=1)), folder / "expected"


def by_label(labels, **columns):
    return pd.DataFrame(columns, index=list(labels))


def test_annotator_means_and_deviations(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "annotators.csv", index_col="annotator")
    scale = analysis.standardised
    ours = by_label(analysis.ratings.annotators, mean=scale.mean, sd=scale.sd)
    np.testing.assert_allclose(ours.loc[published.index], published, rtol=1e-6)


def test_quality_control(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "quality.csv", index_col="annotator")
    pairs = analysis.quality.pairs
    ours = by_label(analysis.ratings.annotators, pairs=pairs.n, t=pairs.statistic, p=pairs.p)
    ours = ours.loc[published.index]
    assert ours["pairs"].tolist() == published["pairs"].tolist()
    np.testing.assert_allclose(ours["t"], published["t"], rtol=1e-5)
    np.testing.assert_allclose(ours["p"], published["p"], rtol=1e-5)


def test_nobody_with_a_clear_verdict_is_left_out_for_want_of_pairs(crowd):
    quality = crowd[0].quality
    clear = quality.pairs.p < 0.05
    assert clear.any()
    assert {status for status, p in zip(quality.status, clear, strict=True) if p} == {"passed"}


def test_segment_scores(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "segments.csv", dtype={"item": str})
    captions, labels = analysis.captions, analysis.ratings
    ours = pd.DataFrame(
        {
            "system": np.array(labels.systems)[captions.system],
            "item": np.array(labels.items)[captions.item],
            "raw": captions.raw,
            "z": captions.z,
            "n": captions.n,
        }
    )
    both = published.merge(ours, on=["system", "item"], how="outer", suffixes=("", "_ours"))
    assert len(both) == len(published) == len(ours)
    assert both["n"].tolist() == both["n_ours"].tolist()
    np.testing.assert_allclose(both["raw_ours"], both["raw"], atol=1e-9)
    np.testing.assert_allclose(both["z_ours"], both["z"], atol=5e-5)


def test_system_scores(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "systems.csv", index_col="system")
    systems = analysis.systems
    ours = by_label(
        analysis.ratings.systems,
        raw=systems.raw,
        z=systems.z,
        segments=systems.captions,
        ratings=systems.ratings,
    ).loc[published.index]
    assert ours[["segments", "ratings"]].equals(published[["segments", "ratings"]])
    np.testing.assert_allclose(ours["raw"], published["raw"], atol=1e-9)
    np.testing.assert_allclose(ours["z"], published["z"], atol=2e-6)


def test_significance(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "significance.csv")
    place = {system: code for code, system in enumerate(analysis.ratings.systems)}
    better, worse = published["better"].map(place), published["worse"].map(place)
    np.testing.assert_allclose(analysis.ranking.p[better, worse], published["p"], atol=5e-4)
    assert np.count_nonzero(analysis.ranking.p < 0.05) == len(published)


def test_wins_and_clusters(crowd):
    analysis, folder = crowd
    published = pd.read_csv(folder / "clusters.csv", index_col="system")
    ranking = analysis.ranking
    ours = by_label(
        analysis.ratings.systems,
        wins=ranking.wins,
        rank_low=ranking.rank_low,
        rank_high=ranking.rank_high,
    )
    assert (ours.loc[published.index] == published).all(axis=None)
    assert [analysis.ratings.systems[code] for code in ranking.order] == list(published.index)


@pytest.fixture(scope="module")
def raw():
    folder = PUBLISHED / "raw"
    if not folder.is_dir():
        pytest.skip(f"PUBLISHED DATA MISSING, NO FILE OF THE FIELD IS READ AS IT IS: {folder}")
    return folder


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_standardised_scores_as_their_authors_left_them(raw):
    path = raw / "wmt21-ad-csen-good-stnd.csv"
    file = read_ratings(path)
    assert len(file.ratings) == len(lines_of(path)) - 1
    found = analyse(file.ratings, Settings(keep_all_annotators=True, draws=1))
    published = pd.read_csv(PUBLISHED / "wmt21-cs-en/expected/systems.csv", index_col="system")
    ours = by_label(found.ratings.systems, z=found.systems.z).loc[published.index]
    np.testing.assert_allclose(ours["z"], published["z"], atol=2e-6)


def test_eight_cells_under_twelve_names_and_four_language_pairs(raw):
    path = raw / "facebook-wikipedia-2021-ad-latest.csv"
    rows = [line.replace("\t", " ").split() for line in lines_of(path)[1:]]
    pairs = {f"{row[2]}-{row[3]}" for row in rows}
    with pytest.raises(TableError, match=f"{len(pairs)} language pairs"):
        read_ratings(path)
    read = {pair: len(read_ratings(path, pair=pair).ratings) for pair in pairs}
    assert sum(read.values()) == len(rows)


def test_an_appraise_export_with_its_header_and_without(raw, tmp_path):
    path = raw / "WMT22.Appraise.SegLvlLivRef.filtered.csv"
    headed = tmp_path / "headed.csv"
    head = (raw / "header.SegLvl.csv").read_text(encoding="utf-8").strip()
    headed.write_text(f"{head}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    signed = {str(sign(read_ratings(one).ratings, {})) for one in (path, headed)}
    assert len(signed) == 1
    assert len(read_ratings(path).ratings) == len(lines_of(path))
