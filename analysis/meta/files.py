"""Every file of an evaluation, by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from analysis.exports import FORMATS, Table, records
from analysis.meta import caption_tables, tables
from analysis.meta.fusing import FusedMetric, FusionResult, write_fusion
from analysis.meta.latex import correlations_table, williams_matrix
from analysis.meta.pipeline import AgainstHuman, Evaluation
from analysis.meta.report import report_html, williams_picture
from analysis.meta.robustness.checks import Robustness
from analysis.meta.tables import Row

_TABLES: Final[dict[str, tuple[Callable[[Evaluation], list[Row]], Sequence[str]]]] = {
    "correlations": (tables.correlation_rows, tables.CORRELATIONS),
    "correlations_by_system": (tables.by_system_rows, tables.BY_SYSTEM),
    "correlations_by_video": (tables.by_video_rows, tables.BY_VIDEO),
    "williams": (tables.williams_rows, tables.WILLIAMS),
    "outliers": (caption_tables.outlier_rows, caption_tables.OUTLIERS),
    "filters": (caption_tables.filter_rows, caption_tables.FILTERS),
    "verdicts": (caption_tables.verdict_rows, caption_tables.VERDICTS),
    "fusion": (tables.fusion_rows, tables.FUSION),
    "alignment": (tables.alignment_rows, tables.ALIGNMENT),
    "unmatched": (tables.unmatched_rows, tables.UNMATCHED),
}
_REPORTED: Final = (
    "correlations",
    "williams",
    "filters",
    "verdicts",
    "fusion",
    "alignment",
    "robustness",
)
FUSION: Final = "fusion-{}.json"
PICTURE: Final = "williams-{}.svg"
LATEX: Final = ("correlations.tex", "williams.tex")


def evaluation_files(
    evaluation: Evaluation,
    *,
    format: str = "csv",
    latex: bool = False,
    robustness: Sequence[Robustness] = (),
    compare: tuple[str, str] | None = None,
) -> dict[str, bytes]:
    """Content of every file of the folder."""
    write, signature = FORMATS[format], str(evaluation.signature)
    made = {name: table(rows(evaluation), columns) for name, (rows, columns) in _TABLES.items()}
    made["robustness"] = table(tables.robustness_rows(robustness), tables.ROBUSTNESS)
    files = {f"{name}.{format}": write(content, signature) for name, content in made.items()}
    files |= {FUSION.format(_slug(one.human)): write_fusion(one) for one in fused(evaluation)}
    files |= {
        PICTURE.format(_slug(part.human)): picture.encode()
        for part in evaluation.parts
        if (picture := williams_picture(part, evaluation.settings.alpha))
    }
    if latex:
        texts = (correlations_table(evaluation), williams_matrix(evaluation))
        files |= {name: text.encode() for name, text in zip(LATEX, texts, strict=True)}
    files["report.json"] = _json(evaluation, {name: made[name] for name in _REPORTED})
    files["report.html"] = report_html(evaluation, robustness=robustness, compare=compare).encode()
    files["signature.txt"] = f"{signature}\n".encode()
    return files


def known_names(humans: Iterable[str]) -> set[str]:
    """Every file name an evaluation may write."""
    named = {f"{name}.{format}" for name in (*_TABLES, "robustness") for format in FORMATS}
    pictures = {form.format(_slug(human)) for human in humans for form in (FUSION, PICTURE)}
    return {*named, *pictures, *LATEX, "report.json", "report.html", "signature.txt"}


def _slug(name: str) -> str:
    """A name that can be part of a file's, whatever somebody called a column."""
    return re.sub(r"\W+", "-", name)


def fused(evaluation: Evaluation) -> list[FusedMetric]:
    """The mix of metrics for each column of human scores, ready to be applied elsewhere."""
    return [
        _fused(evaluation, part, part.fusion)
        for part in evaluation.parts
        if part.fusion is not None
    ]


def _fused(evaluation: Evaluation, part: AgainstHuman, found: FusionResult) -> FusedMetric:
    return FusedMetric(
        metrics=tuple(part.metrics[at] for at in found.metrics),
        fusion=found.fusion,
        human=part.human,
        captions=len(part.rows),
        signature=str(evaluation.signature),
    )


def table(rows: Sequence[Row], columns: Sequence[str]) -> Table:
    """Columns of the rows' values; what a row lacks is not defined, or an empty text."""
    made: dict[str, Any] = {}
    for name in columns:
        cells = [row.get(name) for row in rows]
        if any(isinstance(cell, str) for cell in cells) or not cells:
            made[name] = np.array([cell or "" for cell in cells], dtype=object)
        elif all(isinstance(cell, int) for cell in cells):
            made[name] = np.array(cells, dtype=np.int64)
        else:
            made[name] = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    return made


def _json(evaluation: Evaluation, made: dict[str, Table]) -> bytes:
    content = {
        "signature": evaluation.signature.as_dict(),
        "warnings": list(evaluation.warnings),
        "captions": len(evaluation.joined),
        "shift_found": evaluation.alignment.found,
        **{name: records(content) for name, content in made.items()},
    }
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
