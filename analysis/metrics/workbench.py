"""What the metrics work with and share: words counted, lists read, models loaded."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from analysis.metrics.batch import Batch
from analysis.metrics.registry import MetricUnavailable, Need
from analysis.metrics.settings import Settings
from analysis.metrics.words import Words

if TYPE_CHECKING:
    from analysis.metrics.encoder import Encoder
    from analysis.metrics.meteor.scorer import Meteor
    from analysis.metrics.sentence_model import SentenceModel

Result = TypeVar("Result")


@dataclass
class Workbench:
    """Kept from batch to batch, so that nothing is loaded twice.

    Parameters
    ----------
    image_text : the image–text model, for metrics that look at videos
    sentence : the sentence model, for STS and BERTScore
    no_image_text, no_sentence : why there is none
    caution : what everybody must know who sees a number of the image–text model
    store : the folder of what is made once, such as METEOR's table
    java : the Java program, for SPICE
    spice_home : the folder of SPICE's jar and its models
    """

    image_text: Encoder | None = None
    sentence: SentenceModel | None = None
    no_image_text: str = "no image-text model was given"
    no_sentence: str = "no sentence model was given"
    caution: str = ""
    store: Path | None = None
    java: str = "java"
    spice_home: Path | None = None
    _known: dict[Any, tuple[Batch, Any]] = field(default_factory=dict, init=False, repr=False)

    @property
    def encoder(self) -> Encoder:
        if self.image_text is None:
            raise MetricUnavailable(self.no_image_text)
        return self.image_text

    @property
    def sentence_model(self) -> SentenceModel:
        if self.sentence is None:
            raise MetricUnavailable(self.no_sentence)
        return self.sentence

    def words(self, batch: Batch, how: str) -> Words:
        """The batch tokenised."""
        return self._remember(("words", how), batch, lambda: Words(batch, how))

    def remember(
        self, match: Callable[[Batch, Settings, Encoder], Result], batch: Batch, settings: Settings
    ) -> Result:
        """What several metrics of a batch have in common, computed for the first of them."""
        encoder = self.encoder
        return self._remember((match, settings), batch, lambda: match(batch, settings, encoder))

    def _remember(self, what: Any, batch: Batch, compute: Callable[[], Result]) -> Result:
        """The last batch only: a worker lives long and memory is bounded."""
        known = self._known.get(what)
        if known is None or known[0] is not batch:
            self._known = {k: v for k, v in self._known.items() if v[0] is batch}
            known = self._known[what] = (batch, compute())
        result: Result = known[1]
        return result

    @cached_property
    def meteor(self) -> Meteor:
        """METEOR with its words, synonyms and paraphrases."""
        from analysis.metrics.meteor.scorer import Meteor

        if self.store is None:
            raise MetricUnavailable("no folder was given to keep METEOR's table in")
        return Meteor.open(self.store)

    def signature(self, needs: Collection[Need]) -> list[str]:
        """What of this bench decides numbers: the models."""
        parts = []
        if Need.ENCODER in needs and self.image_text:
            parts.append(f"model:{self.image_text.signature}")
        if Need.SENTENCE_MODEL in needs and self.sentence:
            parts.append(f"model:{self.sentence.signature}")
        return parts
