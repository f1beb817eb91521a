"""SPICE through its authors' own program, where that program and its parser's models are."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Family, MetricUnavailable, Need, Resource
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.config import MetricConfig

_JAR = "spice-1.0.jar"
_MODELS = "stanford-corenlp-3.6.0-models.jar"
_HOW = (
    f"SPICE is not installed: give the folder that holds {_JAR} and lib/{_MODELS} (the folder "
    "pycocoevalcap/spice, plus the two CoreNLP 3.6.0 jars from stanfordnlp.github.io), with Java"
)


def spice(
    captions: Sequence[str], references: Sequence[Sequence[str]], home: Path, java: str
) -> Values:
    """F of the scene-graph tuples of every caption (Anderson et al. 2016, equation 5)."""
    questions = [
        {"image_id": number, "test": caption, "refs": list(texts)}
        for number, (caption, texts) in enumerate(zip(captions, references, strict=True))
    ]
    answers = {answer["image_id"]: answer["scores"] for answer in _run(questions, home, java)}
    return np.array([_f_value(answers[number]) for number in range(len(questions))])


def _f_value(scores: Mapping[str, Mapping[str, float | None]]) -> float:
    value = scores["All"]["f"]
    return np.nan if value is None else float(value)


def _run(questions: list[dict[str, object]], home: Path, java: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "asked.json", Path(folder) / "answered.json"
        asked.write_text(json.dumps(questions))
        command = [java, "-Xmx8G", "-jar", str((home / _JAR).resolve()), str(asked)]
        command += ["-out", str(answered), "-subset", "-silent"]
        try:
            subprocess.run(command, cwd=home, check=True, capture_output=True)  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            raise MetricUnavailable(f"SPICE's Java program failed: {error}") from error
        return list(json.loads(answered.read_text()))


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    words = context.words(batch, settings.tokenize)
    references = [words.references_by_video[video] for video in batch.videos]
    home, java = context.resource(SPICE.name)
    return {"spice": spice(words.captions, references, home, java)}


def _find(config: MetricConfig) -> tuple[Path, str]:
    """The folder of the program, and the Java to start it with."""
    home = config.path("spice")
    if home is None or not (home / _JAR).is_file() or not (home / "lib" / _MODELS).is_file():
        raise MetricUnavailable(_HOW)
    if shutil.which(config.java) is None:
        raise MetricUnavailable("no Java is installed (Debian: default-jre-headless)")
    return home, config.java


SPICE = Resource(name="spice", title="SPICE program", find=_find, open=lambda found, config: found)
RESOURCES = (SPICE,)


FAMILIES = (
    Family(
        metrics={"spice": "F of objects, attributes and relations in scene graphs"},
        paper="Anderson et al. 2016, SPICE: semantic propositional image caption evaluation",
        needs=frozenset({Need.REFERENCES, SPICE.name}),
        settings=("tokenize",),
        score=_score,
    ),
)
