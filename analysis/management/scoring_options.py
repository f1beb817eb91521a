"""Options of every command that computes metrics.

Models and programs are by default those that the operator named; settings come from the metrics.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings

from analysis.metrics.equipment import Equipment
from analysis.metrics.models import DemoModelRefused, ModelChoice
from analysis.metrics.registry import Need, families, families_of, metric_names
from analysis.metrics.settings import CHOICES, SETTINGS, Settings
from analysis.services.metric_bench import device, model_of_operator, path_or_none

ANYWAY = "add --anyway"


def add_material(parser: ArgumentParser | _ArgumentGroup) -> None:
    """What metrics look at beside captions and references."""
    parser.add_argument("--videos", type=Path, help="folder of the video files")
    parser.add_argument("--corpus", type=Path, help="references to count rare words in")


def add_equipment(parser: ArgumentParser) -> None:
    """Models and programs of this machine."""
    group = parser.add_argument_group("models and programs", "by default as METRIC_… name them")
    group.add_argument("--store", type=Path, default=django_settings.METRIC_STORE,
                       help="folder of embeddings")  # fmt: skip
    group.add_argument("--float16", action="store_true", help="keep embeddings in half precision")
    add_model(group)
    group.add_argument("--device", default=None, help="cpu, cuda, cuda:1, …")
    for option, setting, what in (
        ("--sentence-model", django_settings.METRIC_SENTENCE_MODEL, "folder of a sentence model"),
        ("--spice-home", django_settings.METRIC_SPICE_HOME, "folder of SPICE and its models"),
    ):
        group.add_argument(option, type=Path, default=path_or_none(setting), help=what)
    group.add_argument("--java", default="java")


def add_model(parser: ArgumentParser | _ArgumentGroup) -> None:
    """The image–text model; there is none by default, because none comes with the platform that
    could judge real videos."""
    parser.add_argument("--model", help="an open_clip architecture, a folder, or demo")
    parser.add_argument("--weights", default="", help="file, or a name open_clip knows")
    parser.add_argument(
        "--anyway", action="store_true", help="let the demo model judge what it was not made for"
    )


def add_settings(parser: ArgumentParser) -> None:
    """Every setting of every metric, under its own name."""
    group = parser.add_argument_group("settings of the metrics")
    for name, setting in SETTINGS.items():
        option, about = f"--{name.replace('_', '-')}", setting.metadata
        told = f"{about['label']}. {about['help_text']} For {', '.join(used_by(name))}."
        told = told.replace("%", "%%")
        if isinstance(setting.default, bool):
            group.add_argument(option, action="store_true", help=told)
            continue
        group.add_argument(
            option,
            type=type(setting.default),
            default=setting.default,
            choices=CHOICES.get(name),
            help=told,
        )


def used_by(setting: str) -> list[str]:
    """One metric of each family whose numbers depend on a setting."""
    return [next(iter(family.metrics)) for family in families() if setting in family.settings]


def settings_of(options: Mapping[str, Any]) -> Settings:
    return Settings(**{name: options[name] for name in SETTINGS})


def model_of(options: Mapping[str, Any]) -> ModelChoice:
    """The model that was named, or else the operator's."""
    if options["model"]:
        return ModelChoice(options["model"], options["weights"])
    return model_of_operator() or ModelChoice()


def equipment_of(options: Mapping[str, Any], metrics: Sequence[str]) -> Equipment:
    """What these metrics are to be computed with.

    Raises
    ------
    DemoModelRefused
        When the demo model would judge files: nothing tells that they are its rendered scenes.
    """
    model = model_of(options)
    needs = {need for family in families_of(metrics) for need in family.needs}
    if model.is_demo and Need.ENCODER in needs and not options["anyway"]:
        raise DemoModelRefused(ANYWAY)
    return Equipment(
        store=options["store"],
        model=model,
        device=options["device"]
        or (device() if needs & {Need.ENCODER, Need.SENTENCE_MODEL} else "cpu"),
        dtype="float16" if options["float16"] else "float32",
        sentence_model=options["sentence_model"],
        java=options["java"],
        spice_home=options["spice_home"],
    )


def names(text: str) -> list[str]:
    """The metrics that an option names."""
    if text == "all":
        return metric_names()
    named = [name.strip() for name in text.split(",") if name.strip()]
    known = metric_names()
    unknown = [name for name in named if name not in known]
    if unknown or not named:
        raise ArgumentTypeError(
            f"unknown: {', '.join(unknown) or 'nothing named'}; `manage.py metrics` lists them"
        )
    return named
