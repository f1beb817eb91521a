"""Fine-tuning an image–text model on captions (vision-language-2022 §4.3, factvc-2023 §4).

Imports torch: imported late. What is written is an open_clip folder, which ``--model`` takes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from accelerate import Accelerator
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from analysis.learning.contrastive import LOSSES, Loss
from analysis.learning.folder import MODEL_CONFIG
from analysis.learning.rated import RatedSet
from analysis.learning.schooling import Schooling
from analysis.learning.training import Told
from analysis.learning.transformations import Corpus, augment, make_triples
from analysis.metrics.batch import VideoFile
from analysis.metrics.encoding.decoding import decode_ahead
from analysis.metrics.encoding.models import MERGES
from analysis.metrics.encoding.sampling import Sampling
from analysis.metrics.encoding.torch_models.image_text import ImageTextModel
from analysis.metrics.encoding.torch_models.libraries import open_clip
from analysis.stats.correlation import kendall

WEIGHTS: Final = "open_clip_model.safetensors"
AT_ONCE: Final = 64


@dataclass
class Pupil:
    """A model with the pictures and texts it learns from and is judged by."""

    towers: ImageTextModel
    pictures: Mapping[str, Tensor]
    curve: list[tuple[int, float]] = field(default_factory=list)

    @property
    def model(self) -> Any:
        return self.towers.model

    def texts(self, texts: Sequence[str]) -> Tensor:
        return torch.cat(
            [
                self.model.encode_text(self.towers.tokenizer(list(texts[at : at + AT_ONCE])))
                for at in range(0, len(texts), AT_ONCE)
            ]
        )

    def images(self, pictures: Tensor) -> Tensor:
        return torch.cat(
            [
                self.model.encode_image(pictures[at : at + AT_ONCE])
                for at in range(0, len(pictures), AT_ONCE)
            ]
        )

    @torch.inference_mode()
    def agreement(self, sets: Sequence[RatedSet]) -> float:
        """Kendall's τ-c with people of the mean cosine with the frames plus the best with a
        reference (``clip_mean+ref``): the mean over the sets."""
        self.model.eval()
        return float(np.mean([kendall(self._scores(one), one.scores)[1] for one in sets]))

    def _scores(self, rated: RatedSet) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = np.empty(len(rated))
        for video, rows in rated.batch.rows_by_video.items():
            frames = normalize(self.images(self.pictures[video]), dim=1)
            captions = [rated.batch.captions[row] for row in rows.tolist()]
            own = normalize(self.texts(captions), dim=1)
            told = normalize(self.texts(rated.batch.references[video]), dim=1)
            near = (own @ frames.T).mean(dim=1) + (own @ told.T).max(dim=1).values
            found[rows] = near.double().numpy()
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


def fine_tune(
    pupil: Pupil,
    kind: str,
    training: Mapping[str, Sequence[str]],
    validation: Sequence[RatedSet],
    schooling: Schooling,
    seed: int,
    told: Told = lambda *_: None,
) -> None:
    """Train, judge after every pass, and leave the model in its best state.

    Parameters
    ----------
    training : the references of the videos to learn from
    """
    learn = _projections if kind == "factvc" else _whole_model
    pupil.curve.append((0, pupil.agreement(validation)))
    best = _state(pupil.model)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        steps = learn(pupil, kind, training, schooling, np.random.default_rng([seed, 5]), told)
        for step in steps:
            judged = pupil.agreement(validation)
            if judged > max(r for _, r in pupil.curve):
                best = _state(pupil.model)
            pupil.curve.append((step, judged))
    pupil.model.load_state_dict(best)
    pupil.model.eval()


def _whole_model(
    pupil: Pupil,
    kind: str,
    training: Mapping[str, Sequence[str]],
    schooling: Schooling,
    rng: np.random.Generator,
    told: Told,
) -> Iterator[int]:
    """CLIP and CLOOB: every weight, pairs of a frame and a text; yields after every pass."""
    texts = _augmented(training, schooling.augmented, rng)
    accelerator = Accelerator()
    model, optimiser = accelerator.prepare(
        pupil.model,
        torch.optim.Adam(pupil.model.parameters(), lr=schooling.rate, weight_decay=schooling.decay),
    )
    videos = sorted(texts)
    batches = max(len(videos) // schooling.batch, 1)
    steps = batches * schooling.epochs
    loss_of: Loss = LOSSES[kind]
    for step in range(1, steps + 1):
        if (step - 1) % batches == 0:
            order = rng.permutation(videos).tolist()
        own = order[(step - 1) % batches :: batches]
        # One pair per video: another text of the same video would count as wrong.
        frames = torch.stack([_one(pupil.pictures[video], rng) for video in own])
        said = [texts[video][int(rng.integers(len(texts[video])))] for video in own]
        model.train()
        images = model.encode_image(frames.to(accelerator.device), normalize=True)
        tokens = pupil.towers.tokenizer(said).to(accelerator.device)
        found = loss_of(images, model.encode_text(tokens, normalize=True), model.logit_scale.exp())
        optimiser.zero_grad()
        accelerator.backward(found)
        optimiser.step()
        told(step, steps, float(found))
        if step % batches == 0:
            yield step


def _one(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    return pictures[int(rng.integers(len(pictures)))]


def _augmented(
    training: Mapping[str, Sequence[str]], count: int, rng: np.random.Generator
) -> dict[str, list[str]]:
    corpus = Corpus.of(text for texts in training.values() for text in texts)
    return {
        video: [
            said
            for text in texts
            for said in (text, *(one.text for one in augment(text, corpus, rng, count)))
        ]
        for video, texts in training.items()
    }


def _projections(
    pupil: Pupil,
    kind: str,
    training: Mapping[str, Sequence[str]],
    schooling: Schooling,
    rng: np.random.Generator,
    told: Told,
) -> Iterator[int]:
    """FactVC: the two projection matrices only, so that the towers run once over everything."""
    triples = make_triples(training, rng, most=schooling.most)
    if len(triples) < 2:
        raise ValueError("fewer than two errors can be made of these references: bring more")
    cached = _cached(pupil, triples)
    image, text = _projection_of(pupil.model.visual), _text_projection_of(pupil.model)
    scale = pupil.model.logit_scale.detach().exp()
    optimiser = torch.optim.Adam(
        [image.weight, text.weight], lr=schooling.rate, weight_decay=schooling.decay
    )
    batches = -(-len(triples) // schooling.batch)
    steps = batches * schooling.epochs
    for step in range(1, steps + 1):
        if (step - 1) % batches == 0:
            order = rng.permutation(len(triples))
        at = (step - 1) % batches * schooling.batch
        rows = torch.as_tensor(order[at : at + schooling.batch])
        videos = image.of(cached.frames[cached.video[rows]]).mean(dim=1)
        true, false = (normalize(text.of(part[rows]), dim=1) for part in cached.texts)
        loss = factvc_loss(
            normalize(videos, dim=1), true, false, scale, schooling.fine_weight, schooling.margin
        )
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        told(step, steps, float(loss))
        if step % batches == 0:
            yield step


def factvc_loss(
    videos: Tensor,
    true: Tensor,
    false: Tensor,
    scale: Tensor,
    fine_weight: float,
    margin: float,
) -> Tensor:
    """L_coarse + λ L_fine of factvc-2023, each a mean over the batch.

    Coarse: the true text of a video among those of the batch, by cross-entropy. Fine: the true text
    must beat its own error by the margin. Cosines carry CLIP's scale, for which M = 5 is made.
    """
    s = scale * videos @ true.T
    wrong = (scale * videos * false).sum(dim=1)
    coarse = cross_entropy(s, torch.arange(len(s), device=s.device))
    fine = (margin - s.diagonal() + wrong).clamp(min=0).mean()
    return coarse + fine_weight * fine


@dataclass(frozen=True)
class _Cached:
    """What comes out of the towers before the projections."""

    frames: Tensor
    video: Tensor
    texts: tuple[Tensor, Tensor]


@torch.no_grad()
def _cached(pupil: Pupil, triples: Sequence[Any]) -> _Cached:
    pupil.model.eval()
    videos = sorted({one.video for one in triples})
    number = {video: at for at, video in enumerate(videos)}
    shown = min(len(pupil.pictures[video]) for video in videos)
    with _without_projections(pupil.model):
        frames = torch.stack([pupil.images(pupil.pictures[video][:shown]) for video in videos])
        said = list(dict.fromkeys(t for one in triples for t in (one.true, one.false.text)))
        places = {text: at for at, text in enumerate(said)}
        vectors = pupil.texts(said)
    return _Cached(
        frames,
        torch.tensor([number[one.video] for one in triples]),
        (
            vectors[[places[one.true] for one in triples]],
            vectors[[places[one.false.text] for one in triples]],
        ),
    )


@dataclass(frozen=True)
class _Projection:
    """A matrix of the model that is applied last; ResNets keep it the other way round."""

    weight: Tensor
    bias: Tensor | None = None
    transposed: bool = False

    def of(self, features: Tensor) -> Tensor:
        found = features @ (self.weight.T if self.transposed else self.weight)
        return found if self.bias is None else found + self.bias


def _projection_of(visual: Any) -> _Projection:
    if getattr(visual, "proj", None) is not None:
        return _Projection(visual.proj)
    if hasattr(visual, "attnpool"):
        linear = visual.attnpool.c_proj
        return _Projection(linear.weight, linear.bias.detach(), transposed=True)
    raise ValueError("this model's image tower has no projection of its own to train")


def _text_projection_of(model: Any) -> _Projection:
    found = getattr(getattr(model, "text", model), "text_projection", None)
    if isinstance(found, nn.Linear):
        return _Projection(found.weight, None if found.bias is None else found.bias.detach(), True)
    if found is None:
        raise ValueError("this model's text tower has no projection of its own to train")
    return _Projection(found)


@contextmanager
def _without_projections(model: Any) -> Iterator[None]:
    """While this lasts, the towers give what their projections get."""
    visual, text = model.visual, getattr(model, "text", model)
    pool = getattr(visual, "attnpool", None)
    kept = getattr(visual, "proj", None), pool and pool.c_proj, text.text_projection
    text.text_projection = None
    if kept[0] is not None:
        visual.proj = None
    elif pool is not None:
        size = pool.c_proj.in_features
        pool.c_proj = nn.Linear(size, size)
        pool.c_proj.weight.data, pool.c_proj.bias.data = torch.eye(size), torch.zeros(size)
    try:
        yield
    finally:
        text.text_projection = kept[2]
        if kept[0] is not None:
            visual.proj = kept[0]
        elif pool is not None:
            pool.c_proj = kept[1]


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
