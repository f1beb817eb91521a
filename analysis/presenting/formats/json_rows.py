"""JSON: the signature, and one row to a line."""

from __future__ import annotations

from typing import IO, Final

from analysis.presenting.downloads import Download, Format
from analysis.presenting.exports import compact, records


def write(stream: IO[bytes], download: Download) -> None:
    stream.write(f'{{\n"signature": {compact(download.signature)},\n"rows": ['.encode())
    before = "\n"
    for piece in download.pieces():
        for row in records(piece):
            stream.write(f"{before}{compact(row)}".encode())
            before = ",\n"
    stream.write(b"]\n}\n" if before == "\n" else b"\n]\n}\n")


FORMATS: Final = (Format("json", "JSON", "application/json", write, place=2),)
