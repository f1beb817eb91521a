"""Tables that go into a paper as they are: metrics × coefficients, and which metric is better."""

from __future__ import annotations

from analysis.evaluation.levels import LevelResult
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.tables import comparison_rows, level_rows
from analysis.presenting.latex import P_PACKAGES, escaped, number, p_matrix
from analysis.stats.correlation import COEFFICIENTS

_SYMBOLS = (r"$r$", r"$\rho$", r"$\tau_b$", r"$\tau_c$")


def correlations_table(evaluation: Evaluation) -> str:
    """Metrics × coefficients at both levels, the best of each column bold (package: booktabs)."""
    lines = [f"% {evaluation.signature}", "% packages: booktabs"]
    for part in evaluation.parts:
        lines += _part_table(part)
    return "\n".join([*lines, ""])


def _part_table(part: AgainstHuman) -> list[str]:
    caption, system = level_rows(part, part.caption), level_rows(part, part.system)
    places = {row["metric"]: row for row in system}
    best = {
        (level, name): max((abs(row[name]) for row in rows if row[name] == row[name]), default=2.0)
        for level, rows in (("caption", caption), ("system", system))
        for name in COEFFICIENTS
    }
    lines = [
        r"\begin{tabular}{l" + "r" * 8 + "}",
        r"\toprule",
        rf"& \multicolumn{{4}}{{c}}{{Captions ($n={len(part.rows)}$)}}"
        rf" & \multicolumn{{4}}{{c}}{{Systems ($n={len(part.rows.systems)}$)}} \\",
        r"\cmidrule(lr){2-5}\cmidrule(lr){6-9}",
        " & ".join([escaped(part.human), *_SYMBOLS, *_SYMBOLS]) + r" \\",
        r"\midrule",
    ]
    for row in caption:
        cells = [
            _cell(one[name], best[level, name])
            for level, one in (("caption", row), ("system", places[row["metric"]]))
            for name in COEFFICIENTS
        ]
        lines.append(" & ".join([escaped(row["metric"]), *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _cell(value: float, best: float) -> str:
    text = number(value, 3)
    return rf"\textbf{{{text}}}" if abs(value) == best else text


def williams_matrix(evaluation: Evaluation) -> str:
    """p, adjusted by Holm, that the row correlates more than the column; shaded: significant."""
    lines = [f"% {evaluation.signature}", *P_PACKAGES]
    for part in evaluation.parts:
        for level in (part.caption, part.system):
            lines += _matrix(part, level, evaluation.settings.alpha)
    return "\n".join([*lines, ""])


def _matrix(part: AgainstHuman, level: LevelResult, alpha: float) -> list[str]:
    rows = comparison_rows(part, level)
    if not rows:
        return []
    p = {(row["better"], row["worse"]): row["p_holm"] for row in rows}
    names = list(dict.fromkeys(better for better, _ in p))
    head = f"% {part.human}, {level.level} level, n = {rows[0]['n']}"
    return [head, *p_matrix(names, p, alpha)]
