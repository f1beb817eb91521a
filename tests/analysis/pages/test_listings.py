"""Columns of a result for pages to sort and filter, against the same numbers from pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from analysis.presenting.listings import (
    FLAGS,
    arranged,
    as_table,
    containing,
    matching,
    read_listing,
    write_listing,
)
from analysis.results.listings import annotators_listing, captions_listing
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.flags import raise_flags
from analysis.stats.ratings import Ratings


@pytest.fixture(scope="module")
def columns() -> dict[str, list]:
    """Three people, two HITs each, over two systems and ten videos; times are not always known."""
    rng = np.random.default_rng(3)
    rows = [
        (f"w{person}", f"h{hit}", f"S{system}", f"v{video}", "system", int(rng.integers(0, 101)))
        for person in range(3)
        for hit in range(2)
        for system in range(2)
        for video in range(10)
        if (video + hit) % 2 or person < 2
    ]
    names = ("annotator", "hit", "system", "item", "kind", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    seconds = rng.uniform(2, 30, len(rows))
    seconds[::7] = np.nan
    return columns | {"seconds": seconds.tolist()}


@pytest.fixture(scope="module")
def analysis(columns):
    return analyse(Ratings.from_columns(columns), Settings(keep_all_annotators=True, draws=10))


@pytest.fixture(scope="module")
def frame(columns) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    scores = frame.groupby("annotator").score
    return frame.assign(z=(frame.score - scores.transform("mean")) / scores.transform("std"))


def test_hits_and_median_times_are_those_pandas_finds(analysis, frame):
    listed = annotators_listing(analysis)
    people = frame.groupby("annotator")
    assert listed["annotator"].tolist() == list(people.groups)
    assert listed["hits"].tolist() == people.hit.nunique().tolist()
    np.testing.assert_allclose(listed["seconds"], people.seconds.median())


def test_disagreement_is_the_deviation_of_the_ratings_behind_a_caption(analysis, frame):
    listed = captions_listing(analysis)
    expected = frame.groupby(["system", "item"]).z.std()
    np.testing.assert_allclose(listed["disagreement"], expected, atol=1e-12)


def test_a_single_rating_disagrees_with_nobody():
    ratings = Ratings.from_columns(
        {
            "annotator": ["w", "w", "w"],
            "hit": ["h"] * 3,
            "system": ["A", "A", "B"],
            "item": ["1", "2", "1"],
            "kind": ["system"] * 3,
            "score": [1, 50, 99],
            "seconds": [np.nan] * 3,
        }
    )
    analysis = analyse(ratings, Settings(keep_all_annotators=True, draws=10))
    assert np.isnan(captions_listing(analysis)["disagreement"]).all()
    assert np.isnan(annotators_listing(analysis)["seconds"]).all()


def test_every_flag_has_a_reason():
    described = [line.split("`")[1] for line in raise_flags.__doc__.splitlines() if "- `" in line]
    assert list(FLAGS) == described


def test_what_was_written_is_read_again(analysis, tmp_path):
    path = tmp_path / "captions.arrow"
    write_listing(path, captions_listing(analysis))
    again = as_table(read_listing(path))
    assert list(again) == list(captions_listing(analysis))
    for name, column in captions_listing(analysis).items():
        np.testing.assert_array_equal(again[name], column)


@pytest.fixture
def small() -> pa.Table:
    return pa.table({"text": ["A (dog) runs", "Ein Bär", ".*"], "score": [2.0, float("nan"), 5.0]})


@pytest.mark.parametrize(
    ("sort", "texts"),
    [
        ("score", ["A (dog) runs", ".*", "Ein Bär"]),
        ("-score", [".*", "A (dog) runs", "Ein Bär"]),
    ],
)
def test_what_is_not_defined_comes_last_either_way(small, sort, texts):
    assert arranged(small, sort)["text"].to_pylist() == texts


@pytest.mark.parametrize(
    ("search", "texts"),
    [
        ("(DOG)", ["A (dog) runs"]),
        (".*", [".*"]),
        ("bÄR", ["Ein Bär"]),
        ("", ["A (dog) runs", "Ein Bär", ".*"]),
    ],
)
def test_a_search_takes_words_as_they_are(small, search, texts):
    assert containing(small, search, ["text"])["text"].to_pylist() == texts


def test_rows_are_matched_by_value(small):
    assert matching(small, "score", [5.0])["text"].to_pylist() == [".*"]


def test_columns_keep_their_types_without_any_row(tmp_path):
    """As long as nobody has passed: Arrow guesses types from values, and there is none."""
    none = {"system": np.empty(0, dtype=object), "z": np.empty(0), "n": np.empty(0, np.int64)}
    write_listing(tmp_path / "captions.arrow", none)
    listed = read_listing(tmp_path / "captions.arrow")
    assert listed.schema.types == [pa.string(), pa.float64(), pa.int64()]
    found = arranged(containing(matching(listed, "system", ["A"]), "dog", ["system"]), "-z")
    assert found.num_rows == 0
