"""What runs is what was looked at: every package is pinned, and no other is installed.

No service that knows of vulnerabilities can be reached from where these checks run, so the pinned
versions are the reviewed ones. `pip-audit -r requirements.txt` asks such a service where one can.
"""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
# They come with every virtual environment, and install the others.
TOOLS = {"pip", "setuptools", "wheel"}
PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z0-9,]+\])?==(?P<version>\S+)")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-"))]
    found = [PIN.fullmatch(line.strip()) for line in wanted]
    assert all(found), f"{file} names a package without its exact version"
    return {plain(one["name"]): one["version"] for one in found if one}


def installed() -> dict[str, str]:
    """Versions without what tells one build from another, as in 2.13.0+cpu."""
    found = {plain(one.metadata["Name"]): one.version for one in distributions()}
    return {name: version.partition("+")[0] for name, version in found.items()}


def test_everything_installed_is_a_version_that_was_reviewed():
    reviewed = pins("constraints.txt")
    others = {
        name: version
        for name, version in installed().items()
        if name not in TOOLS and reviewed.get(name) != version
    }
    assert others == {}


def test_what_is_required_is_what_was_reviewed():
    reviewed = pins("constraints.txt")
    for file in ("requirements-web.txt", "requirements.txt", "requirements-dev.txt"):
        assert pins(file).items() <= reviewed.items(), file
