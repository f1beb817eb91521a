"""`learn clip`, `learn cloob`, `learn factvc`: an image–text model trained on, as a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from analysis.learning.folder import (
    REPORTED,
    STOPPING,
    card,
    whole_folder,
    write_training,
)
from analysis.learning.rated import RatedSet
from analysis.learning.splits import by_video
from analysis.learning.training import Told
from analysis.metrics.artifacts import CARD
from analysis.metrics.batch import VideoFile
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.models import DEMO_MODEL, ModelChoice, find_model
from analysis.metrics.registry import metric_libraries
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.stats.correlation import pearson

VERSION: Final = "image-text-3"
"""Raised when the same data would give another model."""
SHARE: Final = 0.2
FACTVC: Final = ("factvc", "factvc_text", "factvc_both", "factvc_f")
LOSSES: Final = ("both", "coarse", "fine")
POOLINGS: Final = ("mean", "max", "min")
HOPFIELD_SCALE: Final = 8.0
"""β of CLOOB's code on Conceptual Captions; 14.3 is its default elsewhere."""
INVERSE_TEMPERATURE: Final = 30.0
"""τ⁻¹ of CLOOB's code."""


@dataclass(frozen=True)
class Schooling:
    """How a model is fine-tuned; the defaults of each kind are its paper's.

    Parameters
    ----------
    frames : which frames of a video are pictures to learn from
    augmented : new texts made of each reference (CLIP and CLOOB)
    losses : of FactVC: coarse, fine, or both
    fine_weight, margin : λ and M of FactVC's second loss; M is in units of CLIP's scaled cosine
    most : triples drawn, where there are more
    pooling : over the cosines of a caption with the frames, where it is told when to stop
    hopfield_scale, inverse_temperature : β and τ⁻¹ of CLOOB; without them those of the checkpoint
        it starts from, or of CLOOB's code where that has none
    """

    epochs: int = 100
    batch: int = 32
    rate: float = 1e-8
    decay: float = 1e-3
    frames: str = "uniform:16"
    augmented: int = 10
    losses: str = "both"
    fine_weight: float = 0.1
    margin: float = 5.0
    most: int = 50_000
    pooling: str = "mean"
    hopfield_scale: float | None = None
    inverse_temperature: float | None = None

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling must be one of {', '.join(POOLINGS)}, not {self.pooling!r}")
        if self.losses not in LOSSES:
            raise ValueError(f"losses must be one of {', '.join(LOSSES)}, not {self.losses!r}")

    def with_scales(self, hopfield: float, inverse_temperature: float) -> Schooling:
        """With these scales of CLOOB where none are named."""
        return replace(
            self,
            hopfield_scale=self.hopfield_scale or hopfield,
            inverse_temperature=self.inverse_temperature or inverse_temperature,
        )

    def __str__(self) -> str:
        told = {name: value for name, value in asdict(self).items() if value is not None}
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items())


PAPERS: Final = {
    "clip": Schooling(),
    "cloob": Schooling(),
    "factvc": Schooling(epochs=3, batch=256, rate=5e-5, decay=0.0, frames="uniform:3"),
}


@dataclass(frozen=True)
class Schooled:
    """How the model agrees with people (τ-c), and with which videos that was found.

    Parameters
    ----------
    curve : after so many steps, on the videos used to decide when to stop
    before, after : on videos that neither taught nor told anything
    table : of FactVC: its metrics before and after, on these last
    """

    curve: tuple[tuple[int, float], ...]
    before: float
    after: float
    unreadable: tuple[str, ...]
    table: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ThreeWays:
    """Videos to learn from, videos that tell when to stop, and videos to report on."""

    training: tuple[RatedSet, ...]
    stopping: tuple[RatedSet, ...]
    reported: tuple[RatedSet, ...]


def three_ways(sets: Sequence[RatedSet], seed: int) -> ThreeWays:
    """A fifth of the videos to report on, a fifth of the others to stop by."""
    report = by_video(sets, np.random.default_rng([seed, 4]), SHARE)
    stop = by_video(report.training, np.random.default_rng([seed, 8]), SHARE)
    return ThreeWays(stop.training, stop.test, report.test)


def learn_image_text(
    kind: str,
    sets: Sequence[RatedSet],
    files: Mapping[str, VideoFile],
    choice: ModelChoice,
    schooling: Schooling,
    *,
    seed: int,
    out: Path,
    paraphrases: Mapping[str, Sequence[str]] | None = None,
    concepts: Mapping[str, str] | None = None,
    told: Told = lambda *_: None,
) -> Schooled:
    """Fine-tune a model on references and frames; some videos tell when to stop, others how it is.

    Parameters
    ----------
    paraphrases : of references, for FactVC
    concepts : the super-category of nouns, for FactVC's errors; the platform's own without it
    """
    with metric_libraries():
        from analysis.learning.checkpoints import Checkpoints, training_key
        from analysis.learning.image_text import (
            ImageTextTraining,
            Pupil,
            pair_lessons,
            read_pictures,
            save_folder,
        )
        from analysis.learning.projections import triple_lessons
        from analysis.metrics.encoding.torch_models.image_text import ImageTextModel
    towers = find_model(choice).load("cpu")  # and from there to where accelerate trains
    if not isinstance(towers, ImageTextModel):
        raise ValueError(f"the model {choice.model} cannot be trained")
    if kind == "cloob":
        scales = towers.cloob or (HOPFIELD_SCALE, INVERSE_TEMPERATURE)
        schooling = schooling.with_scales(*scales)
    pictures, faults = read_pictures(files, schooling.frames, towers)
    seen = [_with_pictures(rated, pictures, files) for rated in sets]
    split = three_ways([rated for rated in seen if len(rated)], seed)
    pupil = Pupil(towers, pictures, schooling.pooling)
    references = {
        video: rated.batch.references[video]
        for rated in split.training
        for video in dict.fromkeys(rated.batch.videos)
    }
    lessons = (
        triple_lessons(pupil, references, schooling, seed, paraphrases or {}, concepts)
        if kind == "factvc"
        else pair_lessons(pupil, kind, references, schooling, seed)
    )
    clips = sorted((name, file.sha256) for name, file in files.items())
    settings = (
        kind,
        asdict(choice),
        asdict(schooling),
        seed,
        VERSION,
        clips,
        paraphrases,
        concepts,
    )
    checkpoints = Checkpoints(out, training_key(sets, *settings))
    before = pupil.agreement(split.reported)
    ImageTextTraining(pupil, lessons, split.stopping, schooling, seed, checkpoints).run(told)
    after = pupil.agreement(split.reported)
    unreadable = tuple(f"{name}: {why}" for name, why in faults.items())
    found = Schooled(tuple(pupil.curve), before, after, unreadable)
    if not pupil.accelerator.is_main_process:
        return found  # one process writes for all
    source = DEMO_MODEL if choice.is_demo else Path(choice.model)
    with whole_folder(out) as folder:
        architecture = choice.model.removeprefix("cloob:")
        save_folder(pupil, source if source.is_dir() else None, architecture, folder)
        write_training(folder, seen, {STOPPING: split.stopping, REPORTED: split.reported})
        if kind == "factvc":
            models = choice, ModelChoice(str(folder))
            found = replace(found, table=factvc_table(models, split.reported))
        (folder / CARD).write_text(_card(kind, choice, schooling, seed, split, found), "utf-8")
    checkpoints.clear()
    return found


def factvc_table(models: Sequence[ModelChoice], test: Sequence[RatedSet]) -> tuple[str, ...]:
    """Pearson's r with people of FactVC against video, references and both, by each model: the
    model before training, and after it (factvc-2023 Tables 5 and 6)."""
    found = [[_factvc(model, one) for one in test] for model in models]
    means = [{name: np.mean([one[name] for one in own]) for name in FACTVC} for own in found]
    return (
        "| metric, r on videos held out | before | after |",
        "|---|---:|---:|",
        *(f"| {name} | {means[0][name]:.3f} | {means[1][name]:.3f} |" for name in FACTVC),
    )


def _factvc(choice: ModelChoice, rated: RatedSet) -> dict[str, float]:
    """Embeddings are kept nowhere: one of the models is not known by its last name yet."""
    batch, settings = rated.batch, Settings()
    with tempfile.TemporaryDirectory() as store:
        context = MetricConfig(Path(store), model=choice, rendered=True).context()
        embed(embeddable(batch, FACTVC, settings), settings, context)
        values = score(batch, FACTVC, settings, context).values
    return {name: pearson(values[name], rated.scores) for name in FACTVC}


def _with_pictures(
    rated: RatedSet, pictures: Mapping[str, object], files: Mapping[str, VideoFile]
) -> RatedSet:
    """The captions whose videos can be looked at, with the files that these are known by."""
    kept = [row for row, video in enumerate(rated.batch.videos) if video in pictures]
    return replace(rated, batch=replace(rated.batch, files=files)).take(
        np.array(kept, dtype=np.intp)
    )


def _card(
    kind: str,
    choice: ModelChoice,
    schooling: Schooling,
    seed: int,
    split: ThreeWays,
    found: Schooled,
) -> str:
    facts = {
        "Model it started from": f"{choice.model} {choice.weights}".strip(),
        "How": str(schooling),
        "Seed": str(seed),
    }
    table = [
        f"| τ-c with people ({schooling.pooling} over frames, best reference) | before | after |",
        "|---|---:|---:|",
        f"| {_size(split.reported)}, used for neither training nor stopping | {found.before:.4f} | "
        f"{found.after:.4f} |",
        "",
        f"| after steps | τ-c with people, {_size(split.stopping)} used to decide when to stop |",
        "|---:|---:|",
    ]
    table += [f"| {step} | {r:.4f} |" for step, r in found.curve]
    table += ["", *found.table] if found.table else []
    title = f"{kind}: an image–text model fine-tuned on captions"
    return card(title, facts, split.training, table)


def _size(sets: Sequence[RatedSet]) -> str:
    videos = sum(len(set(one.batch.videos)) for one in sets)
    return f"{sum(map(len, sets)):,} captions of {videos:,} videos"
