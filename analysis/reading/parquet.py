"""Our own ratings file as Parquet."""

from __future__ import annotations

from pathlib import Path

from analysis.reading.files import RatingsFile, checked, fault
from analysis.stats.ratings import OPTIONAL, REQUIRED
from daplatform.tables import Kind

LABELS = ["annotator", "hit", "system", "item", "kind"]


def read(path: Path) -> RatingsFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        there = pq.read_schema(path).names
        file = pq.ParquetFile(path, read_dictionary=[name for name in LABELS if name in there])
        wanted = [name for name in (*REQUIRED, *OPTIONAL) if name in there]
        columns = {name: file.read([name])[name] for name in wanted}
    except (pa.ArrowInvalid, OSError) as error:
        raise fault(
            path,
            None,
            f"This Parquet file cannot be read ({error}).",
            "Write it again.",
            Kind.UNREADABLE_FILE,
        ) from error
    others = {name: None for name in there if name not in wanted}
    ratings = checked(path, columns | others, lambda row: row + 1, unit="row")
    return RatingsFile(ratings, "ratings file (Parquet)")
