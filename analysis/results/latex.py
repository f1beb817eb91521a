"""The ranking and who beats whom, as tables that go into a paper as they are."""

from __future__ import annotations

import math

from analysis.presenting.latex import escaped, number, shaded
from analysis.results.registry import Summary


def ranking_table(summary: Summary) -> str:
    """Systems best first with a rule between clusters (packages: booktabs)."""
    lines = [
        *_head(summary, "booktabs"),
        r"\begin{tabular}{clrrcrr}",
        r"\toprule",
        r"Rank & System & $z$ & Raw & Interval of $z$ & Wins & Captions \\",
        r"\midrule",
    ]
    cluster = math.nan
    for row in summary.numbers["ranking"].systems:
        if row.rank_low > cluster:
            lines.append(r"\midrule")
        cluster = row.rank_low
        cells = [
            _ranks(row.range_low, row.range_high),
            escaped(row.system),
            number(row.z, 3),
            number(row.raw, 1),
            f"[{number(row.z_low, 3)}, {number(row.z_high, 3)}]",
            str(row.wins),
            str(row.captions),
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def significance_matrix(summary: Summary, adjusted: str = "p") -> str:
    """p that the row is better than the column, shaded where significant (package: xcolor).

    ``adjusted`` names which p: p, p_holm or p_bh.
    """
    systems = [row.system for row in summary.numbers["ranking"].systems]
    pairs = summary.numbers["significance"].pairs
    p = {(pair.better, pair.worse): getattr(pair, adjusted) for pair in pairs}
    heads = [rf"\begin{{sideways}}{escaped(name)}\end{{sideways}}" for name in systems]
    lines = [
        *_head(summary, "[table]xcolor, booktabs, rotating"),
        f"% {adjusted}",
        r"\begin{tabular}{l" + "r" * len(systems) + "}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        r"\midrule",
    ]
    for one in systems:
        alpha = summary.settings.alpha
        cells = ["--" if one == other else shaded(p[one, other], alpha) for other in systems]
        lines.append(" & ".join([escaped(one), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _head(summary: Summary, packages: str) -> list[str]:
    return [f"% {summary.signature}", f"% packages: {packages}"]


def _ranks(low: float, high: float) -> str:
    if math.isnan(low):
        return "--"
    return f"{low:.0f}" if low == high else f"{low:.0f}--{high:.0f}"
