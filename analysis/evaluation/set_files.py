"""Every file of an evaluation over several sets, by name."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from xml.etree.ElementTree import Element

import numpy as np

from analysis.evaluation.files import table
from analysis.evaluation.mixes import mix_file, mix_json
from analysis.evaluation.naming import named_sets
from analysis.evaluation.pictures import Picture, williams_caption, williams_spec
from analysis.evaluation.sentences import SYSTEMS_FIXED
from analysis.evaluation.set_fusion import COEFFICIENTS as COEFFICIENTS_OF_MIX
from analysis.evaluation.set_fusion import FUSION, SLASH, own_name
from analysis.evaluation.sets import MEAN, SetEvaluation, SetLevel
from analysis.evaluation.system_tables import SYSTEMS, system_rows
from analysis.evaluation.tables import (
    ROBUSTNESS,
    UNMATCHED,
    checked_rows,
    checked_tables,
    unmatched_rows,
)
from analysis.presenting.charts import Spec, heat_spec
from analysis.presenting.document import (
    chart,
    draw_png,
    element,
    folded,
    html_document,
    picture,
    title_of,
)
from analysis.presenting.document import table as shown_table
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.exports import Table, records
from analysis.presenting.latex import P_PACKAGES, escaped, number, p_matrix
from analysis.presenting.sentences import listed, p_is
from analysis.presenting.sentences import number as words
from analysis.results.files import Maker
from analysis.stats.correlation import COEFFICIENTS

Row = dict[str, Any]
SETS: Final = ("metric", "human", "level", "set", "n", *COEFFICIENTS, "low", "high")
WILLIAMS: Final = (
    "human", "level", "better", "worse", "n", "r_better", "r_worse", "flipped", "statistic", "p",
    "p_holm",
)  # fmt: skip
TABLES: Final = ("sets", "williams", "systems", "fusion", "coefficients", "unmatched")
CHECKED, METRIC = "robustness", "metric"
LEVELS: Final = {"caption": "Captions", "system": "Systems"}


def set_files(found: SetEvaluation, *, mean_of_scores: bool = False) -> dict[str, Maker]:
    """What makes each file, by its name; with the mean over columns of human scores, if wanted."""
    signature = str(found.signature)
    made: dict[str, Maker] = {
        f"{name}.{format}": partial(_table, found, name, format, mean_of_scores)
        for name in tables_of(found)
        for format in table_formats()
    }
    for mix in found.fusions:
        made[mix_file(mix)] = partial(mix_json, found, mix)
    shown = named_sets(found)
    for level in found.levels:
        for one in set_pictures(shown, level).values():
            made[f"{one.name}.svg"] = partial(_svg, one.spec)
            made[f"{one.name}.png"] = partial(draw_png, one.spec)
    return made | {
        "sets.tex": lambda: sets_latex(shown).encode(),
        "williams.tex": lambda: williams_latex(shown).encode(),
        "report.json": lambda: _json(found, mean_of_scores),
        "report.html": lambda: set_report(shown).encode(),
        "signature.txt": lambda: f"{signature}\n".encode(),
    }


def tables_of(found: SetEvaluation) -> tuple[str, ...]:
    """Names of the tables there are; robustness only where it was checked."""
    return (*TABLES, CHECKED) if found.robustness else TABLES


def set_table_of(found: SetEvaluation, name: str, mean_of_scores: bool = False) -> Table:
    grouped = any(level.group for level in found.levels)
    rows, columns = {
        "sets": (with_mean_rows if mean_of_scores else set_rows, SETS),
        "williams": (williams_rows, (*WILLIAMS, "group") if grouped else WILLIAMS),
        CHECKED: (lambda found: checked_rows(found.robustness), ("set", *ROBUSTNESS)),
        "systems": (all_system_rows, ("set", *SYSTEMS)),
        "fusion": (_unseen, FUSION),
        "coefficients": (_coefficients, COEFFICIENTS_OF_MIX),
        "unmatched": (all_unmatched_rows, ("set", *UNMATCHED)),
    }[name]
    return table(rows(found), columns)


def _unseen(found: SetEvaluation) -> list[Row]:
    return [row for mix in found.fusions for row in mix.unseen]


def _coefficients(found: SetEvaluation) -> list[Row]:
    return [row for mix in found.fusions for row in mix.coefficient_rows()]


def _table(found: SetEvaluation, name: str, format: str, mean_of_scores: bool) -> bytes:
    rows = set_table_of(found, name, mean_of_scores)
    return table_file(rows, format, str(found.signature))


def _svg(spec: Spec) -> bytes:
    return picture(spec).encode()


def _json(found: SetEvaluation, mean_of_scores: bool) -> bytes:
    content: dict[str, Any] = {"signature": found.signature.as_dict()}
    content["notes"] = list(found.notes)
    names = (name for name in tables_of(found) if name != "unmatched")
    content |= {name: records(set_table_of(found, name, mean_of_scores)) for name in names}
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def set_rows(found: SetEvaluation) -> list[Row]:
    """Each metric on each set and their mean, which counts sets in `n`."""
    return [row for level in found.levels for row in _level_rows(found, level)]


def with_mean_rows(found: SetEvaluation) -> list[Row]:
    """The coefficients averaged over the columns of human scores, which then are single people's,
    beside those of each; `n` counts columns."""
    rows, people = set_rows(found), dict[tuple[str, ...], list[Row]]()
    for row in rows:
        people.setdefault((row["metric"], row["level"], row["set"]), []).append(row)
    return rows + [
        {"metric": metric, "human": MEAN, "level": level, "set": name, "n": len(own)}
        | {one: float(np.mean([row[one] for row in own])) for one in COEFFICIENTS}
        for (metric, level, name), own in people.items()
    ]


def _level_rows(found: SetEvaluation, level: SetLevel) -> list[Row]:
    rows: list[Row] = []
    for one in level.sets:
        low, high = level.interval(one.drawn)
        n = one.correlations.n.tolist()
        rows += _rows(found, level, one.name, n, one.correlations, low, high)
    low, high = level.interval(level.drawn_mean)
    counted = [len(level.counted)] * len(found.metrics)
    name = f"{level.group}{SLASH}{MEAN}" if level.group else MEAN
    return rows + _rows(found, level, name, counted, level.mean, low, high)


def _rows(
    found: SetEvaluation,
    level: SetLevel,
    name: str,
    n: Sequence[int],
    values: Any,
    low: Any,
    high: Any,
) -> list[Row]:
    return [
        {
            "metric": metric,
            "human": level.human,
            "level": level.level,
            "set": name,
            "n": int(n[at]),
            **{one: float(values.of(one)[at]) for one in COEFFICIENTS},
            "low": float(low[at]),
            "high": float(high[at]),
        }
        for at, metric in enumerate(found.metrics)
    ]


def williams_rows(found: SetEvaluation) -> list[Row]:
    """Every ordered pair of metrics over all sets together."""
    return [row for level in found.levels for row in pairs_of(found.metrics, level)]


def pairs_of(metrics: Sequence[str], level: SetLevel) -> list[Row]:
    """Every ordered pair at one level; none with too little to compare."""
    pooled = level.pooled
    if pooled is None:
        return []
    order = np.argsort(-np.nan_to_num(pooled.r, nan=-2.0), kind="stable").tolist()
    return [
        {
            "human": level.human,
            "level": level.level,
            "better": metrics[one],
            "worse": metrics[other],
            "n": pooled.n,
            "r_better": float(pooled.r[one]),
            "r_worse": float(pooled.r[other]),
            "flipped": " ".join(metrics[at] for at in (one, other) if pooled.flipped[at]),
            "statistic": float(pooled.statistic[one, other]),
            "p": float(pooled.p[one, other]),
            "p_holm": float(pooled.p_holm[one, other]),
            "group": level.group,
        }
        for one in order
        for other in order
        if one != other
    ]


def all_system_rows(found: SetEvaluation) -> list[Row]:
    return [
        {"set": name, **row}
        for human, sets in found.rows.items()
        for name, rows in sets.items()
        for row in system_rows(human, found.metrics, rows)
    ]


def all_unmatched_rows(found: SetEvaluation) -> list[Row]:
    return [
        {"set": name, **row} for name, one in found.joined.items() for row in unmatched_rows(one)
    ]


def columns_of(level: SetLevel) -> list[str]:
    """Sets by their own names, and the mean; a title names their group."""
    return [*(own_name(one.name) for one in level.sets), MEAN]


def title_of_level(level: SetLevel) -> str:
    group = f", {level.group}" if level.group else ""
    return f"{LEVELS[level.level]}, {level.human}{group}"


def ordered(found: SetEvaluation, level: SetLevel) -> list[tuple[str, list[float]]]:
    """Metrics with the highest mean r first, and r on every set and the mean."""
    values = np.vstack([*(one.correlations.pearson for one in level.sets), level.mean.pearson])
    order = np.argsort(-np.nan_to_num(level.mean.pearson, nan=-2.0), kind="stable")
    return [(found.metrics[at], values[:, at].tolist()) for at in order]


def set_pictures(found: SetEvaluation, level: SetLevel) -> dict[str, Picture]:
    """r of every metric on every set, and which metric is better over all of them."""
    named = f"{level.group}-{level.human}" if level.group else level.human
    human = re.sub(r"\W+", "-", named)
    where = f"{human}-{level.level}"
    said = f"Pearson's r with people ({title_of_level(level)}), {level.level} level"
    spec = heat_spec(ordered(found, level), columns_of(level), said)
    caption = f"Pearson's r with people; the mean is that of {listed(list(level.counted))}."
    drawn = {"sets": Picture(f"sets-{where}", "sets", spec, caption)}
    rows = pairs_of(found.metrics, level)
    if rows:
        alpha = found.settings.alpha
        caption = f"{williams_caption(rows, LEVELS[level.level].lower(), alpha)} All sets together."
        spec = williams_spec(rows, alpha)
        drawn["williams"] = Picture(f"williams-{where}", "williams", spec, caption)
    return drawn


def set_table(found: SetEvaluation, level: SetLevel) -> tuple[dict[str, str], list[Row]]:
    """Headings and rows: metrics by sets, the best mean first."""
    columns = columns_of(level)
    rows = [
        {"metric": metric} | dict(zip(columns, values, strict=True))
        for metric, values in ordered(found, level)
    ]
    return {"metric": "Metric"} | {name: name for name in columns}, rows


def sets_latex(found: SetEvaluation) -> str:
    """Metrics × sets, Pearson's r, the best of each column bold (package: booktabs)."""
    lines = [f"% {found.signature}", "% packages: booktabs"]
    for level in found.levels:
        rows, columns = ordered(found, level), columns_of(level)
        best = np.nanmax([values for _, values in rows], axis=0, initial=-1.0)
        lines += [
            f"% {title_of_level(level)}; mean of {', '.join(level.counted)}",
            r"\begin{tabular}{l" + "r" * len(columns) + "}",
            r"\toprule",
            " & ".join(["", *map(escaped, columns)]) + r" \\",
            r"\midrule",
        ]
        for metric, values in rows:
            cells = [
                rf"\textbf{{{number(value, 3)}}}" if value == top else number(value, 3)
                for value, top in zip(values, best, strict=True)
            ]
            lines.append(" & ".join([escaped(metric), *cells]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, ""])


def williams_latex(found: SetEvaluation) -> str:
    """p, adjusted by Holm, that the row correlates more than the column over all sets."""
    lines = [f"% {found.signature}", *P_PACKAGES]
    for level in found.levels:
        if level.pooled is None:
            continue
        rows = pairs_of(found.metrics, level)
        p = {(row["better"], row["worse"]): row["p_holm"] for row in rows}
        lines += [
            f"% {title_of_level(level)}, n = {level.pooled.n}",
            *p_matrix(list(dict.fromkeys(better for better, _ in p)), p, found.settings.alpha),
        ]
    return "\n".join([*lines, ""])


def best_sentence(found: SetEvaluation, level: SetLevel) -> str:
    """Which metric is ahead over all sets, and which cannot be told apart from it."""
    first, values = ordered(found, level)[0]
    if math.isnan(values[-1]):
        return f"{title_of_level(level)}: no metric has a defined correlation with people."
    mean = words(values[-1], 3)
    said = f"{title_of_level(level)}: {first} has the highest mean r, {mean}"
    if level.pooled is None:
        return f"{said}; there is too little data to compare metrics."
    at = found.metrics.index(first)
    beaten = level.pooled.p_holm[at] < found.settings.alpha
    others = [name for place, name in enumerate(found.metrics) if place != at and not beaten[place]]
    if not others:
        return f"{said}, significantly more than every other metric (pooled Williams, Holm)."
    return (
        f"{said}; over all sets it is not significantly ahead of {listed(others)} (pooled "
        "Williams, Holm)."
    )


def asked_sentence(found: SetEvaluation, level: SetLevel, pair: tuple[str, str]) -> str:
    """Whether the one metric asked about is better than the other over all sets."""
    rows = [row for row in pairs_of(found.metrics, level)
            if {row["better"], row["worse"]} == set(pair)]  # fmt: skip
    if not rows:
        return f"{title_of_level(level)}: there is too little data to compare {listed(list(pair))}."
    row = rows[0]  # the one with the higher r first
    significant = row["p_holm"] < found.settings.alpha
    verdict = "significantly more than" if significant else "not significantly more than"
    return (
        f"{title_of_level(level)}: over all sets {row['better']} (r = {words(row['r_better'], 3)}) "
        f"correlates {verdict} {row['worse']} (r = {words(row['r_worse'], 3)}), Williams' "
        f"p {p_is(row['p_holm'])} adjusted by Holm, {p_is(row['p'])} by itself."
    )


def set_report(found: SetEvaluation) -> str:
    parts: list[Element] = []
    for level in found.levels:
        headings, rows = set_table(found, level)
        drawn = set_pictures(found, level)
        parts += [
            element("h2", title_of_level(level)),
            element("p", best_sentence(found, level)),
            chart(drawn["sets"].spec, drawn["sets"].caption),
            shown_table(rows, headings),
        ]
        pairs = pairs_of(found.metrics, level)
        if pairs:
            parts.append(chart(drawn["williams"].spec, drawn["williams"].caption))
            names = {"better": "Metric", "worse": "more than", "p": "p", "p_holm": "p, Holm"}
            parts.append(folded("Williams' test over all sets together", pairs, names))
    for mix in found.fusions:
        headings = {
            "split": "Split",
            "scale": "Scale",
            "set": "Set",
            "metric": "Metric",
            "n": "n",
            "pearson": "r",
        }
        named = {"metric": "Metric", "coefficient": "Coefficient", "low": "from", "high": "to",
                 "standardised": "Standardised"}  # fmt: skip
        parts += [
            element("h2", f"A mix of metrics, {mix.human}"),
            element("p", f"Least squares over {mix.captions:,} captions, 80 % of the videos of "
                    "every set together. Coefficients are in the metrics' own units."),
            *([element("p", mix.sentence)] if mix.sentence else []),
            shown_table(mix.coefficient_rows(), named),
            folded("On unseen captions", list(mix.unseen), headings),
        ]  # fmt: skip
    for title, columns, checked in checked_tables(found.robustness):
        headings = {METRIC: "Metric"} | {name: name for name in columns}
        parts += [element("h2", f"Robustness: {title}"), shown_table(checked, headings)]
    method = (
        "Metrics are compared with human scores within each set. Intervals in sets.csv resample "
        f"videos within each set, {found.settings.draws:,} times. {SYSTEMS_FIXED} For Williams' "
        "test people and metrics are standardised within each set, then pooled."
    )
    return html_document(
        title_of("Metrics against people", ", ".join(found.joined), found.signature),
        *parts,
        element("h2", "How it was computed"),
        element("p", method),
        *(element("p", f"{note}.") for note in found.notes),
        element("p", str(found.signature), class_="signature"),
    )
