"""Writing many rows at once: COPY on PostgreSQL, batches of INSERT elsewhere."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.db import IntegrityError, connection, models

BATCH = 5_000
COPY_BATCH = 20_000
HAS_PARAMETER_PRIVILEGE = 150_000  # the PostgreSQL version that brought it
Rows = Iterable[Sequence[Any]]


def rows_write(
    model: type[models.Model], columns: Sequence[str], rows: Rows, *, held: bool = True
) -> None:
    """Insert rows, given as sequences in the order of `columns` (field attribute names).

    Columns that are not named get no default of the model's on PostgreSQL. Without ``held``, which
    says that nothing the rows refer to can go away meanwhile, the database checks each reference.
    """
    if connection.vendor != "postgresql":
        _insert(model, columns, rows)
    elif held:
        with _references_checked_at_once(model, columns):
            _copy(model, columns, rows)
    else:
        _copy(model, columns, rows)


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
    """Move the sequence on by `count`, alone, so that no two reservations overlap."""
    _lock(cursor, table)
    cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
    sequence = cursor.fetchone()[0]
    cursor.execute("SELECT nextval(%s)", [sequence])
    first = cursor.fetchone()[0]
    cursor.execute("SELECT setval(%s, %s)", [sequence, first + count - 1])
    return range(first, first + count)


def _lock(cursor: Any, table: str) -> None:
    """One bulk writer per table at a time, until its transaction ends."""
    cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"bulk {table}"])


def _insert(model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
    objects = (model(**dict(zip(columns, row, strict=True))) for row in rows)
    while batch := list(islice(objects, BATCH)):
        model._default_manager.bulk_create(batch)


def _copy(model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
    known = {field.attname: field for field in model._meta.concrete_fields}
    fields = [known[name] for name in columns]
    names = ", ".join(f'"{field.column}"' for field in fields)
    # In COPY's CSV an empty field is NULL unless the column is told otherwise.
    filled = ", ".join(f'"{field.column}"' for field in fields if not field.null)
    statement = (
        f'COPY "{model._meta.db_table}" ({names}) FROM STDIN '
        f"WITH (FORMAT csv, FORCE_NOT_NULL ({filled}))"
    )
    remaining = _json_dumped(fields, rows)
    with connection.cursor() as cursor:
        while batch := list(islice(remaining, COPY_BATCH)):
            text = io.StringIO()
            csv.writer(text).writerows(batch)
            text.seek(0)
            with connection.wrap_database_errors:
                cursor.copy_expert(statement, text)


def _json_dumped(fields: Sequence[Any], rows: Rows) -> Iterator[Sequence[Any]]:
    """Rows as CSV can hold them."""
    places = [place for place, field in enumerate(fields) if isinstance(field, models.JSONField)]
    if not places:
        return iter(rows)
    return (
        [json.dumps(value) if place in places else value for place, value in enumerate(row)]
        for row in rows
    )


@contextmanager
def _references_checked_at_once(
    model: type[models.Model], columns: Sequence[str]
) -> Iterator[None]:
    """Check foreign keys with one join per key instead of one look-up per row and key.

    Row by row they cost more than the rest of COPY together. PostgreSQL lets a role pause them
    that may set session_replication_role (superusers, or GRANT SET ON PARAMETER); for any other
    role nothing changes here. The caller's transaction must hold what is referred to in place.
    """
    with connection.cursor() as cursor:
        if not _may_pause_checks(cursor):
            yield
            return
        _lock(cursor, model._meta.db_table)
        cursor.execute(f'SELECT COALESCE(MAX(id), 0) FROM "{model._meta.db_table}"')  # noqa: S608
        last = cursor.fetchone()[0]
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = origin")
        for name in columns:
            _references_exist(cursor, model, name, after=last)


def _may_pause_checks(cursor: Any) -> bool:
    if cursor.connection.server_version < HAS_PARAMETER_PRIVILEGE:
        return False
    cursor.execute("SELECT has_parameter_privilege('session_replication_role', 'SET')")
    return bool(cursor.fetchone()[0])


def _references_exist(cursor: Any, model: type[models.Model], name: str, *, after: int) -> None:
    field = model._meta.get_field(name)
    if not isinstance(field, models.ForeignKey):
        return
    table, target = model._meta.db_table, field.related_model._meta.db_table
    cursor.execute(
        f'SELECT 1 FROM "{table}" r LEFT JOIN "{target}" t ON t.id = r."{field.column}" '  # noqa: S608
        f'WHERE r.id > %s AND r."{field.column}" IS NOT NULL AND t.id IS NULL LIMIT 1',
        [after],
    )
    if cursor.fetchone():
        raise IntegrityError(f"{table}.{field.column} points at a row of {target} that is missing")
