"""Ratings from files: our own formats, and those of other people's tools."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from analysis.reading import appraise, authors, mturk, own
from analysis.reading.files import RatingsFile, beginning, fault, plain
from daplatform.tables import FirstFault, Kind

__all__ = ["RatingsFile", "read_ratings"]


def read_ratings(
    path: Path | str, *, hits: Path | str | None = None, pair: str | None = None
) -> RatingsFile:
    """Read a file of ratings, whoever collected them. How it begins tells what it is.

    Parameters
    ----------
    path
        CSV, JSON lines, Parquet or a sheet with the columns of a ratings file; a Mechanical Turk
        batch result; the Direct Assessment authors' score files; or Appraise's CSV export.
    hits
        The `hits.csv` the HITs were made from, where a batch result does not say what was rated.
    pair
        Source and target language, as in "de-en", where a file of the authors' or of Appraise
        holds several; written as the file writes them.

    Raises
    ------
    TableError
        With file and line of the first faults: of the ratings, or of the file that holds them.
    OSError
        When a file cannot be opened.
    """
    faults = FirstFault()
    hits_file = plain(Path(hits), faults) if hits else nullcontext()
    with plain(Path(path), faults) as source, hits_file as sheet:
        file = _read(source, sheet, pair)
    return replace(file, notes=(*faults.notes, *file.notes))


def _read(source: Path, hits: Path | None, pair: str | None) -> RatingsFile:
    start = beginning(source)
    is_batch = mturk.recognises(start)
    if not is_batch and authors.recognises(start):
        return authors.read(source, start, pair)
    if not is_batch and appraise.recognises(start):
        return appraise.read(source, start, pair)
    if pair is not None:
        raise fault(
            source,
            None,
            f"The file names no languages, so {pair!r} is not among them.",
            "Leave out --pair.",
        )
    if start.is_parquet:
        return own.read_parquet(source)
    if not start.line:
        raise fault(
            source, None, "The file is empty.", "Save it again with its rows.", Kind.EMPTY_FILE
        )
    if start.line.lstrip().startswith(("{", "[")):
        return own.read_json_lines(source)
    return mturk.read(source, start, hits) if is_batch else own.read_delimited(source, start)
