"""Marks that were filled in, and what people made of them, as a file."""

from __future__ import annotations

from analysis.results.filled import fates
from analysis.selectors.marked import answers_filled, answers_once
from hits.models import Campaign

FILLED = ("annotator", "video", "system", "group", "start", "end", "label", "fate", "score")


def filled_rows(campaign: Campaign) -> list[dict[str, object]]:
    """A row for every mark that was filled in or added, and one for an answer without any."""
    rows: list[dict[str, object]] = []
    for each in answers_filled(answers_once(campaign)):
        place = (
            each.annotator,
            each.video,
            each.system,
            "filled in" if each.sees_filled else "control",
        )
        told = fates(each.filled if each.sees_filled else (), each.marks)
        cells = [(str(start), str(end), label, str(fate)) for (start, end, label), fate in told]
        rows += [
            dict(zip(FILLED, (*place, *cell, str(each.score)), strict=True))
            for cell in cells or [("", "", "", "")]
        ]
    return rows
