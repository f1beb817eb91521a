"""Demo campaigns that the project draws itself: scenes whose truth is known, clips, captions.

`write_demo_campaign` makes the folder of one (`rehearsal.demo.plans`). `scene`, `frames` and
`captions` make as many scenes as one wants, and `judge` says how well any text describes one: what
simulated annotators go by.
"""

from __future__ import annotations

from rehearsal.demo.campaign import (
    CAMPAIGN_SEEDS,
    demo_scenes,
    scene_named,
    video_name,
    write_demo_campaign,
)
from rehearsal.demo.captioners import HUMANS, SYSTEMS, Caption, caption, captions
from rehearsal.demo.clips import render_clip
from rehearsal.demo.grammar import scene
from rehearsal.demo.quality import quality
from rehearsal.demo.reading import judge, read
from rehearsal.demo.rendering import frames
from rehearsal.demo.story import Actor, Scene, Story
from rehearsal.demo.truth import wrong_phrases

__all__ = [
    "CAMPAIGN_SEEDS",
    "HUMANS",
    "SYSTEMS",
    "Actor",
    "Caption",
    "Scene",
    "Story",
    "caption",
    "captions",
    "demo_scenes",
    "frames",
    "judge",
    "quality",
    "read",
    "render_clip",
    "scene",
    "scene_named",
    "video_name",
    "write_demo_campaign",
    "wrong_phrases",
]
