"""Tables out of files, whatever program saved them: one reader and one kind of fault for all.

CSV with any usual separator, JSON lines, Excel and OpenDocument sheets, each of them perhaps
compressed with gzip, in UTF-8, UTF-16 or Windows-1252.

faults = Faults()
for line, (video, caption) in read_table(path, Columns(("video", "caption")), faults):
    ...
for fault in faults:
    print(fault)
"""

from __future__ import annotations

from daplatform.tables.faults import (
    SHOWN,
    Fault,
    Faults,
    FirstFault,
    Kind,
    Severity,
    TableError,
    Where,
    counted,
    quoted,
    shown,
    suggestion,
)
from daplatform.tables.lines import count_lines, is_readable, read_lines, sha256_of
from daplatform.tables.plain import MEGABYTE, PARQUET, Bounds, plain_text
from daplatform.tables.rows import (
    SUFFIXES,
    Breaks,
    Columns,
    find_table,
    read_table,
    records,
    separator,
)

__all__ = [
    "MEGABYTE",
    "PARQUET",
    "SHOWN",
    "SUFFIXES",
    "Bounds",
    "Breaks",
    "Columns",
    "Fault",
    "Faults",
    "FirstFault",
    "Kind",
    "Severity",
    "TableError",
    "Where",
    "count_lines",
    "counted",
    "find_table",
    "is_readable",
    "plain_text",
    "quoted",
    "read_lines",
    "read_table",
    "records",
    "separator",
    "sha256_of",
    "shown",
    "suggestion",
]
