"""Campaign folders on disk, as an organiser would lay them out."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

from tests.clips import make_clip


def write_table(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def make_folder(
    root: Path,
    *,
    videos: int = 12,
    systems: int = 6,
    name: str = "Test campaign",
    clips: bool = False,
) -> Path:
    """`systems` candidates and the hidden human-b over `videos`; human-a is the control set."""
    root.mkdir(parents=True, exist_ok=True)
    names = [f"v{number:03}" for number in range(videos)]
    places = [["video", "path" if clips else "url"]]
    for number, video in enumerate(names):
        if clips:
            make_clip(root / f"{video}.mp4", shade=number)
        places.append([video, f"{video}.mp4" if clips else f"https://videos.example/{video}.mp4"])
    write_table(root / "videos.csv", places[0], places[1:])
    write_table(
        root / "captions.csv",
        ["video", "system", "caption"],
        [
            [video, f"system-{s}", f"System {s} sees a thing number {v} move over there slowly."]
            for v, video in enumerate(names)
            for s in range(systems)
        ],
    )
    write_table(
        root / "references.csv",
        ["video", "source", "caption"],
        [
            [video, source, f"A {source} person watches object {v} {word} along the wide road."]
            for v, video in enumerate(names)
            for source, word in (("human-a", "rolling"), ("human-b", "moving"))
        ],
    )
    (root / "campaign.toml").write_text(
        f'name = "{name}"\ncontrol = "human-a"\nhuman = ["human-b"]\n', encoding="utf-8"
    )
    return root


def make_zip(folder: Path) -> Path:
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as opened:
        for path in sorted(folder.rglob("*")):
            opened.write(path, path.relative_to(folder))
    return archive
