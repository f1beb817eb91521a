"""Ratings from files: our own formats, and those of other people's tools."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from analysis.reading import appraise, authors, delimited, jsonlines, mturk, parquet
from analysis.reading.files import RatingsFile, beginning, fault, plain
from daplatform.tables import FirstFault

__all__ = ["RatingsFile", "read_ratings"]


def read_ratings(path: Path | str, *, hits: Path | str | None = None) -> RatingsFile:
    """Read a file of ratings, whoever collected them. How it begins tells what it is.

    Parameters
    ----------
    path
        CSV, JSON lines, Parquet or a sheet with the columns of a ratings file; a Mechanical Turk
        batch result; the Direct Assessment authors' score files; or Appraise's CSV export.
    hits
        The `hits.csv` the HITs were made from, where a batch result does not say what was rated.

    Raises
    ------
    RatingsError, TableError
        With file and line of the first faults: of the ratings, or of the file that holds them.
    OSError
        When a file cannot be opened.
    """
    faults = FirstFault()
    hits_file = plain(Path(hits), faults) if hits else nullcontext()
    with plain(Path(path), faults) as source, hits_file as sheet:
        file = _read(source, sheet)
    return replace(file, notes=(*faults.notes, *file.notes))


def _read(source: Path, hits: Path | None) -> RatingsFile:
    start = beginning(source)
    if start.is_parquet:
        return parquet.read(source)
    if not start.line:
        raise fault(source, None, "the file is empty")
    if start.line.lstrip().startswith(("{", "[")):
        return jsonlines.read(source)
    if mturk.recognises(start):
        return mturk.read(source, start, hits)
    if authors.recognises(start):
        return authors.read(source, start)
    if appraise.recognises(start):
        return appraise.read(source, start)
    return delimited.read(source, start)
