"""Which metric correlates more with people than which, to be looked at and read aloud. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.presenting.pairs import PairTest
from analysis.presenting.sentences import p_is


class MetricTest(PairTest):
    """Does ``better`` correlate more with people than ``worse``? p of Williams' one-sided test."""

    @property
    def sentence(self) -> str:
        """To be read aloud.

        >>> MetricTest("cider", "bleu4", 0.0004, True).sentence
        'cider agrees significantly more with people than bleu4: p < 0.001'
        """
        if self.p is None:
            return f"Whether {self.better} agrees more with people than {self.worse} is not defined"
        verb = "agrees significantly more" if self.is_win else "does not agree significantly more"
        return f"{self.better} {verb} with people than {self.worse}: p {p_is(self.p)}"


def williams_table(
    tests: Mapping[str, Any], alpha: float
) -> list[tuple[str, list[MetricTest | None]]]:
    """A row for each metric, the best first, with its test against every other.

    ``tests``: ``metrics``, and ``p`` of each (row) against each (column).
    """
    return [
        (
            better,
            [
                None
                if better == worse
                else MetricTest(better, worse, p, p is not None and p < alpha)
                for worse, p in zip(tests["metrics"], row, strict=True)
            ],
        )
        for better, row in zip(tests["metrics"], tests["p"], strict=True)
    ]
