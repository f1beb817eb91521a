"""How a score was made, in one line that goes wherever the score goes."""

from __future__ import annotations

from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Family, Need
from analysis.metrics.settings import Settings


def signature(
    name: str, family: Family, batch: Batch, settings: Settings, context: ScoringContext
) -> str:
    """Everything the numbers depend on beside caption, references and video.

    ``bleu4|refs:5|tokenize:ptb|version:1``
    """
    parts = [name]
    if Need.REFERENCES in family.needs:
        parts.append(f"refs:{_reference_counts(batch)}")
    if family.uses_corpus(settings):
        parts.append(f"corpus:{len(batch.corpus)}@{batch.corpus_digest}")
    parts += [f"{setting}:{getattr(settings, setting)}" for setting in family.settings]
    parts += [f"model:{model.signature}" for model in context.embedders(family.needs).values()]
    parts += context.tables(family.needs)
    parts += [family.data(), f"version:{family.version}"]
    return "|".join(part for part in parts if part)


def _reference_counts(batch: Batch) -> str:
    counts = batch.reference_counts
    if not counts:
        return "0"
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)}-{max(counts)}"
