"""Writing many rows at once: COPY on PostgreSQL, batches of INSERT elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from django.db import connection, models

BATCH = 5_000
COPY_CHARACTERS = 1 << 20
# COPY's text format: these four would end a field, a row or begin an escape.
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def rows_write(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows, given as sequences in the order of `columns` (field attribute names)."""
    if connection.vendor == "postgresql":
        _copy(model, columns, rows)
    else:
        _insert(model, columns, rows)


def ids_reserve(model: type[models.Model], count: int) -> range:
    """Primary keys for `count` rows about to be written, so that they can point at each other."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            return _sequence_advance(cursor, table, count)
        # SQLite has one writer at a time, and this transaction is it.
        cursor.execute(f'SELECT COALESCE(MAX(id), 0) FROM "{table}"')  # noqa: S608 - our own table
        last = cursor.fetchone()[0]
    return range(last + 1, last + 1 + count)


def _sequence_advance(cursor: Any, table: str, count: int) -> range:
    """Move the sequence on by `count`; the lock keeps two reservations from overlapping."""
    cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
    sequence = cursor.fetchone()[0]
    cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [sequence])
    cursor.execute("SELECT nextval(%s)", [sequence])
    first = cursor.fetchone()[0]
    cursor.execute("SELECT setval(%s, %s)", [sequence, first + count - 1])
    return range(first, first + count)


def _insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    objects = (model(**dict(zip(columns, row, strict=True))) for row in rows)
    while batch := list(islice(objects, BATCH)):
        model._default_manager.bulk_create(batch)


def _copy(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    names = ", ".join(f'"{model._meta.get_field(name).column}"' for name in columns)
    statement = f'COPY "{model._meta.db_table}" ({names}) FROM STDIN'
    with connection.cursor() as cursor:
        for chunk in _chunks("\t".join(map(_field, row)) for row in rows):
            cursor.copy_expert(statement, io.StringIO(chunk))


def _chunks(lines: Iterator[str]) -> Iterator[str]:
    """Lines joined into texts of about a megabyte, so that memory stays flat."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size > COPY_CHARACTERS:
            yield "\n".join(held) + "\n"
            held, size = [], 0
    if held:
        yield "\n".join(held) + "\n"


def _field(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, str):
        return value.translate(ESCAPES)
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)
