"""Tables that go into a paper as they are: the ranking, who beats whom, and whatever is listed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.pipeline import Analysis
from analysis.sentences import cell, is_number

_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "[": "{[}", "*": "{*}",  # at the beginning of a row they would belong to the line before
}  # fmt: skip
SHADES: Final = ((0.02, "green!45"), (0.2, "green!30"), (1.0, "green!15"))
"""Cell colours by share of the level a p value may reach (at .05: .001, .01, .05)."""
LONG_TEXT: Final = 30  # letters; what is longer is broken into lines


def escaped(text: str) -> str:
    """Text on one line, with LaTeX's own characters made harmless and invisible ones left out.

    >>> escaped("50%_A")
    '50\\\\%\\\\_A'
    """
    shown = (character for character in " ".join(text.split()) if character.isprintable())
    return "".join(_SPECIAL.get(character, character) for character in shown)


def ranking_table(analysis: Analysis) -> str:
    """Systems best first with a rule between clusters (packages: booktabs)."""
    systems, ranking, intervals = analysis.systems, analysis.ranking, analysis.intervals
    lines = [
        *_head(analysis, "booktabs"),
        r"\begin{tabular}{clrrcrr}",
        r"\toprule",
        r"Rank & System & $z$ & Raw & Interval of $z$ & Wins & Captions \\",
        r"\midrule",
    ]
    cluster = math.nan
    for system in analysis.competing.tolist():
        if ranking.rank_low[system] > cluster:
            lines.append(r"\midrule")
        cluster = float(ranking.rank_low[system])
        cells = [
            _ranks(ranking.rank_low[system], ranking.rank_high[system]),
            escaped(analysis.ratings.systems[system]),
            number(systems.z[system], 3),
            number(systems.raw[system], 1),
            f"[{number(intervals.z_low[system], 3)}, {number(intervals.z_high[system], 3)}]",
            str(ranking.wins[system]),
            str(systems.captions[system]),
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def significance_matrix(analysis: Analysis, adjusted: str = "p") -> str:
    """p that the row is better than the column, shaded where significant (package: xcolor).

    ``adjusted`` names which p: p, p_holm or p_bh.
    """
    order = analysis.competing.tolist()
    names = [escaped(analysis.ratings.systems[system]) for system in order]
    lines = [
        *_head(analysis, "[table]xcolor, booktabs, rotating"),
        f"% {adjusted}",
        r"\begin{tabular}{l" + "r" * len(order) + "}",
        r"\toprule",
        " & ".join(["", *(rf"\begin{{sideways}}{name}\end{{sideways}}" for name in names)])
        + r" \\",
        r"\midrule",
    ]
    for name, system in zip(names, order, strict=True):
        p = getattr(analysis.ranking, adjusted)[system, order]
        own = np.array(order) == system
        alpha = analysis.settings.alpha
        cells = ["--" if mine else shaded(q, alpha) for q, mine in zip(p, own, strict=True)]
        lines.append(" & ".join([name, *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def listing_table(
    rows: Sequence[Mapping[str, Any]], headings: Mapping[str, str], notes: Sequence[str]
) -> str:
    """Rows under their headings, on as many pages as they need (packages: booktabs, longtable)."""
    kinds = "".join(_column([row[name] for row in rows]) for name in headings)
    lines = [
        *(f"% {' '.join(note.split())}" for note in notes),
        "% packages: booktabs, longtable",
        rf"\begin{{longtable}}{{{kinds}}}",
        r"\toprule",
        " & ".join(escaped(heading) for heading in headings.values()) + r" \\",
        r"\midrule",
        r"\endhead",
    ]
    lines += [" & ".join(_listed(name, row[name]) for name in headings) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{longtable}", ""])


def _column(values: Sequence[object]) -> str:
    if all(is_number(value) for value in values):
        return "r"
    longest = max((len(str(value)) for value in values), default=0)
    return r"p{0.3\linewidth}" if longest > LONG_TEXT else "l"


def _listed(name: str, value: object) -> str:
    return "--" if value is None else escaped(cell(name, value)).replace("−", "$-$")


def _head(analysis: Analysis, packages: str) -> list[str]:
    return [f"% {analysis.signature}", f"% packages: {packages}"]


def shaded(p: float, alpha: float) -> str:
    shade = next((colour for share, colour in SHADES if p < share * alpha), None)
    text = "$<$.001" if p < 0.001 else number(p, 3).replace("0.", ".", 1)
    return rf"\cellcolor{{{shade}}}{text}" if shade else text


def number(value: float, digits: int) -> str:
    if math.isnan(value):
        return "--"
    return f"{value:.{digits}f}".replace("-", "$-$")


def _ranks(low: float, high: float) -> str:
    if math.isnan(low):
        return "--"
    return f"{low:.0f}" if low == high else f"{low:.0f}--{high:.0f}"
