"""Options of every command that computes metrics.

Models and programs are by default those that the operator named; settings come from the metrics.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings

from analysis.metrics.artifacts import Artifact, learn
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.encoding.models import DemoModelRefused, ModelChoice
from analysis.metrics.files import are_demo_scenes
from analysis.metrics.registry import families, metric_names, needs_of, resources
from analysis.metrics.settings import CHOICES, SETTINGS, Settings
from analysis.services.metric_context import device_for, model_of_operator, resource_paths

ANYWAY = "add --anyway"


def add_material(parser: ArgumentParser | _ArgumentGroup) -> None:
    """What metrics look at beside captions and references."""
    parser.add_argument(
        "--videos", "--images", dest="videos", type=Path, help="folder of the videos or images"
    )
    parser.add_argument("--corpus", type=Path, help="references to count rare words in")


def add_learned(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Metrics that were trained."""
    parser.add_argument(
        "--learned",
        type=learned,
        action="append",
        default=[],
        metavar="FOLDER",
        help="one more metric: the folder that training wrote, or a fusion that `correlate` wrote",
    )


def learned(text: str) -> Artifact:
    """A trained metric, from here on known by its name."""
    try:
        return learn(Path(text))
    except (ValueError, OSError) as error:
        raise ArgumentTypeError(str(error)) from None


def add_config(parser: ArgumentParser) -> None:
    """Models and programs of this machine."""
    group = parser.add_argument_group("models and programs", "by default as METRIC_… name them")
    group.add_argument("--store", type=Path, default=django_settings.METRIC_STORE,
                       help="folder of embeddings")  # fmt: skip
    group.add_argument("--float16", action="store_true", help="keep embeddings in half precision")
    add_model(group)
    group.add_argument("--device", default=None, help="cpu, cuda, cuda:1, …")
    named = (("sentence", "--sentence-model", "sentence model"), ("spice", "--spice-home", "SPICE"))
    for name, option, what in named:
        group.add_argument(option, type=Path, dest=name, help=f"folder of {what}")
    group.add_argument(
        "--resource",
        type=resource_path,
        action="append",
        default=[],
        metavar="NAME=PATH",
        help=f"files of {', '.join(one.name for one in resources())}",
    )
    group.add_argument("--java", default="java")


def resource_path(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    if name not in {one.name for one in resources()} or not path:
        known = ", ".join(one.name for one in resources())
        raise ArgumentTypeError(f"write NAME=PATH, with NAME one of {known}")
    return name, Path(path)


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


def config_of(options: Mapping[str, Any], metrics: Sequence[str]) -> MetricConfig:
    """What these metrics are to be computed with.

    Raises
    ------
    DemoModelRefused
        When the demo model would judge other videos than those that say they were rendered for it.
    """
    model = model_of(options)
    needs = needs_of(metrics)
    rendered = model.is_demo and bool(options["videos"]) and are_demo_scenes(options["videos"])
    if model.is_demo and IMAGE_TEXT.name in needs and not (rendered or options["anyway"]):
        raise DemoModelRefused(ANYWAY)
    given = {name: options[name] for name in ("sentence", "spice") if options[name]}
    return MetricConfig(
        store=options["store"],
        model=model,
        rendered=rendered,
        device=options["device"] or device_for(needs),
        dtype="float16" if options["float16"] else "float32",
        java=options["java"],
        paths=tuple((dict(resource_paths()) | given | dict(options["resource"])).items()),
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
