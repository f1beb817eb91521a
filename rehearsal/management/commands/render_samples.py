"""Draw the practice clip and the instructions' example anew, with the demo's own artists.

Both are kept in static/, so that a site needs to render nothing: this is how they were made.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from PIL import Image

from annotations.samples import CLIP, STILL
from daplatform import places
from rehearsal.demo import Actor, Scene, Story, frames, render_clip

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
CLIP_SIZE = (480, 270)
STILL_SIZE = (400, 225)


class Command(BaseCommand):
    help = "Render the practice clip and the example picture of the instructions into static/."

    def handle(self, *args: Any, **options: Any) -> None:
        folder = places.SITE / "static"
        render_clip(PRACTICE, folder / CLIP, size=CLIP_SIZE)
        middle = frames(EXAMPLE, 3, (2 * STILL_SIZE[0], 2 * STILL_SIZE[1]))[1]
        picture = Image.fromarray(middle).resize(STILL_SIZE, Image.Resampling.LANCZOS)
        picture.save(folder / STILL, quality=72, method=6)
        for name in (CLIP, STILL):
            self.stdout.write(f"static/{name}: {(folder / name).stat().st_size} bytes")
