"""Draw anew what the site shows as examples, with the demo's own artists.

The practice clip, the picture of the instructions and the archive to try importing with are kept in
static/, so that a site needs to render nothing: this is how they were made.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from PIL import Image

from annotations.samples import CLIP
from daplatform import places
from rehearsal.demo import Actor, Scene, Story, frames, render_clip, write_demo_campaign

PRACTICE = Scene(
    seed=5,
    story=Story(
        actors=(
            Actor("dog", 1, "brown", "cross", "right"),
            Actor("boat", 1, "red", "cross", "left"),
        ),
        place="beach",
    ),
    seconds=4.0,
)
EXAMPLE = Scene(
    seed=11,
    story=Story(actors=(Actor("cat", 1, "orange", "cross", "left"),), place="living room"),
    seconds=4.0,
)
EXAMPLE_ARCHIVE = "example-campaign.zip"
EXAMPLE_VIDEOS = 12
# One HIT shows all 72 captions of twelve videos by six ranked systems.
EXAMPLE_SETTINGS = """\
name = "Example campaign"
control = "human-a"    # its captions are the controls, and are damaged for quality control
human = ["human-b"]    # ranked as a hidden system

# What annotators see; all optional.
instructions = "Rate what the video shows, not how well it was filmed."
contact = "captions@example.org"   # whom annotators can ask; shown before they start
offers_speed = false   # true: videos can be played at up to twice the speed
# language = "de"      # of annotators' pages; without it, each browser's own language

[hits]                 # all optional
size = 100
pairs = 9
repeats = 10
assignments = 3

[[tutorial]]           # optional: captions to practise with, instead of the platform's one
video = "scene-660777"
caption = "Two butterflies flutter past over a meadow."
expect = { score = [60, 100] }
feedback = "It says who is there, what happens and where, and all of it is right."

[[tutorial]]
video = "scene-660777"
caption = "Two pink balloons float by, and a red balloon is drifting to the left."
expect = { score = [0, 40] }
feedback = "There are butterflies and no balloons; only that there are two of them is right."

[translations.de]      # optional: instructions and consent in other languages
instructions = "Bewerten Sie, was das Video zeigt, nicht wie gut es gefilmt ist."
"""
CLIP_SIZE = (480, 270)
STILL = "rating/example.webp"
STILL_SIZE = (400, 225)


class Command(BaseCommand):
    help = (
        "Render the practice clip, the instructions’ picture and the example archive into static/."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        folder = places.SITE / "static"
        render_clip(PRACTICE, folder / CLIP, size=CLIP_SIZE)
        middle = frames(EXAMPLE, 3, (2 * STILL_SIZE[0], 2 * STILL_SIZE[1]))[1]
        picture = Image.fromarray(middle).resize(STILL_SIZE, Image.Resampling.LANCZOS)
        picture.save(folder / STILL, quality=72, method=6)
        write_example(folder / EXAMPLE_ARCHIVE)
        for name in (CLIP, STILL, EXAMPLE_ARCHIVE):
            self.stdout.write(f"static/{name}: {(folder / name).stat().st_size} bytes")


def write_example(archive: Path) -> None:
    """A small campaign as a zip that imports without a fault; the same each time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_demo_campaign(folder, videos=EXAMPLE_VIDEOS, size=(320, 180), fps=12, workers=1)
        (folder / "campaign.toml").write_text(EXAMPLE_SETTINGS, encoding="utf-8")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
            for path in sorted(folder.rglob("*.*")):
                entry = zipfile.ZipInfo(str(path.relative_to(folder)), (2026, 1, 1, 0, 0, 0))
                made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
