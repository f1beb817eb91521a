"""Handing out stored videos and posters: byte ranges, validators, or a bucket's signed link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from csp.decorators import csp_update
from django.db.models.fields.files import FieldFile
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

# What may be shown inside a page of ours. Anything else is a download: a file somebody sent in
# never becomes a page of this site.
CONTENT_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".webm": "video/webm",
    ".ogv": "video/ogg",
}
BLOCK = 64 * 1024
# Stored files never change under their name, but who may see them does.
CACHE_CONTROL = "private, max-age=86400"
ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?")


def is_small_screen(request: HttpRequest) -> bool:
    """Whether whoever asks sits at a phone, or wants to save data."""
    asked = request.headers
    is_mobile = asked.get("Sec-CH-UA-Mobile") == "?1" or "Mobi" in asked.get("User-Agent", "")
    return is_mobile or asked.get("Save-Data") == "on"


def stored_file(request: HttpRequest, file: FieldFile, *, digest: str = "") -> HttpResponseBase:
    """The file, the part of it that was asked for, or the way to the bucket that holds it.

    ``digest`` is a hash of the content where one is known; it makes the entity tag.
    """
    if not file:
        raise Http404("There is no such file.")
    try:
        path = Path(file.path)
    except NotImplementedError:
        return _bucket_link(file)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise Http404("The file is no longer stored.") from None
    etag = f'"{digest or f"{status.st_mtime_ns:x}-{status.st_size:x}"}"'
    modified = int(status.st_mtime)
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": CACHE_CONTROL,
        "Content-Type": CONTENT_TYPES.get(path.suffix.lower(), "application/octet-stream"),
        "ETag": etag,
        "Last-Modified": http_date(modified),
    }
    # A condition that fails (304, 412) goes before any range, RFC 9110 section 13.2.2.
    unwanted = get_conditional_response(request, etag, modified)
    if unwanted is not None:
        unwanted["Cache-Control"], unwanted["ETag"] = CACHE_CONTROL, etag
        return unwanted
    part = _part(request, status.st_size, etag, headers["Last-Modified"])
    return _response(request, path, status.st_size, part, headers)


def requested_range(header: str, size: int) -> range | None:
    """The bytes a Range header asks for; empty when there are none such, None to send them all.

    Several ranges at once, other units and malformed headers are answered with the whole file,
    as RFC 9110 section 14.2 allows.

    >>> requested_range("bytes=0-99", 50), requested_range("bytes=-20", 50)
    (range(0, 50), range(30, 50))
    """
    match = ONE_RANGE.fullmatch(header.strip())
    if match is None:
        return None
    first, last = match.groups()
    if first:
        if last and int(last) < int(first):
            return None
        return range(int(first), min(int(last) + 1, size) if last else size)
    return range(max(size - int(last), 0), size) if last else None


def allow_media(
    request: HttpRequest, response: HttpResponse, urls: Iterable[str]
) -> HttpResponseBase:
    """Let this one page show videos and images from where they are kept, and from nowhere else."""
    parts = (urlsplit(url) for url in urls)
    origins = {f"{part.scheme}://{part.netloc.rpartition('@')[2]}".lower() for part in parts}
    # The policy is a header: only what is plainly an origin may enter it.
    safe = sorted(origin for origin in origins if ORIGIN.fullmatch(origin))
    return csp_update({"media-src": safe, "img-src": safe})(lambda _: response)(request)


def _bucket_link(file: FieldFile) -> HttpResponseRedirect:
    response = HttpResponseRedirect(file.url)
    response["Cache-Control"] = "no-store"  # the link expires
    return response


def _part(request: HttpRequest, size: int, etag: str, modified: str) -> range | None:
    condition = request.headers.get("If-Range", etag)
    if request.method != "GET" or condition not in (etag, modified):
        return None
    return requested_range(request.headers.get("Range", ""), size)


def _response(
    request: HttpRequest, path: Path, size: int, part: range | None, headers: dict[str, str]
) -> HttpResponseBase:
    if part is not None and not part:
        return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    wanted = range(size) if part is None else part
    headers = headers | {"Content-Length": str(len(wanted))}
    if request.method == "HEAD":
        return HttpResponse(headers=headers)
    if part is None:
        return StreamingHttpResponse(_blocks(path, wanted), headers=headers)
    headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    return StreamingHttpResponse(_blocks(path, wanted), status=206, headers=headers)


def _blocks(path: Path, wanted: range) -> Iterator[bytes]:
    """Opened only when the first block is asked for, closed whatever becomes of the reader."""
    with path.open("rb") as file:
        file.seek(wanted.start)
        left = len(wanted)
        while left and (block := file.read(min(BLOCK, left))):
            left -= len(block)
            yield block
