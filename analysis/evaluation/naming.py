"""Metrics by the names people read: with the settings that differ, where one stands several times.

Tables for programs keep the columns' own names; pages, reports, pictures and LaTeX are made of what
these functions return. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analysis.evaluation.pipeline import Evaluation
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.set_fusion import SetFusion
from analysis.evaluation.sets import SetEvaluation


def named(evaluation: Evaluation) -> Evaluation:
    """Done twice it is the same as once."""
    labels = evaluation.joined.labels
    if not labels:
        return evaluation
    parts = tuple(replace(part, metrics=_each(part.metrics, labels)) for part in evaluation.parts)
    words = tuple(
        replace(each, metric=labels.get(each.metric, each.metric)) for each in evaluation.words
    )
    return replace(evaluation, parts=parts, words=words)


def named_checks(checked: Iterable[Robustness], labels: Mapping[str, str]) -> list[Robustness]:
    return [
        replace(
            one,
            findings=tuple(
                replace(found, metric=labels.get(found.metric, found.metric))
                for found in one.findings
            ),
        )
        for one in checked
    ]


def named_sets(found: SetEvaluation) -> SetEvaluation:
    """With the settings that differ alike in every set; of others a note tells."""
    labels = _shared_labels(found)
    if not labels:
        return found
    return replace(
        found,
        metrics=_each(found.metrics, labels),
        fusions=tuple(_named_mix(mix, labels) for mix in found.fusions),
        robustness={
            name: tuple(named_checks(checked, labels)) for name, checked in found.robustness.items()
        },
    )


def _shared_labels(found: SetEvaluation) -> dict[str, str]:
    told = [one.labels for one in found.joined.values()]
    return {
        name: label for name, label in told[0].items()
        if all(other.get(name) == label for other in told)
    }  # fmt: skip


def _named_mix(mix: SetFusion, labels: Mapping[str, str]) -> SetFusion:
    unseen = tuple(row | {"metric": labels.get(row["metric"], row["metric"])} for row in mix.unseen)
    return replace(mix, metrics=_each(mix.metrics, labels), unseen=unseen)


def _each(names: Sequence[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels.get(name, name) for name in names)
