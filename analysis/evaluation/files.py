"""Every file of an evaluation by name, each made when it is asked for. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np

from analysis.evaluation import caption_tables, system_tables, tables
from analysis.evaluation.latex import correlations_table, williams_matrix
from analysis.evaluation.naming import named, named_checks
from analysis.evaluation.pictures import pictures, reference_pictures, slug
from analysis.evaluation.pipeline import Evaluation
from analysis.evaluation.registry import evaluation_findings
from analysis.evaluation.report import report_html
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.tables import Row
from analysis.metrics.families.fusion import fusion_json
from analysis.presenting.charts import Spec
from analysis.presenting.document import can_draw, draw_png, picture
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.exports import Table, records
from analysis.results import files
from analysis.results.files import Maker

TABLES: Final[dict[str, tuple[Callable[[Evaluation], list[Row]], Sequence[str]]]] = {
    "correlations": (tables.correlation_rows, tables.CORRELATIONS),
    "correlations_by_system": (tables.by_system_rows, tables.BY_SYSTEM),
    "correlations_by_video": (tables.by_video_rows, tables.BY_VIDEO),
    "williams": (tables.williams_rows, tables.WILLIAMS),
    "systems": (system_tables.systems_of, system_tables.SYSTEMS),
    "outliers": (caption_tables.outlier_rows, caption_tables.OUTLIERS),
    "filters": (caption_tables.filter_rows, caption_tables.FILTERS),
    "verdicts": (caption_tables.verdict_rows, caption_tables.VERDICTS),
    "fusion": (tables.fusion_rows, tables.FUSION),
    "alignment": (tables.alignment_rows, tables.ALIGNMENT),
    "unmatched": (lambda evaluation: tables.unmatched_rows(evaluation.joined), tables.UNMATCHED),
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


def evaluation_files(
    evaluation: Evaluation,
    *,
    robustness: Sequence[Robustness] = (),
    compare: tuple[str, str] | None = None,
    mean_of_scores: bool = False,
    source: str = "",
) -> dict[str, Maker]:
    """What makes each file, by its name."""
    tables_of = partial(evaluation_table, evaluation, robustness, mean_of_scores)
    made: dict[str, Maker] = {
        f"{name}.{format}": partial(_table, tables_of, name, format, str(evaluation.signature))
        for name in (*TABLES, "robustness", *_registered())
        for format in table_formats()
    }
    made |= {name: partial(bytes, content) for name, content in fusions(evaluation).items()}
    shown, checked = named(evaluation), named_checks(robustness, evaluation.joined.labels)
    drawn = [one for part in shown.parts for one in pictures(part, shown).values()]
    for one in [*drawn, *chain.from_iterable(map(reference_pictures, checked))]:
        made[f"{one.name}.svg"] = partial(_svg, one.spec)
        made[f"{one.name}.png"] = partial(draw_png, one.spec)
    return made | {
        "correlations.tex": lambda: correlations_table(shown).encode(),
        "williams.tex": lambda: williams_matrix(shown).encode(),
        "report.json": lambda: _json(evaluation, tables_of),
        "report.html": lambda: report_html(
            evaluation, robustness=robustness, compare=compare, source=source
        ).encode(),
        "signature.txt": lambda: f"{evaluation.signature}\n".encode(),
    }


def evaluation_table(
    evaluation: Evaluation, robustness: Sequence[Robustness], mean_of_scores: bool, name: str
) -> Table:
    if name == "robustness":
        return table(tables.robustness_rows(robustness), tables.ROBUSTNESS)
    if name == "correlations" and mean_of_scores:
        every = [*tables.correlation_rows(evaluation), *tables.mean_rows(evaluation)]
        return table(every, tables.CORRELATIONS)
    rows, columns = (TABLES | _registered())[name]
    return table(rows(evaluation), columns)


def _registered() -> dict[str, tuple[Callable[[Evaluation], list[Row]], Sequence[str]]]:
    """Tables of findings."""
    return {
        finding.name: (finding.rows, finding.columns)
        for finding in evaluation_findings()
        if finding.rows is not None
    }


def _table(tables_of: Callable[[str], Table], name: str, format: str, signature: str) -> bytes:
    return table_file(tables_of(name), format, signature)


def _svg(spec: Spec) -> bytes:
    return picture(spec).encode()


def chosen_names(names: Iterable[str], *, format: str, latex: bool) -> list[str]:
    """Files that the command writes: tables of one format, pictures where they can be drawn."""
    pictures = [name for name in names if name.endswith((".svg", ".png")) and can_draw()]
    fusions = [name for name in names if name.startswith("fusion-")]
    chosen = files.chosen_names(names, format=format, latex=latex)
    return list(dict.fromkeys([*chosen, *pictures, *fusions]))


def fusions(evaluation: Evaluation) -> dict[str, bytes]:
    """The mix of metrics for each column of human scores, as a metric to be applied elsewhere."""
    return {
        FUSION.format(slug(part.human)): fusion_json(
            part.fusion.fusion,
            tuple(part.metrics[at] for at in part.fusion.metrics),
            part.human,
            str(evaluation.signature),
            evaluation.joined.learned_from(part.rows.caption_videos, part.rows.caption_systems),
        )
        for part in evaluation.parts
        if part.fusion is not None
    }


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


def _json(evaluation: Evaluation, tables_of: Callable[[str], Table]) -> bytes:
    content = {
        "signature": evaluation.signature.as_dict(),
        "warnings": list(evaluation.warnings),
        "captions": len(evaluation.joined),
        "shift_found": evaluation.alignment.found,
        **{name: records(tables_of(name)) for name in (*_REPORTED, *_registered())},
    }
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
