"""The least that Excel and LibreOffice write: sheets for tests, made with zipfile alone."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | bool | None
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def write_xlsx(path: Path, *sheets: Sequence[Sequence[Cell]]) -> Path:
    """A workbook; a row of None leaves the row out, as Excel does."""
    return write_workbook(path, *(_xlsx_rows(rows) for rows in sheets))


def write_workbook(path: Path, *sheets: str) -> Path:
    """A workbook of sheets given as XML."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="Sheet {n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    related = "".join(
        f'<Relationship Id="r{n}" Type="{DOCUMENT}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    office = f'<Relationship Id="r" Type="{DOCUMENT}/officeDocument" Target="xl/workbook.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"/>',
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}">{office}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{DOCUMENT}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}">{related}'
        "</Relationships>",
    }
    parts |= {
        f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{rows}'
        "</sheetData></worksheet>"
        for n, rows in zip(numbers, sheets, strict=True)
    }
    return _zipped(path, parts)


def _xlsx_rows(rows: Sequence[Sequence[Cell]]) -> str:
    numbered = [(line, row) for line, row in enumerate(rows, start=1) if row]
    return "".join(f'<row r="{line}">{_xlsx_cells(line, row)}</row>' for line, row in numbered)


def _xlsx_cells(line: int, row: Sequence[Cell]) -> str:
    return "".join(_xlsx_cell(cell, line, at) for at, cell in enumerate(row))


def _xlsx_cell(cell: Cell, line: int, at: int) -> str:
    place = f"{chr(ord('A') + at)}{line}"
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        text = escape(cell, {"\r": "&#13;"})
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    return f'<c r="{place}"><f>1+1</f><v>{cell}</v></c>'


def write_ods(path: Path, rows: Sequence[Sequence[Cell]]) -> Path:
    table = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
    )
    names = " ".join(f'xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f"<office:document-content {names}><office:body><office:spreadsheet>"
        f'<table:table table:name="Sheet 1">{table}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{OFFICE}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{mimetype}"/>'
        "</manifest:manifest>"
    )
    parts = {"mimetype": mimetype, "META-INF/manifest.xml": manifest, "content.xml": content}
    return _zipped(path, parts)


def _ods_cell(cell: Cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, str):
        lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in cell.split("\n"))
        return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{cell}"/>'


def _zipped(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path
