"""Which words of a caption are wrong about a scene: what nothing that happens there answers to."""

from __future__ import annotations

from collections.abc import Callable

from rehearsal.demo.kinds import FAMILIES, KINDS
from rehearsal.demo.lexicon import Mark, placed
from rehearsal.demo.places import PLACES
from rehearsal.demo.quality import ALIKE
from rehearsal.demo.story import Scene, Story

Span = tuple[int, int]
ALWAYS = ("move", "cross")
"""Motions that say no more than that something goes by."""


def wrong_phrases(scene: Scene, text: str) -> list[Span]:
    """First character and the one after the last, of every phrase that is wrong.

    >>> from rehearsal.demo.story import Actor
    >>> shown = Scene(0, Story((Actor("cat", 1, "black", "jump"),), place="kitchen"), 4.0)
    >>> wrong_phrases(shown, "A white cat jumps in a garage.")
    [(2, 7), (23, 29)]
    """
    return [span for mark, span in placed(text) if not _is_right(scene.story, mark)]


def _is_right(story: Story, mark: Mark) -> bool:
    if mark.role in ("place", "light", "weather", "landmark"):
        return _is_set(story, mark)
    said = mark.value
    told: dict[str, Callable[[], bool]] = {
        "unknown": lambda: False,
        "colour": lambda: any(actor.colour == said for actor in story.actors),
        "kind": lambda: any(_is_kind(actor.kind, said) for actor in story.actors),
        "garment": lambda: any(_is_kind(actor.kind, said) for actor in story.actors),
        "go": lambda: any(_goes(actor.kind, said) for actor in story.actors),
        "motion": lambda: any(_moves(actor.motion, said) for actor in story.actors),
        "cue": lambda: any(_moves(actor.motion, said) for actor in story.actors),
        "heading": lambda: any(actor.heading == said for actor in story.actors),
    }
    return told[mark.role]() if mark.role in told else True


def _is_set(story: Story, mark: Mark) -> bool:
    true = getattr(story, mark.role)
    if mark.role == "place" and mark.value in ("indoors", "outdoors"):
        return PLACES[true].indoors == (mark.value == "indoors")
    return bool(true == mark.value or (mark.role, mark.value, true) == ("light", "day", None))


def _is_kind(real: str, said: str) -> bool:
    return said == real or (said in FAMILIES and said in (KINDS[real].family, "thing"))


def _goes(real: str, said: str) -> bool:
    return said == "move" or said in KINDS[real].verbs


def _moves(real: str | None, said: str) -> bool:
    return said == real or said in ALWAYS or (real, said) in ALIKE
