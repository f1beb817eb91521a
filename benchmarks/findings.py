"""`make findings`: every computed number of the docs, as the commands give it.

Numbers stand between marks, tables and single ones alike: ``<!--f:NAME-->….<!--/f-->``. They come
from the published data in the folder that DA_PUBLISHED names, and from the demo campaign. `--check`
writes nothing and fails where a page says something else; `--demo` leaves the published data out.
Times are not among them: they are those of one machine, and docs name the command that takes them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import demo_ranking, printed, published

DOCS = Path(__file__).resolve().parent.parent / "docs"
Maker = Callable[[Path], Mapping[str, str]]
PAGES: Mapping[str, tuple[Maker, ...]] = {
    "findings.md": published.FINDINGS,
    "papers.md": printed.FINDINGS,
    "metrics.md": (*demo_ranking.FINDINGS, published.two_bleus),
    "learning.md": (printed.learned, printed.schooled),
}
NEED_NO_DATA = (*demo_ranking.FINDINGS, printed.schooled)
# No test repeats these; of the tables of years, one tests one year of each.
TAKE_MINUTES = (printed.learned, printed.schooled, printed.years_beside)
_MARKED = re.compile(r"(<!--f:(?P<name>[\w.]+)-->)(?P<text>.*?)(<!--/f-->)", re.DOTALL)


def stands(page: str) -> dict[str, str]:
    """What stands between marks, by name."""
    return {found["name"]: found["text"].strip() for found in _MARKED.finditer(page)}


def written(page: str, made: Mapping[str, str]) -> str:
    """The page with what was made; a table stands on lines of its own."""

    def replaced(found: re.Match[str]) -> str:
        text = made.get(found["name"], found["text"].strip())
        return f"{found[1]}\n{text}\n{found[4]}" if "\n" in text else f"{found[1]}{text}{found[4]}"

    return _MARKED.sub(replaced, page)


def differing(page: str, made: Mapping[str, str]) -> list[str]:
    """Names of what was made and does not stand so on the page."""
    there = stands(page)
    return [name for name in sorted(made) if there.get(name) != made[name]]


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
    django.setup()
    data = Path(os.environ.get("DA_PUBLISHED", DOCS.parents[1] / "shared" / "published"))
    all_ = "--demo" not in sys.argv
    if all_ and not (data / "trecvid-vtt").is_dir():
        sys.exit("DA_PUBLISHED must name the folder of the published data; --demo does without.")
    changed = []
    for name, makers in PAGES.items():
        page = (DOCS / name).read_text(encoding="utf-8")
        made: dict[str, str] = {}
        for make in makers:
            made |= make(data) if all_ or make in NEED_NO_DATA else {}
        changed += [f"{name}: {what}" for what in differing(page, made)]
        if all_ and (strange := stands(page).keys() - made.keys()):
            sys.exit(f"{name} marks what nothing makes: {', '.join(sorted(strange))}")
        if "--check" not in sys.argv:
            (DOCS / name).write_text(written(page, made), encoding="utf-8")
    print("\n".join(changed) or "Every number stands as it is computed.")
    sys.exit(bool(changed) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
