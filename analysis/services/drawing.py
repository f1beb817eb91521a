"""Files with charts, made by workers for machines that cannot draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.apps import apps

from analysis.results.files import Maker
from analysis.selectors.evaluations import evaluation_folder, evaluation_makers
from analysis.selectors.results import result_folder, result_makers
from analysis.services.files import file_make


def file_draw(*, kind: str, pk: int, name: str) -> None:
    """Make a file for a machine that cannot. Safe twice; what is not there any more is left."""
    folder_of, makers_of = KINDS[kind]
    computed = apps.get_model("analysis", kind).objects.filter(pk=pk).exclude(signature="")
    found = computed.select_related("campaign").first()
    if found is not None:
        file_make(folder=folder_of(found), name=name, makers=makers_of(found))


KINDS: Mapping[str, tuple[Callable[[Any], Path], Callable[[Any], Mapping[str, Maker]]]] = {
    "result": (result_folder, result_makers),
    "metricevaluation": (evaluation_folder, evaluation_makers),
}
