"""Fine-tuning an image–text model on captions (vision-language-2022 §4.3, factvc-2023 §4).

Imports torch: imported late. What is written is an open_clip folder, which ``--model`` takes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from accelerate import Accelerator
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import normalize

from analysis.learning.checkpoints import (
    Checkpoints,
    own_random,
    random_states,
    restore_random,
)
from analysis.learning.contrastive import loss_of_kind
from analysis.learning.corpora import Corpus
from analysis.learning.folder import MODEL_CONFIG
from analysis.learning.rated import RatedSet
from analysis.learning.schooling import Schooling
from analysis.learning.training import Told, improves
from analysis.learning.transformations import augment
from analysis.metrics.batch import VideoFile
from analysis.metrics.encoding.decoding import decode_ahead
from analysis.metrics.encoding.models import MERGES
from analysis.metrics.encoding.sampling import Sampling
from analysis.metrics.encoding.torch_models.image_text import ImageTextModel
from analysis.metrics.encoding.torch_models.libraries import open_clip
from analysis.stats.correlation import kendall

WEIGHTS: Final = "open_clip_model.safetensors"
AT_ONCE: Final = 64
KEEP_EVERY: Final = 50
"""Steps between checkpoints."""


POOLED: Final[Mapping[str, Callable[[Tensor], Tensor]]] = {
    "mean": lambda cosines: cosines.mean(dim=1),
    "max": lambda cosines: cosines.amax(dim=1),
    "min": lambda cosines: cosines.amin(dim=1),
}


@dataclass
class Pupil:
    """A model with the pictures and texts it learns from and is judged by."""

    towers: ImageTextModel
    pictures: Mapping[str, Tensor]
    pooling: str = "mean"
    curve: list[tuple[int, float]] = field(default_factory=list)
    accelerator: Accelerator = field(default_factory=Accelerator)

    def __post_init__(self) -> None:
        self.towers.model.to(self.accelerator.device)

    def own(self, rows: Sequence[Any]) -> list[Any]:
        """The part of a batch that is this process's; two at least, to be told apart."""
        shares, rank = self.accelerator.num_processes, self.accelerator.process_index
        mine = list(rows[rank::shares])
        return mine if len(mine) > 1 else list(rows)

    @property
    def model(self) -> Any:
        return self.towers.model

    @property
    def device(self) -> torch.device:
        return next(self.towers.model.parameters()).device  # type: ignore[no-any-return]

    def tokens(self, texts: Sequence[str]) -> Tensor:
        found: Tensor = self.towers.tokenizer(list(texts)).to(self.device)
        return found

    def texts(self, texts: Sequence[str]) -> Tensor:
        return torch.cat(
            [
                self.model.encode_text(self.tokens(texts[at : at + AT_ONCE]))
                for at in range(0, len(texts), AT_ONCE)
            ]
        )

    def images(self, pictures: Tensor) -> Tensor:
        return torch.cat(
            [
                self.model.encode_image(pictures[at : at + AT_ONCE].to(self.device))
                for at in range(0, len(pictures), AT_ONCE)
            ]
        )

    @torch.inference_mode()
    def agreement(self, sets: Sequence[RatedSet]) -> float:
        """Kendall's τ-c with people of the mean cosine with the frames, or what else the pooling
        is, plus the best with a reference (``clip_mean+ref``): the mean over the sets."""
        self.model.eval()
        return float(np.mean([kendall(self._scores(one), one.scores)[1] for one in sets]))

    def _scores(self, rated: RatedSet) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = np.empty(len(rated))
        for video, rows in rated.batch.rows_by_video.items():
            frames = normalize(self.images(self.pictures[video]), dim=1)
            captions = [rated.batch.captions[row] for row in rows.tolist()]
            own = normalize(self.texts(captions), dim=1)
            told = normalize(self.texts(rated.batch.references[video]), dim=1)
            near = POOLED[self.pooling](own @ frames.T) + (own @ told.T).amax(dim=1)
            found[rows] = near.double().cpu().numpy()
        return found


def read_pictures(
    files: Mapping[str, VideoFile], frames: str, towers: ImageTextModel
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The chosen frames of each video as the model wants them, and what is wrong with which."""
    names = list(files)
    found: dict[str, list[Tensor]] = {name: [] for name in names}
    faults: dict[str, str] = {}
    paths = [files[name].path for name in names]
    for one in decode_ahead(paths, Sampling.parse(frames), towers.prepare, decoders=2, ahead=32):
        if one.frame is not None:
            found[names[one.video]].append(one.frame)
        elif one.fault:
            faults[names[one.video]] = one.fault
    return {name: torch.stack(own) for name, own in found.items() if own}, faults


@dataclass(frozen=True)
class Lessons:
    """What is trained, and the loss of every step.

    Parameters
    ----------
    batches : steps of a pass
    loss : of a step, by its number; what is drawn for it depends on that number and the seed alone
    synchronised : whether the model averages gradients over processes by itself
    """

    parameters: Sequence[Tensor]
    batches: int
    loss: Callable[[int], Tensor]
    synchronised: bool = False


class ImageTextTraining:
    """A training that can be stopped anywhere and goes on from its last checkpoint.

    The model is judged after every pass, and the best state is what remains of it, the untouched
    one included. Interrupted or not, the same data and seed end with the same weights.
    """

    def __init__(
        self,
        pupil: Pupil,
        lessons: Lessons,
        validation: Sequence[RatedSet],
        schooling: Schooling,
        seed: int,
        checkpoints: Checkpoints,
    ) -> None:
        self.pupil, self.lessons, self.validation = pupil, lessons, validation
        self.seed, self.checkpoints = seed, checkpoints
        self.steps = lessons.batches * schooling.epochs
        self.optimiser = pupil.accelerator.prepare(
            torch.optim.Adam(lessons.parameters, lr=schooling.rate, weight_decay=schooling.decay)
        )
        self.step = 0
        self.best = _state(pupil.model)

    def run(self, told: Told = lambda *_: None) -> None:
        with own_random(self.seed):
            if not self._resume():
                self._judge()
            while self.step < self.steps:
                loss = self._learn()
                self.step += 1
                if self.step % self.lessons.batches == 0:
                    self._judge()
                if self.step % KEEP_EVERY == 0:
                    self._keep()
                told(self.step, self.steps, loss)
        self.pupil.model.load_state_dict(self.best)
        self.pupil.model.eval()

    def _learn(self) -> float:
        self.pupil.model.train()
        loss = self.lessons.loss(self.step)
        self.optimiser.zero_grad()
        accelerator = self.pupil.accelerator
        accelerator.backward(loss)
        if accelerator.num_processes > 1 and not self.lessons.synchronised:
            for part in self.lessons.parameters:
                part.grad = accelerator.reduce(part.grad, "mean")
        self.optimiser.step()
        return float(loss.detach())

    def _judge(self) -> None:
        judged = self.pupil.agreement(self.validation)
        if improves(judged, [r for _, r in self.pupil.curve]):
            self.best = _state(self.pupil.model)
        self.pupil.curve.append((self.step, judged))

    def _keep(self) -> None:
        """By one process for all."""
        if not self.pupil.accelerator.is_main_process:
            return
        self.checkpoints.save(
            {
                "step": self.step,
                "curve": [list(point) for point in self.pupil.curve],
                "model": _state(self.pupil.model),
                "best": self.best,
                "optimiser": self.optimiser.state_dict(),
                "random": random_states(),
            }
        )

    def _resume(self) -> bool:
        kept = self.checkpoints.load()
        if kept is None:
            return False
        self.step, self.best = kept["step"], kept["best"]
        self.pupil.curve[:] = [(int(step), float(r)) for step, r in kept["curve"]]
        self.pupil.model.load_state_dict(kept["model"])
        self.optimiser.load_state_dict(kept["optimiser"])
        restore_random(kept["random"])
        return True


def pair_lessons(
    pupil: Pupil,
    kind: str,
    training: Mapping[str, Sequence[str]],
    schooling: Schooling,
    seed: int,
) -> Lessons:
    """CLIP and CLOOB: every weight learns, from pairs of a frame and a text.

    Parameters
    ----------
    training : the references of the videos to learn from
    """
    texts = _augmented(training, schooling.augmented, np.random.default_rng([seed, 5]))
    videos = sorted(texts)
    batches = max(len(videos) // schooling.batch, 1)
    loss_of = loss_of_kind(kind, schooling)
    model = pupil.accelerator.prepare(pupil.model)

    def loss(step: int) -> Tensor:
        epoch, at = divmod(step, batches)
        order = np.random.default_rng([seed, 5, epoch]).permutation(videos).tolist()
        rng = np.random.default_rng([seed, 5, epoch, at])
        # One pair per video: another text of the same video would count as wrong.
        own = pupil.own(order[at::batches])
        frames = torch.stack([_one(pupil.pictures[video], rng) for video in own])
        said = [texts[video][int(rng.integers(len(texts[video])))] for video in own]
        found = model(frames.to(pupil.device), pupil.tokens(said))
        return loss_of(*found[:3])

    return Lessons(list(pupil.model.parameters()), batches, loss, synchronised=True)


def _one(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    return pictures[int(rng.integers(len(pictures)))]


def _augmented(
    training: Mapping[str, Sequence[str]], count: int, rng: np.random.Generator
) -> dict[str, list[str]]:
    corpus = Corpus.with_synonyms([text for texts in training.values() for text in texts])
    return {
        video: [
            said
            for text in texts
            for said in (text, *(one.text for one in augment(text, corpus, rng, count)))
        ]
        for video, texts in training.items()
    }


def _state(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def save_folder(pupil: Pupil, source: Path | None, architecture: str, folder: Path) -> None:
    """An open_clip folder: the configuration of the model it came from, and the new weights."""
    model = pupil.model
    weights = {name: value.contiguous().cpu() for name, value in model.state_dict().items()}
    save_file(weights, folder / WEIGHTS)
    if source is not None:
        shutil.copyfile(source / MODEL_CONFIG, folder / MODEL_CONFIG)
        if (source / MERGES).is_file():
            shutil.copyfile(source / MERGES, folder / MERGES)
        return
    quick = any(type(module).__name__ == "QuickGELU" for module in model.modules())
    about = {
        "model_cfg": {**open_clip.get_model_config(architecture), "quick_gelu": quick},
        "preprocess_cfg": open_clip.get_model_preprocess_cfg(model),
    }
    (folder / MODEL_CONFIG).write_text(json.dumps(about, indent=1, default=list) + "\n")
