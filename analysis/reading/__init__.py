"""Ratings from files: our own formats, and those of other people's tools."""

from __future__ import annotations

from pathlib import Path

from analysis.reading import appraise, authors, delimited, jsonlines, mturk, parquet
from analysis.reading.files import RatingsFile, beginning, fault

__all__ = ["RatingsFile", "read_ratings"]


def read_ratings(path: Path | str, *, hits: Path | str | None = None) -> RatingsFile:
    """Read a file of ratings, whoever collected them. How it begins tells what it is.

    Parameters
    ----------
    path
        CSV, TSV, JSON lines or Parquet with the columns of a ratings file; a Mechanical Turk batch
        result; the Direct Assessment authors' score files; or Appraise's CSV export.
    hits
        The `hits.csv` the HITs were made from, where a batch result does not say what was rated.

    Raises
    ------
    RatingsError
        With file and line of the first faults.
    OSError
        When a file cannot be opened.
    """
    source = Path(path)
    start = beginning(source)
    if start.is_parquet:
        return parquet.read(source)
    if not start.line:
        raise fault(source, None, "the file is empty")
    if start.line.lstrip().startswith(("{", "[")):
        return jsonlines.read(source)
    if mturk.recognises(start):
        return mturk.read(source, start, Path(hits) if hits else None)
    if authors.recognises(start):
        return authors.read(source, start)
    if appraise.recognises(start):
        return appraise.read(source, start)
    return delimited.read(source, start)
