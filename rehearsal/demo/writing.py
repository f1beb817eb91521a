"""From a story to a sentence, in one of many wordings."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from rehearsal.demo.grammar import choose
from rehearsal.demo.kinds import FAMILIES, KINDS
from rehearsal.demo.phrases import (
    LIGHT_WORDS,
    NEARBY,
    OPENERS,
    SAYINGS,
    VAGUE_PLACES,
    WEATHER_WORDS,
)
from rehearsal.demo.places import PLACES
from rehearsal.demo.story import Actor, Story
from rehearsal.demo.wording import article, counted, gerund, present, sentence

OPPOSITE = {"left": "right", "right": "left"}
SLOT = re.compile(r"\{(\w+)\}")


def write(story: Story, rng: np.random.Generator) -> str:
    """One natural sentence that tells the story, no more and no less."""
    if not story.actors:
        raise ValueError("story.actors must not be empty: a caption is about somebody")
    return sentence(_Writer(story, rng).text())


@dataclass(frozen=True)
class _Writer:
    story: Story
    rng: np.random.Generator

    def text(self) -> str:
        first, *rest = self._clauses()
        setting = self._setting()
        if setting and self.rng.random() < 0.2:
            return f"{setting}, {self._joined([first, *rest])}"
        if rest and self.rng.random() < 0.5:
            return self._joined([f"{first} {setting}", *rest])
        return f"{self._joined([first, *rest])} {setting}"

    def _joined(self, clauses: list[str]) -> str:
        links = (" while ", " as ") if len(clauses) > 2 else (" while ", ", and ", " as ")
        return choose(self.rng, links).join(clauses[:2]) + "".join(
            f", and {clause}" for clause in clauses[2:]
        )

    def _clauses(self) -> list[str]:
        first, *rest = self.story.actors
        if rest and {first.motion, rest[0].motion} == {"chase", "flee"}:
            return [self._pursuit(first, rest[0]), *map(self._clause, rest[1:])]
        if rest and first.motion == rest[0].motion == "meet":
            both = f"{self._named(first)} and {self._named(rest[0])}"
            does = self._does(first, self._saying(first), many=True)
            return [f"{both} {does}", *map(self._clause, rest[1:])]
        return [self._opening(first), *map(self._clause, rest)]

    def _opening(self, actor: Actor) -> str:
        """Now and then "We see a ball rolling past" instead of "A ball rolls past"."""
        saying = self._saying(actor) if actor.motion else ""
        if not _may_go_on(saying) or self.rng.random() > 0.15:
            return self._clause(actor)
        many = actor.count != 1
        opener = choose(self.rng, (*OPENERS, f"there {present('be', many=many)}"))
        return f"{opener} {self._named(actor)} {self._does(actor, saying, many=many, form='doing')}"

    def _clause(self, actor: Actor) -> str:
        many = actor.count != 1
        if actor.motion is None:
            return f"there {present('be', many=many)} {self._named(actor)}"
        return f"{self._named(actor)} {self._does(actor, self._saying(actor), many=many)}"

    def _pursuit(self, first: Actor, second: Actor) -> str:
        """Told from the one's side or the other's: they chase, or are chased."""
        teller, other = (first, second) if self.rng.random() < 0.75 else (second, first)
        does = self._does(
            teller, self._saying(teller), many=teller.count != 1, other=self._named(other)
        )
        return f"{self._named(teller)} {does}"

    def _named(self, actor: Actor) -> str:
        if actor.kind in FAMILIES:
            return self._vaguely(actor)
        kind = KINDS[actor.kind]
        noun = choose(self.rng, kind.nouns)
        if actor.colour is None:
            return counted(actor.count, noun)
        if not kind.garments:
            return counted(actor.count, f"{actor.colour} {noun}")
        wears = choose(self.rng, ("in", "wearing"))
        garment = article(f"{actor.colour} {choose(self.rng, kind.garments)}")
        return f"{counted(actor.count, noun)} {wears} {garment}"

    def _vaguely(self, actor: Actor) -> str:
        if actor.kind == "thing" and actor.count == 1 and actor.colour is None:
            return "something"
        noun = choose(self.rng, FAMILIES[actor.kind])
        return counted(actor.count, f"{actor.colour or ''} {noun}".strip())

    def _saying(self, actor: Actor) -> str:
        sayings = SAYINGS[str(actor.motion)]
        return choose(
            self.rng, sayings.headed if actor.heading and sayings.headed else sayings.plain
        )

    def _does(
        self, actor: Actor, saying: str, *, many: bool, other: str = "", form: str = ""
    ) -> str:
        """The verb phrase: "rolls past", "is rolling past", or only "rolling past" (`doing`)."""
        going_on = form == "doing" or (_may_go_on(saying) and self.rng.random() < 0.35)
        fixed = {
            "from": OPPOSITE.get(actor.heading or "", ""),
            "to": actor.heading or "",
            "other": other or "something",
            "landmark": article(self.story.landmark) if self.story.landmark else "something",
        }
        verbs = {"move": self._verb(actor), "rest": self._rest(actor)}

        def fill(match: re.Match[str]) -> str:
            word = match[1]
            if word in fixed:
                return fixed[word]
            verb = verbs.get(word, word)
            return gerund(verb) if going_on else present(verb, many=many)

        told = re.sub(SLOT, fill, saying)
        return f"{present('be', many=many)} {told}" if going_on and form != "doing" else told

    def _verb(self, actor: Actor) -> str:
        return choose(self.rng, KINDS[actor.kind].verbs) if actor.kind in KINDS else "move"

    def _rest(self, actor: Actor) -> str:
        return choose(self.rng, KINDS[actor.kind].rests) if actor.kind in KINDS else "rest"

    def _setting(self) -> str:
        story = self.story
        hidden = any(actor.motion == "hide" for actor in story.actors)
        nearby = story.landmark is not None and not hidden
        return " ".join(
            [
                choose(self.rng, NEARBY).format(landmark=article(str(story.landmark)))
                if nearby
                else "",
                self._place(),
                choose(self.rng, LIGHT_WORDS[story.light]) if story.light else "",
                choose(self.rng, WEATHER_WORDS[story.weather]) if story.weather else "",
            ]
        ).strip()

    def _place(self) -> str:
        place = self.story.place
        if place is None or place in VAGUE_PLACES:
            return choose(self.rng, VAGUE_PLACES[place]) if place else ""
        aloft = all(
            actor.kind in KINDS and KINDS[actor.kind].medium == "air" for actor in self.story.actors
        )
        return choose(self.rng, PLACES[place].over if aloft else PLACES[place].on)


def _may_go_on(saying: str) -> bool:
    """Whether "is …ing" sounds right: one verb, and none of those that say it themselves."""
    slots = set(SLOT.findall(saying)) - {"from", "to", "other", "landmark"}
    return len(slots) == 1 and not slots & {"be", "keep", "meet"}
