"""Where a video is: a file inside the campaign's folder, or an address for the browser."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from daplatform.tables import Faults, Kind, Where, quoted

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[A-Za-z]:")


def is_address(location: str) -> bool:
    """Whether a location is meant as a URL rather than as a path.

    >>> is_address("ftp://host/clip.mp4"), is_address("clips/one.mp4")
    (True, False)
    """
    return _SCHEME.match(location) is not None


def check_address(url: str, longest: int, where: Where, faults: Faults) -> bool:
    """Whether a browser can be sent to the URL. The server itself never goes there."""
    problem = _address_problem(url, longest)
    if problem:
        faults.error(
            Kind.ADDRESS, where, f"{quoted(url)} {problem}.", "Give a full http or https address."
        )
    return not problem


def _address_problem(url: str, longest: int) -> str:
    if len(url) > longest:
        return f"has more than {longest:,} characters"
    if not url.isprintable() or any(mark.isspace() or mark in '\\"<>' for mark in url):
        return "holds a character that addresses may not have"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https"):
        return "is not an http or https address"
    if not host:
        return "names no host"
    return "holds a user name or password" if "@" in parts.netloc else ""


def check_path(relative: str, where: Where, faults: Faults) -> bool:
    """Whether the text is a path inside a folder, as far as the text alone can tell."""
    problem = path_problem(relative)
    if is_address(relative):
        faults.error(
            Kind.PATH, where, f"{quoted(relative)} is an address.", "Write it in the column url."
        )
    elif problem:
        faults.error(
            Kind.PATH,
            where,
            f"{quoted(relative)} {problem}.",
            "Give the path from the campaign's folder, with forward slashes.",
        )
    return not problem


def path_problem(relative: str) -> str:
    """Why the text cannot be a path inside a folder; empty when it can.

    >>> path_problem("../clip.mp4")
    'leaves the folder'
    """
    if not relative.strip() or not relative.isprintable() or is_address(relative):
        return "is not a path"
    if "\\" in relative:
        return "has backslashes"
    if relative.startswith("/") or _DRIVE.match(relative):
        return "is not a path from inside the folder"
    if ".." in PurePosixPath(relative).parts:
        return "leaves the folder"
    return ""


def find_file(root: Path, relative: str, where: Where, faults: Faults) -> Path | None:
    """The file at a path that was checked, reached through no link; otherwise a fault."""
    if path_problem(relative):
        raise ValueError(f"relative: {quoted(relative)} {path_problem(relative)}")
    path = root
    for part in PurePosixPath(relative).parts:
        path = path / part
        if os.path.islink(path):
            faults.error(
                Kind.LINK, where, f"{quoted(relative)} leads through a link.", "Put the file there."
            )
            return None
    if not os.path.isfile(path):  # unlike Path.is_file, false for paths too long
        faults.error(
            Kind.MISSING_VIDEO,
            where,
            f"There is no file {quoted(relative)}.",
            "Add it; capital and small letters matter.",
        )
        return None
    return path
