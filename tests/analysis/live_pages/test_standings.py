"""The first places of a ranking on one line."""

from __future__ import annotations

import pytest

from analysis.selectors.overview import MARGIN, WIDTH, top_systems


def system(name: str, z: float | None, low: float | None, high: float | None) -> dict:
    return {
        "system": name,
        "z": z,
        "z_low": low,
        "z_high": high,
        "range_low": 1.0,
        "range_high": 1.0,
    }


def test_the_widest_interval_spans_the_line():
    first, second = top_systems([system("a", 0.5, 0.0, 1.0), system("b", 0.2, 0.1, 0.3)], 5)
    assert (first.left, first.right) == (MARGIN, WIDTH - MARGIN)
    assert first.mark == pytest.approx(WIDTH / 2)
    assert first.left < second.left < second.mark < second.right < first.right


def test_only_the_first_are_taken_and_the_scale_is_theirs():
    rows = [system("a", 1.0, 0.9, 1.1), system("b", -9.0, -10.0, -8.0)]
    (only,) = top_systems(rows, 1)
    assert (only.left, only.right) == (MARGIN, WIDTH - MARGIN)


def test_systems_without_a_score_have_no_place():
    assert top_systems([system("a", None, None, None)], 5) == []


def test_a_score_without_an_interval_is_a_point():
    (only,) = top_systems([system("a", 0.3, None, None)], 5)
    assert only.left == only.mark == only.right == WIDTH / 2
