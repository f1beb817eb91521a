"""Results as tables and files: CSV, Parquet, JSON. Pure: an analysis in, bytes out.

The same analysis gives the same bytes. What is not defined is NaN in CSV and null in JSON. Files
are written piece by piece, so that a million rows take no more memory than a few thousand.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.pipeline import Analysis
from analysis.spreadsheets import defused
from analysis.stats.quality import FAILED, INSUFFICIENT, PASSED
from analysis.stats.ratings import KINDS, Ratings

if TYPE_CHECKING:
    import pyarrow as pa

    from analysis.stats.sensitivity import ThresholdSensitivity
    from analysis.trust import Trust

Table = Mapping[str, NDArray[Any]]
Pieces = Iterable[Table]
"""One or more tables with the same columns, whose rows follow each other."""


def annotators_table(analysis: Analysis) -> Table:
    """Who rated how much, who passed quality control and why."""
    quality = analysis.quality
    flags = [
        ";".join([INSUFFICIENT, *raised] if status == INSUFFICIENT else raised)
        for status, raised in zip(quality.status, analysis.flags, strict=True)
    ]
    return {
        "annotator": _texts(analysis.ratings.annotators),
        "ratings": analysis.standardised.ratings,
        "pairs": quality.pairs.n,
        "statistic": quality.pairs.statistic,
        "p": quality.pairs.p,
        "passed": quality.passed,
        "mean": analysis.standardised.mean,
        "sd": analysis.standardised.sd,
        "repeat_p": quality.repeats.p,
        "flags": _texts(flags),
    }


def captions_table(analysis: Analysis) -> Table:
    """Score of every caption with a usable rating, by system and item."""
    captions = analysis.captions
    return {
        "system": _texts(analysis.ratings.systems)[captions.system],
        "item": _texts(analysis.ratings.items)[captions.item],
        "raw": captions.raw,
        "z": captions.z,
        "n": captions.n,
    }


def systems_table(analysis: Analysis) -> Table:
    """The ranking, best first; systems without a usable rating at the end."""
    order = analysis.competing
    systems, ranking, intervals = analysis.systems, analysis.ranking, analysis.intervals
    columns = {
        "raw": systems.raw,
        "z": systems.z,
        "captions": systems.captions,
        "ratings": systems.ratings,
        "wins": ranking.wins,
        "rank_low": ranking.rank_low,
        "rank_high": ranking.rank_high,
        "z_low": intervals.z_low,
        "z_high": intervals.z_high,
    }
    names = {"system": _texts(analysis.ratings.systems)}
    return {name: values[order] for name, values in (names | columns).items()}


def significance_table(analysis: Analysis) -> Table:
    """Every ordered pair of systems, both in the order of the ranking."""
    order = analysis.competing
    better, worse = (axis.ravel() for axis in np.meshgrid(order, order, indexing="ij"))
    better, worse = better[better != worse], worse[better != worse]
    names, ranking = _texts(analysis.ratings.systems), analysis.ranking
    return {
        "better": names[better],
        "worse": names[worse],
        "p": ranking.p[better, worse],
        "p_holm": ranking.p_holm[better, worse],
        "p_bh": ranking.p_bh[better, worse],
    }


def ratings_table(ratings: Ratings, rows: slice = slice(None)) -> Table:
    """Ratings in the platform's own format (PROTOCOL §6), as a file of them would hold them."""
    table = {
        name: _texts(getattr(ratings, f"{name}s"))[getattr(ratings, name)[rows]]
        for name in ("annotator", "hit", "system", "item")
    }
    table |= {"kind": _texts(KINDS)[ratings.kind[rows]], "score": ratings.score[rows]}
    table |= {"seconds": ratings.seconds[rows]}
    if ratings.fluency is not None:
        table["fluency"] = ratings.fluency[rows]
    if ratings.position is not None:
        table["position"] = ratings.position[rows]
    if ratings.submitted_at is not None:
        moments = np.datetime_as_string(ratings.submitted_at[rows], unit="ms", timezone="UTC")
        table["submitted_at"] = _texts(moments.tolist())
    return table


TABLES: Final[Mapping[str, Callable[[Analysis], Table]]] = {
    "annotators": annotators_table,
    "captions": captions_table,
    "systems": systems_table,
    "significance": significance_table,
}


def write_csv(stream: IO[bytes], pieces: Pieces, signature: str) -> None:
    """Comma-separated values. The signature has a file of its own: CSV knows no comments."""
    for number, piece in enumerate(pieces):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if number == 0:
            writer.writerow(defused(name) for name in piece)
        writer.writerows(zip(*(_csv_cells(*column) for column in piece.items()), strict=True))
        stream.write(text.getvalue().encode())


def write_json(stream: IO[bytes], pieces: Pieces, signature: str) -> None:
    """The signature, and one row to a line."""
    stream.write(f'{{\n"signature": {_compact(signature)},\n"rows": ['.encode())
    before = "\n"
    for piece in pieces:
        for row in records(piece):
            stream.write(f"{before}{_compact(row)}".encode())
            before = ",\n"
    stream.write(b"]\n}\n" if before == "\n" else b"\n]\n}\n")


def write_parquet(stream: IO[bytes], pieces: Pieces, signature: str) -> None:
    """Each piece is a row group."""
    import pyarrow.parquet as pq

    rest = iter(pieces)
    first = arrow(next(rest)).replace_schema_metadata({"signature": signature})
    with pq.ParquetWriter(stream, first.schema) as writer:
        writer.write_table(first)
        for piece in rest:
            writer.write_table(arrow(piece).cast(first.schema))


WRITERS: Final[Mapping[str, Callable[[IO[bytes], Pieces, str], None]]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "json": write_json,
}


def _whole(format: str, table: Table, signature: str) -> bytes:
    stream = io.BytesIO()
    WRITERS[format](stream, [table], signature)
    return stream.getvalue()


FORMATS: Final[Mapping[str, Callable[[Table, str], bytes]]] = {
    format: partial(_whole, format) for format in WRITERS
}
"""A table of a few rows at once, as bytes."""
as_csv: Final = FORMATS["csv"]


def report_json(analysis: Analysis, notes: Sequence[str] = (), trust: Trust | None = None) -> bytes:
    """Everything but the captions, for programs to read."""
    quality, intervals, order = analysis.quality, analysis.intervals, analysis.competing
    ranks = {"rank_interval_low": intervals.rank_low[order]}
    ranks |= {"rank_interval_high": intervals.rank_high[order]}
    repeats = {"status": _texts(quality.status), "repeats": quality.repeats.n}
    repeats |= {"repeat_distance": quality.repeat_distance}
    means = {"degraded_mean": quality.degraded_mean, "original_mean": quality.original_mean}
    return _json(
        {
            "signature": str(analysis.signature),
            "settings": analysis.signature.as_dict(),
            "notes": list(notes),
            "counts": counts(analysis),
            "systems": records({**systems_table(analysis), **ranks}),
            "significance": records(significance_table(analysis)),
            "annotators": records({**annotators_table(analysis), **repeats, **means}),
            "trust": trust_record(analysis, trust) if trust else None,
        }
    )


def trust_record(analysis: Analysis, trust: Trust) -> dict[str, Any]:
    """What says how far to trust the ranking, None for what is not defined."""
    agreement = {
        "krippendorff_z": asdict(trust.alpha_z),
        "krippendorff_raw": asdict(trust.alpha_raw),
        "intraclass": [asdict(result) for result in trust.intraclass],
        "annotator_pairs": trust.pairwise.pairs,
        "kendall": trust.pairwise.mean_kendall,
        "spearman": trust.pairwise.mean_spearman,
    }
    found = {
        "agreement": agreement,
        "effective_annotators": trust.effective_annotators,
        "replication_z": asdict(trust.replication),
        "replication_raw": asdict(trust.replication_raw),
        "thresholds": threshold_rows(trust.sensitivity) if trust.sensitivity else [],
        "ties": tie_rows(analysis, trust),
        "anytime": anytime_rows(analysis, trust),
        "mixed_model": _mixed_record(analysis, trust),
    }
    plain: dict[str, Any] = _plain(found)
    return plain


def threshold_rows(sensitivity: ThresholdSensitivity) -> list[dict[str, Any]]:
    """The ranking under each quality threshold, beside the band of random drops."""
    columns = {
        "threshold": sensitivity.thresholds,
        "kept": sensitivity.kept,
        "tau": sensitivity.tau,
        "low": sensitivity.tau_low,
        "high": sensitivity.tau_high,
    }
    return records(columns)


def tie_rows(analysis: Analysis, trust: Trust) -> list[dict[str, Any]]:
    """Systems not told apart, and the ratings that would."""
    names = analysis.ratings.systems
    return [
        asdict(pair) | {"better": names[pair.better], "worse": names[pair.worse]}
        for pair in trust.separations
    ]


def anytime_rows(analysis: Analysis, trust: Trust) -> list[dict[str, Any]]:
    """Differences of every two systems with intervals that hold at every look."""
    names, order = analysis.ratings.systems, analysis.ranking.order.tolist()
    return [
        {
            "better": names[above],
            "worse": names[below],
            "difference": float(trust.anytime.difference[above, below]),
            "low": float(trust.anytime.low[above, below]),
            "high": float(trust.anytime.high[above, below]),
            "decided": bool(trust.anytime.better[above, below]),
        }
        for place, above in enumerate(order)
        for below in order[place + 1 :]
    ]


def mixed_rows(analysis: Analysis, trust: Trust) -> list[dict[str, Any]]:
    """Means of the mixed model in the order of the ranking."""
    model = trust.mixed
    if model is None:
        return []
    return [
        {
            "system": analysis.ratings.systems[code],
            "mean": float(model.mean[code]),
            "standard_error": float(model.standard_error[code]),
        }
        for code in analysis.ranking.order
    ]


def _mixed_record(analysis: Analysis, trust: Trust) -> dict[str, Any] | None:
    model = trust.mixed
    if model is None:
        return None
    deviations = {name: getattr(model, name) for name in ("sd_annotator", "sd_item", "sd_residual")}
    return {"systems": mixed_rows(analysis, trust), **deviations, "deviance": model.deviance}


def counts(analysis: Analysis) -> dict[str, int]:
    """How much there was, and how much of it the ranking uses."""
    status = analysis.quality.status
    return {
        "ratings": len(analysis.ratings),
        "ratings_used": int(analysis.captions.n.sum()),
        "ratings_without_z": analysis.undefined,
        "annotators": len(status),
        "annotators_used": int(analysis.used.sum()),
        **{f"annotators_{name}": status.count(name) for name in (PASSED, FAILED, INSUFFICIENT)},
        "captions": len(analysis.captions.n),
        "systems": len(analysis.competing),
    }


def records(table: Table) -> list[dict[str, Any]]:
    """One dictionary per row, None for what is not defined."""
    columns = [_plain_cells(name, column) for name, column in table.items()]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(labels: Sequence[str]) -> NDArray[Any]:
    return np.array(labels, dtype=object)


def arrow(table: Table) -> pa.Table:
    """As Arrow has it. A column of texts is one without any row, too: Arrow would not know."""
    import pyarrow as pa

    return pa.table(
        {
            name: pa.array(column, pa.string() if column.dtype == object else None)
            for name, column in table.items()
        }
    )


def _csv_cells(name: str, column: NDArray[Any]) -> list[object]:
    if column.dtype == object:
        return [defused(text) for text in column]
    if column.dtype == bool:
        return ["true" if value else "false" for value in column]
    return ["NaN" if value is None else value for value in _plain_cells(name, column)]


def _plain_cells(name: str, column: NDArray[Any]) -> list[Any]:
    """Python values: ranks as whole numbers, None for NaN, infinity in words."""
    values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return values
    number = int if name.startswith("rank_") else float
    return [_plain_number(value, number) for value in values]


def _plain(value: Any) -> Any:
    """The same with numbers as JSON knows them, however deep."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return _plain_number(value, float) if isinstance(value, float) else value


def _plain_number(value: float, number: Callable[[float], float]) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return number(value)


def _json(content: Mapping[str, object]) -> bytes:
    """One member, and in a list of records one record, to a line: quick to write and to read."""
    members = (f"{_compact(name)}: {_json_value(value)}" for name, value in content.items())
    return ("{\n" + ",\n".join(members) + "\n}\n").encode()


def _json_value(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(_compact(record) for record in value) + "\n]"
    return _compact(value)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
