"""One self-contained HTML file about metrics and people; `presenting.document` is its frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from xml.etree.ElementTree import Element

import numpy as np

from analysis.evaluation import caption_tables, headings, sentences, tables
from analysis.evaluation.levels import LevelResult
from analysis.evaluation.naming import named, named_checks
from analysis.evaluation.pictures import LEVELS, pictures, reference_pictures
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.points import MOST_POINTS, ODD, USUAL, scatter_spec
from analysis.evaluation.reference_curve import curve_rows, curve_sentence
from analysis.evaluation.registry import shown_findings
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.robustness.referencing import NUMBERS
from analysis.evaluation.tables import Row
from analysis.evaluation.verdicts import Verdict
from analysis.presenting import document
from analysis.presenting.document import chart, element, html_document, laid_out, sentence, title_of
from analysis.presenting.sentences import number

ENDS: Final = ("low", "high")
SPAN: Final = "\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}"


def report_html(
    evaluation: Evaluation,
    *,
    robustness: Sequence[Robustness] = (),
    compare: tuple[str, str] | None = None,
    source: str = "",
) -> str:
    """The whole report.

    Parameters
    ----------
    compare
        The two metrics whose difference is told at the top; otherwise the two best.
    source
        The file or the campaign, for the title.
    """
    labels = evaluation.joined.labels
    evaluation, robustness = named(evaluation), named_checks(robustness, labels)
    compare = compare and (labels.get(compare[0], compare[0]), labels.get(compare[1], compare[1]))
    first = evaluation.parts[0]
    answer = asked(first, compare)
    return html_document(
        title_of("Metrics against people", source or first.human, evaluation.signature),
        element("p", sentences.best_sentence(first), class_="lede"),
        *(_answer(first, answer, evaluation) if answer else []),
        element("p", sentences.facts_sentence(evaluation), class_="facts"),
        *_warnings(evaluation),
        *_every(_part(evaluation, part, robustness, compare) for part in evaluation.parts),
        *_alignment(evaluation),
        *_method(evaluation),
    )


def asked(part: AgainstHuman, compare: tuple[str, str] | None) -> Verdict | None:
    """The verdict on the two metrics asked about, or on the two best."""
    if compare is None:
        return part.verdicts[0] if part.verdicts else None
    missing = [name for name in compare if name not in part.metrics]
    if missing:
        raise ValueError(
            f"There is no metric {missing[0]!r} to compare: there are {', '.join(part.metrics)}."
        )
    wanted = {part.metrics.index(name) for name in compare}
    found = [one for one in part.verdicts if {one.better, one.worse} == wanted]
    return found[0] if found else None


def _answer(part: AgainstHuman, verdict: Verdict, evaluation: Evaluation) -> list[Element]:
    said = sentences.verdict_sentences(part, verdict, evaluation.settings.alpha)
    return [element("p", text) for text in said]


def _every(parts: Iterable[list[Element]]) -> list[Element]:
    return [element for part in parts for element in part]


def _warnings(evaluation: Evaluation) -> list[Element]:
    if not evaluation.warnings:
        return []
    return [
        element("h2", "Read this first"),
        element("ul", *(element("li", sentence(text)) for text in evaluation.warnings)),
    ]


def _part(
    evaluation: Evaluation,
    part: AgainstHuman,
    robustness: Sequence[Robustness],
    compare: tuple[str, str] | None,
) -> list[Element]:
    checked = [one for one in robustness if one.human == part.human]
    told = part is evaluation.parts[0]  # at the top of the page
    return [
        element("h2", f"Against people's scores: {part.human}"),
        *([] if told else [element("p", sentences.best_sentence(part))]),
        element("p", sentences.ceiling_sentence(part)),
        *_level(part, part.caption, "Captions", evaluation),
        *_level(part, part.system, "Systems", evaluation),
        *_comparison(part, evaluation),
        *_odd_captions(part, evaluation, compare),
        *_every(
            [element("h3", finding.title), *laid_out(shown, show=headings.show)]
            for finding, shown in shown_findings(part, evaluation)
        ),
        *_every(_robustness(one) for one in checked),
    ]


def _level(
    part: AgainstHuman, level: LevelResult, heading: str, evaluation: Evaluation
) -> list[Element]:
    rows = tables.level_rows(part, level)
    defined = [row for row in rows if not math.isnan(row["pearson"])]
    parts = [element("h3", heading)]
    if not defined:
        return [*parts, element("p", f"No correlation is defined: {rows[0]['reason']}.")]
    drawn = pictures(part, evaluation)[f"correlations-{LEVELS[level.level]}"]
    columns = headings.CAPTION_HEADINGS if level.level == "caption" else headings.SYSTEM_HEADINGS
    if part.reliability is None:
        columns = _without(columns, "pearson_corrected")
    if not any(row["reason"] for row in rows):
        columns = _without(columns, "reason")
    return [*parts, chart(drawn.spec, drawn.caption), table(rows, columns)]


def _comparison(part: AgainstHuman, evaluation: Evaluation) -> list[Element]:
    parts = [element("h3", "Pairwise comparison of metrics")]
    said = (sentences.flipped_sentence(part), sentences.alike_sentence(part))
    parts += [element("p", text) for text in said if text]
    for level, name in ((part.caption, "captions"), (part.system, "systems")):
        rows = tables.comparison_rows(part, level)
        if not rows:
            parts.append(element("p", f"There is too little data to compare metrics over {name}."))
            continue
        drawn = pictures(part, evaluation)[f"williams-{name}"]
        parts += [
            chart(drawn.spec, drawn.caption),
            folded(f"Every test over {name}", rows, headings.WILLIAMS),
        ]
    return parts


def _odd_captions(
    part: AgainstHuman, evaluation: Evaluation, compare: tuple[str, str] | None
) -> list[Element]:
    parts = [element("h3", "Outliers")]
    answer = asked(part, compare)
    if answer is not None:
        if part is not evaluation.parts[0]:
            parts += _answer(part, answer, evaluation)
        rows = caption_tables.part_verdict_rows(part)
        summary = "Every two metrics, with and without outliers"
        parts.append(folded(summary, rows, headings.VERDICTS))
        parts.append(_leaning(part, evaluation, answer))
    parts.append(element("p", sentences.filter_caution(evaluation.settings.placebo)))
    rows = [
        row | placebos(row) | gained(row)
        for row in caption_tables.part_filter_rows(part)
        if row["removed_for"] == "the metric"
    ]
    columns = headings.FILTERS
    if not evaluation.settings.placebo:
        columns = _without(columns, *placebos(rows[0]))
    parts.append(table(rows, columns))
    shown = (answer.better, answer.worse) if answer else (0,)
    return [*parts, *_every(_outliers(part, evaluation, metric) for metric in shown)]


def placebos(row: Row) -> Row:
    """Where 95 % of the placebos lie, in one cell."""
    return {
        f"{name}_placebo": SPAN.join(number(row[f"{name}_placebo_{end}"], 3) for end in ENDS)
        for name in ("pearson", "kendall_c")
    }


def gained(row: Row) -> Row:
    """By how much the filter raises τ-c, as vision-language-2022 (Table 4) has it.

    >>> gained({"kendall_c_before": 0.2, "kendall_c_after": 0.25})
    {'kendall_c_gain_percent': 25.0}
    """
    before, after = row["kendall_c_before"], row["kendall_c_after"]
    gain = 100 * (after - before) / abs(before) if before else math.nan
    return {"kendall_c_gain_percent": round(gain, 9)}


def _leaning(part: AgainstHuman, evaluation: Evaluation, verdict: Verdict) -> Element:
    """The captions that a difference rests on, to be read."""
    better, worse = part.metrics[verdict.better], part.metrics[verdict.worse]
    rows = caption_tables.strongest_captions(evaluation, part, verdict)
    columns = {**headings.CAPTIONS, "better_score": better, "worse_score": worse}
    summary = f"The {len(rows):,} captions that speak most for {better} and against {worse}"
    return folded(summary, rows, _quoted(columns, evaluation))


def _quoted(columns: Mapping[str, str], evaluation: Evaluation) -> Mapping[str, str]:
    """With the texts of captions, where they are known."""
    quoted = {} if evaluation.joined.texts is None else {"caption": "Caption"}
    return {**columns, **quoted}


def _outliers(part: AgainstHuman, evaluation: Evaluation, metric: int) -> list[Element]:
    linear, name = part.filters[0], part.metrics[metric]
    rows = caption_tables.metric_outliers(evaluation, part, linear, metric)
    if not rows:
        return []
    caption = (
        f"Captions by {name} and people ({part.human}). Squares are the {len(rows):,} that the "
        f"linear filter removes ({headings.DIRECTIONS[linear.outliers.direction]}, Cook's "
        f"distance above {evaluation.settings.factor:g} times the mean)."
    )
    spec = scatter_spec(_points(part, metric), human=part.human, metric=name)
    columns = _quoted(headings.OUTLIERS, evaluation)
    return [chart(spec, caption), folded(f"Outliers of {name}", rows, columns)]


def _points(part: AgainstHuman, metric: int) -> list[Row]:
    out = part.filters[0].outliers.removed[:, metric]
    plain = np.flatnonzero(~out)
    step = max(1, math.ceil(len(plain) / MOST_POINTS))
    shown = np.concatenate([plain[::step], np.flatnonzero(out)])
    return [
        {
            "metric": float(part.rows.metrics[row, metric]),
            "people": float(part.rows.human[row]),
            "fit": ODD if out[row] else USUAL,
        }
        for row in shown.tolist()
    ]


def _robustness(checked: Robustness) -> list[Element]:
    parts = [element("h3", "When captions, references or quality change")]
    parts += [element("p", sentence(note)) for note in checked.notes]
    for check in dict.fromkeys(finding.check for finding in checked.findings):
        found = [finding for finding in checked.findings if finding.check == check]
        metrics = list(dict.fromkeys(finding.metric for finding in found))
        rows = tables.condition_rows(found)
        columns = {"condition": check.capitalize(), "n": "n", **{name: name for name in metrics}}
        said = f" {curve_sentence(curve_rows(found))}" if check == NUMBERS else ""
        parts += [element("p", sentences.CHECKED[check] + said), table(rows, columns)]
        if check == NUMBERS:
            parts += [chart(one.spec, one.caption) for one in reference_pictures(checked)]
    return parts


def _alignment(evaluation: Evaluation) -> list[Element]:
    shift = int(evaluation.facts.get("shift", "0"))
    parts = [
        element("h2", "Do scores and captions match?"),
        element("p", sentences.alignment_sentence(evaluation.alignment, shift)),
    ]
    rows = tables.alignment_rows(evaluation)
    return (
        [*parts, folded("Every metric at every shift", rows, headings.ALIGNMENT)] if rows else parts
    )


def _method(evaluation: Evaluation) -> list[Element]:
    rows = [{"name": name, "value": value} for name, value in evaluation.signature.parts]
    said = (
        "All metrics are compared on the same captions. A system's score is the mean over its "
        "captions, for people and metrics alike. Intervals resample videos with all their "
        f"captions. {sentences.SYSTEMS_FIXED} The permutation test exchanges two metrics for whole "
        "videos at a time. The same scores with the same settings give the same numbers."
    )
    return [
        element("h2", "How it was computed"),
        element("p", said),
        table(rows, {"name": "Setting", "value": "Value"}),
        element("p", str(evaluation.signature), class_="signature"),
    ]


def _without(columns: Mapping[str, str], *names: str) -> dict[str, str]:
    return {column: text for column, text in columns.items() if column not in names}


def table(rows: Sequence[Row], columns: Mapping[str, str]) -> Element:
    return document.table(rows, columns, show=headings.show)


def folded(summary: str, rows: Sequence[Row], columns: Mapping[str, str]) -> Element:
    return document.folded(summary, rows, columns, show=headings.show)
