from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from analysis.stats.ratings import DEGRADED, OPTIONAL, REPEAT, REQUIRED, Ratings
from benchmarks.crowd import simulate
from daplatform.tables import TableError


def table(*rows, columns=(*REQUIRED, "seconds")):
    return pd.DataFrame(list(rows), columns=list(columns))


def row(kind="system", score=50, *, annotator="w1", hit="h1", system="A", item="v1", seconds=5.0):
    return (annotator, hit, system, item, kind, score, seconds)


def fault_of(frame):
    with pytest.raises(TableError) as caught:
        Ratings.from_table(frame)
    return str(caught.value)


def columns_of(ratings):
    return {name: getattr(ratings, name) for name in (*REQUIRED, *OPTIONAL)}


def test_rows_come_out_in_one_order_whatever_order_they_went_in():
    whole = simulate(annotators=3, seed=5)
    shuffled = whole_table(whole).sample(frac=1, random_state=1)
    again = Ratings.from_table(shuffled)
    for name, column in columns_of(whole).items():
        np.testing.assert_array_equal(getattr(again, name), column)
    assert again.items == whole.items


def whole_table(ratings):
    frame = {
        name: np.array(getattr(ratings, f"{name}s"))[getattr(ratings, name)]
        for name in ("annotator", "hit", "system", "item")
    }
    kinds = np.array(["system", "reference", "degraded", "repeat"])[ratings.kind]
    frame |= {"kind": kinds, "score": ratings.score, "seconds": ratings.seconds}
    return pd.DataFrame(frame | {"position": ratings.position})


@pytest.mark.parametrize(
    "as_type",
    [
        lambda frame: frame,
        lambda frame: frame.astype(str),
        lambda frame: frame.astype({"score": float, "item": "category"}),
        pa.Table.from_pandas,
        lambda frame: pa.Table.from_pandas(frame.astype({"annotator": "category"})),
    ],
    ids=["pandas", "text", "floats and categories", "arrow", "arrow dictionary"],
)
def test_it_takes_columns_of_any_type(as_type):
    frame = whole_table(simulate(annotators=2))
    ratings = Ratings.from_table(as_type(frame))
    assert ratings.score.sum() == frame["score"].sum()
    assert ratings.annotators == ("w0000", "w0001")


def test_a_degraded_rating_finds_its_original_in_the_same_hit():
    ratings = Ratings.from_table(
        table(
            row("reference", 90),
            row("degraded", 20),
            row("reference", 80, hit="h2"),
            row("degraded", 30, hit="h2"),
            row("system", 70, annotator="w2"),
            row("repeat", 60, annotator="w2"),
        )
    )
    rows, originals = ratings.originals(DEGRADED)
    assert ratings.score[rows].tolist() == [20, 30]
    assert ratings.score[originals].tolist() == [90, 80]
    rows, originals = ratings.originals(REPEAT)
    assert ratings.score[originals].tolist() == [70]


def test_a_repeat_without_its_first_rating_has_no_original():
    ratings = Ratings.from_table(table(row("repeat"), row("system", item="v2")))
    assert ratings.originals(REPEAT)[1].tolist() == [-1]


def test_it_refuses_a_degraded_rating_without_its_original():
    assert (
        "row 2: There is no rating of the original of kind 'degraded', system 'A', item 'v2'"
        in fault_of(table(row("reference"), row("degraded", item="v2")))
    )


def test_it_allows_one_where_the_work_is_under_way():
    ratings = Ratings.from_table(table(row("degraded"), row("system", item="v2")), orphans=True)
    assert ratings.originals(DEGRADED)[1].tolist() == [-1]


def test_it_refuses_the_same_rating_twice_and_says_where_the_first_is():
    fault = fault_of(table(row(), row(item="v2"), row(score=3)))
    assert fault.startswith(
        "rows 1 and 3: These are two ratings of kind 'system', system 'A', item 'v1'"
    )
    assert fault.endswith("Keep one of them.")


def test_positions_tell_two_showings_of_a_caption_apart():
    twice = table((*row(), 4), (*row(), 9), columns=(*REQUIRED, "seconds", "position"))
    assert len(Ratings.from_table(twice)) == 2


@pytest.mark.parametrize("score", [101, -1, "good", None, float("nan"), "", "1e9", "inf"])
def test_it_refuses_a_score_that_is_no_whole_number_from_0_to_100(score):
    fault = fault_of(table(row(), row(score=score, item="v2")))
    assert "row 2: score" in fault
    assert "is not a whole number from 0 to 100" in fault


def test_half_points_are_read_and_smaller_parts_refused():
    ratings = Ratings.from_table(table(row(score=50.5), row(score=40, item="v2")))
    assert ratings.score.tolist() == [50.5, 40.0]
    fault = fault_of(table(row(score=50.25), row(item="v2")))
    assert "row 1: score '50.25' is not a number of points from 0 to 100" in fault


def test_times_may_be_missing_altogether():
    ratings = Ratings.from_table(table(row()[:-1], columns=REQUIRED))
    assert np.isnan(ratings.seconds).all()


def test_it_refuses_an_unknown_kind_and_offers_the_nearest():
    assert fault_of(table(row("sytem"))) == (
        "row 1: There is no kind 'sytem'. Did you mean 'system'?"
    )
    assert "must be one of system, reference, degraded, repeat" in fault_of(table(row("x")))


def test_it_refuses_a_negative_time_but_not_an_unknown_one():
    assert "row 1: seconds '-1'" in fault_of(table(row(seconds=-1.0)))
    assert np.isnan(Ratings.from_table(table(row(seconds=None))).seconds).all()


@pytest.mark.parametrize("label", ["annotator", "hit", "system", "item"])
def test_it_refuses_an_empty_label(label):
    assert fault_of(table(row(), row(**{label: None}))).startswith(f"row 2: {label} is empty.")
    assert fault_of(table(row(), row(**{label: ""}))).startswith(f"row 2: {label} is empty.")


def test_it_names_a_missing_column_and_the_one_to_rename():
    names = {"annotator": "annotater", "seconds": "x", "hit": "y"}
    assert fault_of(table(row()).rename(columns=names)).splitlines() == [
        "There is no column 'annotator'. Rename 'annotater'.",
        "There is no column 'hit' (other columns: annotater, y, x). "
        "Add it, or rename the column that holds it.",
    ]


def test_it_refuses_no_ratings_at_all():
    assert fault_of(table()) == "There are no ratings. Add rows of ratings."


def test_it_lists_the_first_faults_and_counts_the_others():
    fault = fault_of(table(*(row(score=200, item=f"v{number}") for number in range(1000))))
    assert len(fault.splitlines()) == 21
    assert fault.endswith("… and 980 more errors.")


def test_times_with_a_zone_are_kept_in_utc():
    frame = table(row()).assign(submitted_at="2026-03-01T12:00:00+02:00")
    assert Ratings.from_table(frame).submitted_at == np.array("2026-03-01T10:00", "datetime64[us]")
    typed = frame.assign(submitted_at=pd.to_datetime(frame["submitted_at"]))
    assert Ratings.from_table(typed).submitted_at == np.array("2026-03-01T10:00", "datetime64[us]")


def test_it_refuses_a_time_it_cannot_read():
    assert "row 1: submitted_at 'noon'" in fault_of(table(row()).assign(submitted_at="noon"))


def test_a_fluency_nobody_gave_was_not_asked():
    assert Ratings.from_table(table(row()).assign(fluency=None)).fluency is None


def test_it_refuses_a_fluency_that_some_ratings_lack():
    frame = table(row(), row(item="v2")).assign(fluency=[50, None])
    assert "row 2: fluency '' is not a whole number" in fault_of(frame)


def test_labels_too_many_to_pack_into_one_number_are_still_sorted(monkeypatch):
    frame = whole_table(simulate(annotators=2)).sample(frac=1, random_state=2)
    expected = Ratings.from_table(frame)
    monkeypatch.setattr("analysis.stats.ratings._PACKABLE", 1)
    np.testing.assert_array_equal(Ratings.from_table(frame).score, expected.score)


def test_selected_rows_keep_their_codes():
    ratings = simulate(annotators=3)
    last = ratings.select(ratings.annotator == 2)
    assert len(last) == 100
    assert set(last.annotator) == {2}
    assert last.annotators == ratings.annotators
