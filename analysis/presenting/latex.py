"""What every table for a paper is made of, and whatever pages list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.presenting.sentences import cell, is_number

_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "[": "{[}", "*": "{*}",  # at the beginning of a row they would belong to the line before
}  # fmt: skip
SHADES: Final = ((0.02, "green!45"), (0.2, "green!30"), (1.0, "green!15"))
"""Cell colours by share of the level a p value may reach (at .05: .001, .01, .05)."""
P_PACKAGES: Final = (
    "% packages: [table]xcolor, booktabs, rotating",
    "% p of Williams' one-sided test, adjusted by Holm; the p by themselves are in williams.csv",
)
LONG_TEXT: Final = 30  # letters; what is longer is broken into lines


def escaped(text: str) -> str:
    """Text on one line, with LaTeX's own characters made harmless and invisible ones left out.

    >>> escaped("50%_A")
    '50\\\\%\\\\_A'
    """
    shown = (character for character in " ".join(text.split()) if character.isprintable())
    return "".join(_SPECIAL.get(character, character) for character in shown)


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


def shaded(p: float, alpha: float) -> str:
    shade = next((colour for share, colour in SHADES if p < share * alpha), None)
    text = "$<$.001" if p < 0.001 else number(p, 3).replace("0.", ".", 1)
    return rf"\cellcolor{{{shade}}}{text}" if shade else text


def p_matrix(names: Sequence[str], p: Mapping[tuple[str, str], float], alpha: float) -> list[str]:
    """p that the row is better than the column, shaded where significant (packages: [table]xcolor,
    booktabs, rotating)."""
    heads = [rf"\begin{{sideways}}{escaped(name)}\end{{sideways}}" for name in names]
    lines = [
        r"\begin{tabular}{l" + "r" * len(names) + "}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        r"\midrule",
    ]
    for one in names:
        cells = ["--" if one == other else shaded(p[one, other], alpha) for other in names]
        lines.append(" & ".join([escaped(one), *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def number(value: float, digits: int) -> str:
    if math.isnan(value):
        return "--"
    return f"{value:.{digits}f}".replace("-", "$-$")
