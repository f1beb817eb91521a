"""The first rows for a paper, and as a page to keep."""

from __future__ import annotations

from typing import IO, Final

from analysis.presenting.document import listing_document
from analysis.presenting.downloads import Download, Format, printed
from analysis.presenting.latex import listing_table


def write_latex(stream: IO[bytes], download: Download) -> None:
    rows, headings, notes = printed(download)
    stream.write(listing_table(rows, headings, [download.title, *notes]).encode())


def write_page(stream: IO[bytes], download: Download) -> None:
    stream.write(listing_document(download.title, *printed(download)).encode())


FORMATS: Final = (
    Format(
        "tex", "LaTeX", "application/x-tex; charset=utf-8", write_latex, place=4, is_printed=True
    ),
    Format("html", "HTML page", "text/html; charset=utf-8", write_page, place=5, is_printed=True),
)
