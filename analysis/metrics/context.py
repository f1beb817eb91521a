"""What the metrics of a batch share: words counted, models opened, values so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from analysis.metrics.batch import Batch, Values
from analysis.metrics.registry import MetricUnavailable, resource, resources
from analysis.metrics.settings import Settings
from analysis.metrics.words import Words

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig
    from analysis.metrics.encoding.encoder import Encoder

Result = TypeVar("Result")


class ScoringContext:
    """Kept from batch to batch, so that nothing is opened or loaded twice.

    Parameters
    ----------
    config : what resources are opened with; without it there are none but those given
    opened : resources that are open already, by name

    Attributes
    ----------
    values : what the metrics of this batch gave, for those that are computed from others
    """

    def __init__(
        self,
        config: MetricConfig | None = None,
        opened: Mapping[str, Any] | None = None,
        values: Mapping[str, Values] | None = None,
    ) -> None:
        self.config = config
        self.values: Mapping[str, Values] = values or {}
        self._opened: dict[str, Any] = dict(opened or {})
        self._refused: dict[str, str] = {}
        self._known: dict[Any, tuple[Batch, Any]] = {}

    @property
    def device(self) -> str:
        return self.config.device if self.config else "cpu"

    def resource(self, name: str) -> Any:
        """A model, a table or a program by its name.

        Raises
        ------
        MetricUnavailable
            When it cannot be had; asked again, it is refused with the same sentence.
        """
        if name not in self._opened:
            if name in self._refused:
                raise MetricUnavailable(self._refused[name])
            try:
                self._opened[name] = resource(name).open_with(self.config)
            except MetricUnavailable as unavailable:
                self._refused[name] = str(unavailable)
                raise
        return self._opened[name]

    def find(self, name: str) -> Any | None:
        """The same, or None where it cannot be had."""
        try:
            return self.resource(name)
        except MetricUnavailable:
            return None

    def embedders(self, needs: Collection[str]) -> dict[str, Any]:
        """The models among these needs that keep embeddings, those that can be had."""
        names = [one.name for one in resources() if one.embeds and one.name in needs]
        return {name: model for name in names if (model := self.find(name)) is not None}

    def tables(self, needs: Collection[str]) -> list[str]:
        """For signatures: the files that were opened for these needs, and tell their edition."""
        names = [one.name for one in resources() if not one.embeds and one.name in needs]
        found = {name: getattr(self._opened.get(name), "signature", "") for name in names}
        return [f"{name}:{signature}" for name, signature in found.items() if signature]

    @property
    def embedders_opened(self) -> list[Any]:
        return [self._opened[one.name] for one in resources() if one.embeds and self._has(one.name)]

    def _has(self, name: str) -> bool:
        return name in self._opened

    @contextmanager
    def passing(self, folder: Path, needs: Collection[str]) -> Iterator[None]:
        """While this lasts, texts are embedded into a folder that nobody keeps."""
        kept = self.embedders(needs)
        self._opened |= {name: model.passing(folder) for name, model in kept.items()}
        try:
            yield
        finally:
            self._opened |= kept

    def words(self, batch: Batch, how: str) -> Words:
        """The batch tokenised."""
        return self._remember(("words", how), batch, lambda: Words(batch, how))

    def remember(
        self,
        match: Callable[[Batch, Settings, Encoder], Result],
        batch: Batch,
        settings: Settings,
        model: str = "image_text",
    ) -> Result:
        """What several metrics of a batch have in common, computed for the first of them."""
        encoder = self.resource(model)
        what = (match, settings, model)
        return self._remember(what, batch, lambda: match(batch, settings, encoder))

    def _remember(self, what: Any, batch: Batch, compute: Callable[[], Result]) -> Result:
        """The last batch only: a worker lives long and memory is bounded."""
        known = self._known.get(what)
        if known is None or known[0] is not batch:
            self._known = {k: v for k, v in self._known.items() if v[0] is batch}
            known = self._known[what] = (batch, compute())
        result: Result = known[1]
        return result
