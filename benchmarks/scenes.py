"""Scenes that the demo renders, with captions, references and the demo's judge, as files."""

from __future__ import annotations

import csv
from pathlib import Path

from rehearsal.demo import CAMPAIGN_SEEDS, HUMANS, captions, judge, render_clip, scene

FIRST = 3 * CAMPAIGN_SEEDS
"""The demo model was neither trained nor tried on these and those after them."""
COLUMNS = {
    "captions": ("video", "system", "caption"),
    "references": ("video", "source", "caption"),
    "human": ("video", "system", "score"),
}


def write_scenes(folder: Path, count: int = 48) -> Path:
    """Clips of 64 x 64 pixels in ``clips``, and three tables beside them."""
    (folder / "clips").mkdir(parents=True)
    rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in COLUMNS}
    for seed in range(FIRST, FIRST + count):
        shown, name = scene(seed), f"scene-{seed}"
        render_clip(shown, folder / "clips" / f"{name}.mp4", size=(64, 64), fps=2)
        for source, told in captions(shown).items():
            if source in HUMANS:
                rows["references"].append((name, source, told.text))
            else:
                rows["captions"].append((name, source, told.text))
                rows["human"].append((name, source, 100 * judge(shown, told.text)))
    for file, header in COLUMNS.items():
        with (folder / f"{file}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows[file]])
    return folder
