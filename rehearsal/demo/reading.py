"""From any text to the story it tells: what a person would take it to say about a clip.

It knows the words of the demo's captions. In a sentence that was tampered with, words end up where
they make no sense; those are counted as strays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

from rehearsal.demo.kinds import KINDS
from rehearsal.demo.lexicon import Mark, marks
from rehearsal.demo.quality import quality
from rehearsal.demo.story import Actor, Scene, Story

PASSING = (None, "move", "cross")
"""Motions that a more telling word may still replace."""
MAY_FOLLOW = {
    "number": ("colour", "kind", "garment", "landmark", "place", "light", "weather"),
    "colour": ("kind", "garment"),
}
CLASHES = {
    *product(("go", "motion"), repeat=2),
    *product(("kind", "garment"), ("kind", "number", "colour")),
}
"""What cannot follow what: two verbs, or two names, with nothing between them."""
COUNTERPART = {"chase": "flee", "flee": "chase"}


def judge(scene: Scene, text: str) -> float:
    """How well a text describes a scene, from 0 to 1, by what really happens in it."""
    return quality(scene.story, read(text))


def read(text: str) -> Story:
    """The story that a text tells.

    >>> read("Two red balls bounce up and down in a kitchen.").actors
    (Actor(kind='ball', count=2, colour='red', motion='bounce', heading=None),)
    """
    reader = _Reader()
    found = [Mark("start"), *marks(text), Mark("end")]
    for before, mark, after in zip(found, found[1:], found[2:], strict=False):
        reader.take(mark, before)
        reader.check(mark, after)
    return reader.story()


@dataclass
class _Draft:
    """An actor while the sentence is still being read."""

    kind: str
    count: int | None
    colour: str | None
    motion: str | None = None
    heading: str | None = None


@dataclass
class _Reader:
    actors: list[_Draft] = field(default_factory=list)
    subjects: list[_Draft] = field(default_factory=list)
    setting: dict[str, str] = field(default_factory=dict)
    count: int | None = None
    colour: str | None = None
    pursuit: str = ""
    joined: bool = False
    strays: int = 0

    def story(self) -> Story:
        actors = tuple(Actor(**vars(draft)) for draft in self.actors)
        return Story(
            actors=actors,
            place=self.setting.get("place"),
            light=self.setting.get("light"),
            weather=self.setting.get("weather"),
            landmark=self.setting.get("landmark"),
            strays=self.strays,
        )

    def take(self, mark: Mark, before: Mark) -> None:
        handler = HANDLERS.get(mark.role)
        if handler is not None:
            handler(self, mark, before)

    def check(self, mark: Mark, after: Mark) -> None:
        """Count what cannot stand before what follows it."""
        allowed = MAY_FOLLOW.get(mark.role)
        if allowed is not None and after.role not in allowed:
            self.strays += 1
            self.count = self.colour = None
        elif (mark.role, after.role) in CLASHES:
            self.strays += 1

    def _number(self, mark: Mark, before: Mark) -> None:
        self.count = mark.number

    def _colour(self, mark: Mark, before: Mark) -> None:
        self.colour = mark.value

    def _kind(self, mark: Mark, before: Mark) -> None:
        self._enter(_Draft(mark.value, self.count, self.colour))

    def _something(self, mark: Mark, before: Mark) -> None:
        """Whoever does something, or whatever it is done to."""
        if self.pursuit or before.role == "cue":
            self.pursuit = ""
        else:
            self._enter(_Draft("thing", 1, None))

    def _enter(self, draft: _Draft) -> None:
        """A new actor: chased by the last one, standing beside it, or doing a thing of its own."""
        self.actors.append(draft)
        if self.pursuit:
            draft.motion, self.pursuit = COUNTERPART[self.pursuit], ""
        beside = self.joined or draft.motion is not None
        self.subjects = [*self.subjects, draft] if beside else [draft]
        self.joined = False
        self.count = self.colour = None

    def _garment(self, mark: Mark, before: Mark) -> None:
        wearer = next((draft for draft in reversed(self.actors) if draft.kind == mark.value), None)
        if wearer is None or wearer.colour is not None:
            self.strays += 1
        else:
            wearer.colour = self.colour
        self.count = self.colour = None

    def _link(self, mark: Mark, before: Mark) -> None:
        idle = all(draft.motion is None for draft in self.subjects)
        self.joined = before.role in ("kind", "garment") and idle

    def _go(self, mark: Mark, before: Mark) -> None:
        for draft in self._doers():
            fits = draft.kind not in KINDS or mark.value in ("move", *KINDS[draft.kind].verbs)
            if draft.motion is None:
                draft.motion = "move" if fits else "odd"

    def _do(self, mark: Mark, before: Mark) -> None:
        motion = mark.value
        for draft in self._doers():
            if draft.motion in PASSING:
                draft.motion = motion
            elif motion not in (draft.motion, "cross"):
                self.strays += 1
        if motion in COUNTERPART and self.subjects:
            self.pursuit = motion

    def _head(self, mark: Mark, before: Mark) -> None:
        for draft in self._doers():
            if draft.heading not in (None, mark.value):
                self.strays += 1
            draft.heading = mark.value
            if draft.motion in PASSING:
                draft.motion = "cross"

    def _doers(self) -> list[_Draft]:
        if not self.subjects:
            self.strays += 1
        return self.subjects

    def _set(self, mark: Mark, before: Mark) -> None:
        if self.setting.setdefault(mark.role, mark.value) != mark.value:
            self.strays += 1
        self.count = self.colour = None

    def _stray(self, mark: Mark, before: Mark) -> None:
        self.strays += 1


HANDLERS: dict[str, Callable[[_Reader, Mark, Mark], None]] = {
    "number": _Reader._number,
    "colour": _Reader._colour,
    "kind": _Reader._kind,
    "something": _Reader._something,
    "garment": _Reader._garment,
    "link": _Reader._link,
    "go": _Reader._go,
    "motion": _Reader._do,
    "cue": _Reader._do,
    "heading": _Reader._head,
    **dict.fromkeys(("place", "light", "weather", "landmark"), _Reader._set),
    "unknown": _Reader._stray,
}
