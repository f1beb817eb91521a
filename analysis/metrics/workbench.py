"""What the metrics work with and share: words counted, programs started, models loaded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.metrics.batch import Batch
from analysis.metrics.words import Words

if TYPE_CHECKING:
    from analysis.metrics.meteor import Meteor
    from analysis.metrics.registry import Need


@dataclass
class Workbench:
    """Kept from batch to batch, so that nothing is started, loaded or counted twice.

    Parameters
    ----------
    java : the Java program
    meteor_jar : METEOR's jar; without it the one inside pycocoevalcap, if that is installed
    spice_home : the folder of SPICE's jar and its models
    """

    java: str = "java"
    meteor_jar: Path | None = None
    spice_home: Path | None = None
    _words: dict[str, Words] = field(default_factory=dict, init=False, repr=False)
    _meteor: Meteor | None = field(default=None, init=False, repr=False)

    def words(self, batch: Batch, how: str) -> Words:
        """The batch tokenised; the last one is remembered for the next metric."""
        known = self._words.get(how)
        if known is None or known.batch is not batch:
            known = self._words[how] = Words(batch, how)
        return known

    def meteor(self) -> Meteor:
        """METEOR's program, running."""
        from analysis.metrics.meteor import Meteor, find_jar

        if self._meteor is None or not self._meteor.alive:
            self._meteor = Meteor(self.meteor_jar or find_jar(), self.java)
        return self._meteor

    def signature(self, needs: Collection[Need]) -> list[str]:
        """What of this bench decides numbers: the models and the frames."""
        return []

    def close(self) -> None:
        if self._meteor is not None:
            self._meteor.close()
            self._meteor = None
