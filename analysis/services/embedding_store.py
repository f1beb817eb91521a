"""Embeddings and trained metrics, which every worker has in a folder and all of them in the bucket.

Shards never change and are named after what is in them: to share them is to add those that nobody
has put there yet.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from analysis.metrics.artifacts import CONFIG
from analysis.models import LearnedMetric
from analysis.selectors.learned_metrics import learned_folder
from daplatform.shared_files import files_share, folder_fetch, folder_share, is_shared

_WHOLE = (".npy", ".npz")


def store_pull(spaces: Iterable[str]) -> None:
    """Have what other workers have embedded in these spaces, if there is a bucket."""
    for space in spaces:
        folder_fetch(settings.METRIC_STORE / space)


def store_push(spaces: Iterable[str]) -> None:
    """Let other workers have what this machine has embedded, if there is a bucket."""
    for space in spaces:
        folder = settings.METRIC_STORE / space
        files_share(path for path in sorted(folder.glob("*")) if path.suffix in _WHOLE)


def learned_pull(metrics: Iterable[str]) -> None:
    """Have the folders of the trained metrics among these on this machine."""
    trained = LearnedMetric.objects.trained().filter(name__in=list(metrics))
    for name in trained.values_list("name", flat=True):
        folder = learned_folder(name)
        if (folder / CONFIG).is_file() and not is_shared(folder / CONFIG):
            folder_share(folder)  # trained before there was a bucket
        folder_fetch(folder)
