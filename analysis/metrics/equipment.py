"""What an operator chooses to compute metrics with, and the workbench made of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from analysis.metrics.encoder import Encoder
from analysis.metrics.models import DEMO_CAUTION, ModelChoice, find_model
from analysis.metrics.registry import MetricUnavailable, Need
from analysis.metrics.sentence_model import SentenceModel, find_sentence_model
from analysis.metrics.workbench import Workbench


@dataclass(frozen=True)
class Equipment:
    """Models, programs and the store; whatever is left out has a default that works offline.

    There is no default image–text model. ``rendered`` tells that all videos are scenes of the demo
    campaign: nothing else may the demo model be trusted with.
    """

    store: Path
    model: ModelChoice = field(default_factory=ModelChoice)
    rendered: bool = False
    device: str = "cpu"
    dtype: str = "float32"
    sentence_model: Path | None = None
    java: str = "java"
    spice_home: Path | None = None

    def workbench(self, needs: Collection[Need]) -> Workbench:
        """A bench with what is needed; metrics say themselves what could not be had."""
        bench = Workbench(store=self.store, java=self.java, spice_home=self.spice_home)
        if Need.ENCODER in needs:
            bench.caution = DEMO_CAUTION if self.model.is_demo and not self.rendered else ""
            try:
                bench.image_text = self._encoder()
            except MetricUnavailable as unavailable:
                bench.no_image_text = str(unavailable)
        if Need.SENTENCE_MODEL in needs:
            try:
                bench.sentence = SentenceModel(
                    find_sentence_model(self.sentence_model),
                    self.store,
                    device=self.device,
                    dtype=self.dtype,
                )
            except MetricUnavailable as unavailable:
                bench.no_sentence = str(unavailable)
        return bench

    def _encoder(self) -> Encoder:
        return Encoder(find_model(self.model), self.store, device=self.device, dtype=self.dtype)
