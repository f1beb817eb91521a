"""`learn head`: choose, train, and write a folder that scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from analysis.learning.folder import Reported, card, described, save_metric
from analysis.learning.rated import RatedSet
from analysis.learning.training import TrainedHead
from analysis.metrics.artifacts import Artifact
from analysis.metrics.families.learned import HEAD, WEIGHTS

PAPER: Final = (
    "Lebron et al. 2022, BERTHA: video captioning evaluation via transfer-learned human ratings"
)
VERSION: Final = "head-3"
"""Raised when the same ratings would give another head."""


def save_head_metric(
    out: Path,
    trained: TrainedHead,
    sets: Sequence[RatedSet],
    *,
    name: str,
    seed: int,
    backbone: str,
    reported: Reported | None = None,
) -> Artifact:
    """The folder of a head that was trained on these sets.

    Parameters
    ----------
    reported : how well it does on others; without it, how its recipe did when it was chosen
    """
    from analysis.metrics.learned.head import options_of, save_heads

    facts = {
        "Sentence model": backbone,
        "Recipe": f"{trained.chosen}, the best of {len(trained.tried)} on what was left out",
        "Networks averaged": str(sum(head.recipe.members for head in trained.heads.heads)),
        "Seed": str(seed),
    }
    lines = reported.lines if reported else trained.trial.lines()
    return save_metric(
        out,
        sets,
        lambda folder: save_heads(trained.heads, folder / WEIGHTS),
        card=card(
            f"{name}: a metric learned from people",
            facts,
            sets,
            [*lines, "", *trained.recipes()],
        ),
        held={**trained.choosing, **(reported.parts if reported else {})},
        kind=HEAD,
        name=name,
        summary="text metrics and sentence embeddings, weighted by a network to match human "
        "ratings",
        paper=PAPER,
        trained=described(sets, seed, VERSION),
        options=options_of(trained.heads, backbone),
    )
