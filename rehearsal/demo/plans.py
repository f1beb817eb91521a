"""The demo's campaigns: the same scenes, asked about in three ways.

What `campaign.toml` says of a campaign must stay as it is, or a demo that was started before finds
a campaign made from other files.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehearsal.demo.captioners import HUMANS, SYSTEMS

VIDEOS = 40
SEED = 7


@dataclass(frozen=True)
class Crowd:
    """The simulated people who rate a campaign before anybody looks at it."""

    annotators: int
    mix: str
    seed: int = 1


@dataclass(frozen=True)
class Plan:
    """A demo campaign: where its files are, what it asks, and who has rated it."""

    folder: str
    slug: str
    """In its address, by which it is found again: a name may be edited."""
    name: str
    assignments: int = 1
    size: int = 100
    asks: str = ""
    """Lines of `campaign.toml` before its table of HITs, and …"""
    rules: str = ""
    """… those after the lines that every demo campaign has."""
    crowd: Crowd | None = None

    def settings(self, seed: int = SEED) -> str:
        return SETTINGS.format(
            name=self.name,
            asks=self.asks,
            size=self.size,
            assignments=self.assignments,
            seed=seed,
            rules=self.rules,
        )


SETTINGS = f"""\
name = "{{name}}"
control = "{HUMANS[0]}"
human = ["{HUMANS[1]}"]
{{asks}}
[hits]
size = {{size}}
redundancy = 1
assignments = {{assignments}}
seed = {{seed}}
{{rules}}"""
LITTLE = Plan("demo-campaign", "demo-little-scenes", "Demo: little scenes")
"""Offered to workers of the rehearsal marketplace."""
RATED = Plan(
    "demo-rated",
    "demo-rated-by-a-simulated-crowd",
    "Demo: rated by a simulated crowd",
    assignments=8,
    crowd=Crowd(30, "honest=0.7,careless=0.15,random=0.1,constant=0.05"),
)
"""So that a newcomer finds a ranking to look at."""
DAMAGED = 20
MARKED = Plan(
    "demo-marked",
    "demo-wrong-words-marked",
    "Demo: wrong words marked",
    assignments=4,
    size=VIDEOS * (len(SYSTEMS) + 1) + DAMAGED,  # all captions in one HIT: all judge all videos
    asks='protocol = "factuality"\n',
    rules=f"pairs = {DAMAGED}\n\n[counting]\nrecall = 0.6\n",
    crowd=Crowd(4, "honest=0.75,careless=0.25"),
)
"""Three people who look and one who often does not, which the damaged words tell."""
PLANS = (MARKED, RATED, LITTLE)
"""The newest campaign stands first in lists."""
