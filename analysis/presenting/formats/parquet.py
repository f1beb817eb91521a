"""Parquet, with the signature in its metadata; each piece is a row group."""

from __future__ import annotations

from typing import IO, Final

from analysis.presenting.downloads import Download, Format
from analysis.presenting.exports import arrow


def write(stream: IO[bytes], download: Download) -> None:
    import pyarrow.parquet as pq

    rest = download.pieces()
    first = arrow(next(rest)).replace_schema_metadata({"signature": download.signature})
    with pq.ParquetWriter(stream, first.schema) as writer:
        writer.write_table(first)
        for piece in rest:
            writer.write_table(arrow(piece).cast(first.schema))


FORMATS: Final = (Format("parquet", "Parquet", "application/vnd.apache.parquet", write, place=3),)
