"""How a score was made, in one line that goes wherever the score goes."""

from __future__ import annotations

from collections.abc import Mapping

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


def differences(signatures: Mapping[str, str]) -> list[str]:
    """For each metric that has several columns, a sentence with the settings that differ.

    >>> differences({"emscore@a": "emscore|idf:none|k:5", "emscore@b": "emscore|idf:paper|k:5"})
    ['emscore is there twice or more: emscore@a with idf:none; emscore@b with idf:paper']
    """
    columns: dict[str, dict[str, list[str]]] = {}
    for name, made in signatures.items():
        columns.setdefault(name.partition("@")[0], {})[name] = made.split("|")
    said = []
    for metric, parts in columns.items():
        common = set.intersection(*map(set, parts.values()))
        own = {
            name: ", ".join(part for part in all_ if part not in common)
            for name, all_ in parts.items()
        }
        if len(parts) > 1:
            told = "; ".join(f"{name} with {differ or 'no more'}" for name, differ in own.items())
            said.append(f"{metric} is there twice or more: {told}")
    return said


def _reference_counts(batch: Batch) -> str:
    counts = batch.reference_counts
    if not counts:
        return "0"
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)}-{max(counts)}"
