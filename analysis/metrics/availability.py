"""Which metrics a machine cannot compute, and why: seen without loading or starting anything."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterable

from analysis.metrics.equipment import Equipment
from analysis.metrics.meteor.files import find_files
from analysis.metrics.registry import MetricUnavailable, Need, families
from analysis.metrics.spice import spice

_NO_JAVA = "no Java is installed (Debian: default-jre-headless)"


def unavailable(equipment: Equipment) -> dict[str, str]:
    """A sentence for each metric that cannot be computed with this equipment."""
    bench = equipment.workbench({Need.ENCODER, Need.SENTENCE_MODEL})
    lacking = {
        Need.ENCODER: _no_model(bench.image_text, bench.no_image_text, ("torch", "open_clip")),
        Need.SENTENCE_MODEL: _no_model(
            bench.sentence, bench.no_sentence, ("torch", "sentence_transformers")
        ),
        Need.JAVA: "" if shutil.which(equipment.java) else _NO_JAVA,
    }
    programs = {"meteor": _no_meteor(), "spice": _no_spice(equipment)}
    return {
        name: reason
        for family in families()
        for name in family.metrics
        if (reason := programs.get(name) or _first(lacking.get(need) for need in family.needs))
    }


def _no_model(model: object | None, reason: str, packages: Iterable[str]) -> str:
    """Why a model cannot be used; what is stored is scored without its packages, no more."""
    return reason if model is None else _no_packages(packages)


def _no_packages(names: Iterable[str]) -> str:
    absent = " and ".join(name for name in names if importlib.util.find_spec(name) is None)
    return (
        f"{absent} cannot be imported; requirements.txt has all that metrics need" if absent else ""
    )


def _no_meteor() -> str:
    return _refusal(find_files) or _no_packages(["snowballstemmer"])


def _no_spice(equipment: Equipment) -> str:
    home, java = equipment.spice_home, equipment.java
    return "" if home is not None else _refusal(lambda: spice([], [], None, java))


def _refusal(start: Callable[[], object]) -> str:
    """What a program says that is known not to be there."""
    try:
        start()
    except MetricUnavailable as refusal:
        return str(refusal)
    return ""


def _first(reasons: Iterable[str | None]) -> str:
    return next((reason for reason in reasons if reason), "")
