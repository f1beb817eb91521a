"""How a score was made, in one line that goes wherever the score goes."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Family, Need
from analysis.metrics.settings import Settings

_OWN = ("refs:", "corpus:")


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
    own = own_settings(signatures)
    said = []
    for metric in dict.fromkeys(name.partition("@")[0] for name in own):
        told = "; ".join(
            f"{name} with {differ or 'no more'}"
            for name, differ in own.items()
            if name.partition("@")[0] == metric
        )
        said.append(f"{metric} is there twice or more: {told}")
    return said


def own_settings(signatures: Mapping[str, str]) -> dict[str, str]:
    """Of each column of a metric that has several: the settings the others do not share.

    >>> own_settings({"emscore@a": "emscore|idf:none|k:5", "emscore@b": "emscore|idf:paper|k:5"})
    {'emscore@a': 'idf:none', 'emscore@b': 'idf:paper'}
    """
    columns: dict[str, dict[str, list[str]]] = {}
    for name, made in signatures.items():
        columns.setdefault(name.partition("@")[0], {})[name] = made.split("|")
    return {
        name: ", ".join(part for part in all_ if part not in common)
        for parts in columns.values()
        if len(parts) > 1
        for common in [set.intersection(*map(set, parts.values()))]
        for name, all_ in parts.items()
    }


def made_otherwise(sets: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each metric that was not computed alike in every set, a sentence with what differs.

    References and corpus are the set's own and may differ; signatures come by set and metric.

    >>> made_otherwise({"a": {"cider": "cider|k:1|refs:2"}, "b": {"cider": "cider|k:2"}})
    ['cider was not computed alike in every set (a with k:1; b with k:2): their mean mixes both']
    """
    said = []
    for metric in dict.fromkeys(name for made in sets.values() for name in made):
        parts = {
            name: [part for part in made[metric].split("|") if not part.startswith(_OWN)]
            for name, made in sets.items()
            if metric in made
        }
        common = set.intersection(*map(set, parts.values()))
        own = {name: ", ".join(one for one in all_ if one not in common)
               for name, all_ in parts.items()}  # fmt: skip
        if any(own.values()):
            told = "; ".join(f"{name} with {differ or 'no more'}" for name, differ in own.items())
            said.append(
                f"{metric} was not computed alike in every set ({told}): their mean mixes both"
            )
    return said


def _reference_counts(batch: Batch) -> str:
    counts = batch.reference_counts
    if not counts:
        return "0"
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)}-{max(counts)}"
