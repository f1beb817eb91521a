"""Tables that go into a paper as they are: the ranking, and who beats whom."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from analysis.pipeline import Analysis

_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "[": "{[}",  # at the beginning of a row it would be an argument of the line before
}  # fmt: skip
SHADES: Final = ((0.02, "green!45"), (0.2, "green!30"), (1.0, "green!15"))
"""Cell colours by share of the level a p value may reach (at .05: .001, .01, .05)."""


def escaped(text: str) -> str:
    """Text with LaTeX's own characters made harmless.

    >>> escaped("50%_A")
    '50\\\\%\\\\_A'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


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


def significance_matrix(analysis: Analysis) -> str:
    """p that the row is better than the column, shaded where significant (package: xcolor)."""
    order = analysis.competing.tolist()
    names = [escaped(analysis.ratings.systems[system]) for system in order]
    lines = [
        *_head(analysis, "[table]xcolor, booktabs, rotating"),
        r"\begin{tabular}{l" + "r" * len(order) + "}",
        r"\toprule",
        " & ".join(["", *(rf"\begin{{sideways}}{name}\end{{sideways}}" for name in names)])
        + r" \\",
        r"\midrule",
    ]
    for name, system in zip(names, order, strict=True):
        p = analysis.ranking.p[system, order]
        own = np.array(order) == system
        alpha = analysis.settings.alpha
        cells = ["--" if mine else shaded(q, alpha) for q, mine in zip(p, own, strict=True)]
        lines.append(" & ".join([name, *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


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
