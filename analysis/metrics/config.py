"""What an operator chooses to compute metrics with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.models import DEMO_CAUTION, ModelChoice


@dataclass(frozen=True)
class MetricConfig:
    """Models, programs and the store; whatever is left out has a default that works offline.

    There is no default image–text model.

    Parameters
    ----------
    store : the folder of embeddings and of what is made once, such as METEOR's table
    model : the image–text model
    rendered : whether all videos are scenes of the demo campaign; the demo model may be trusted
        with nothing else
    device, dtype : where models run, and what their embeddings are kept in
    java : the Java program
    paths : where the files of resources lie, by the name of the resource
    """

    store: Path
    model: ModelChoice = field(default_factory=ModelChoice)
    rendered: bool = False
    device: str = "cpu"
    dtype: str = "float32"
    java: str = "java"
    paths: tuple[tuple[str, Path], ...] = ()

    def path(self, resource: str) -> Path | None:
        return dict(self.paths).get(resource)

    @property
    def caution(self) -> str:
        """What everybody must know who sees a number of the image–text model."""
        return DEMO_CAUTION if self.model.is_demo and not self.rendered else ""

    def context(self) -> ScoringContext:
        """What metrics are computed in; a resource is opened when the first metric needs it."""
        return ScoringContext(self)
