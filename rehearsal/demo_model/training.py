"""Train the demo model: a small image–text model on rendered scenes, from nothing, in minutes.

Contrastive learning alone would need far more pictures to find small actors in them.  So frames and
sentences also learn to name the facts of their stories, with one and the same head, which brings
both to the same places of the space; it is thrown away afterwards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, normalize, pad

from analysis.metrics.encoding.torch_models.libraries import open_clip
from rehearsal.demo import Story
from rehearsal.demo_model.examples import FALSE, TRUE, Examples, facts

IMAGE_SIZE = 64
CONTEXT = 77
_MARGIN = 3
_TRUE_SHARES = (0.45, 0.45, 0.1)  # of the true captioners: the last says little


@dataclass(frozen=True)
class Recipe:
    """Everything the weights depend on beside the examples.

    Parameters
    ----------
    facts : how much naming facts counts beside matching
    largest_scale : the sharpest that similarities may be made
    """

    epochs: int = 10
    batch: int = 64
    rate: float = 1.5e-3
    decay: float = 0.05
    facts: float = 0.3
    largest_scale: float = 50.0
    seed: int = 7


def architecture(vocabulary: int) -> dict[str, Any]:
    """open_clip's configuration: a small ResNet beside two layers of text transformer."""
    return {
        "embed_dim": 128,
        "vision_cfg": {"image_size": IMAGE_SIZE, "layers": [1, 1, 1, 1], "width": 16},
        "text_cfg": {
            "context_length": CONTEXT,
            "vocab_size": vocabulary,
            "width": 64,
            "heads": 4,
            "layers": 2,
        },
    }


def train(
    examples: Examples, merges: Path, recipe: Recipe, progress: Callable[[int, int, float], None]
) -> nn.Module:
    """The trained model; the same bytes for the same examples and recipe on the same machine."""
    with _reproducible(recipe.seed):
        tokenizer = open_clip.SimpleTokenizer(bpe_path=str(merges), context_length=CONTEXT)
        school = _School(examples, tokenizer, recipe)
        model: Any = open_clip.CLIP(**architecture(tokenizer.vocab_size)).train()
        model.visual.to(memory_format=torch.channels_last)
        head = _FactHead(architecture(0)["embed_dim"], school.shown.mean(dim=0))
        learning = nn.ModuleList([model, head])
        optimizer = torch.optim.AdamW(
            learning.parameters(), lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.98)
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: _rate(n, school.steps))
        for step, lesson in enumerate(school.lessons(), start=1):
            loss = _loss(model, head, lesson, recipe)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(learning.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            progress(step, school.steps, loss.item())
    return model.eval()  # type: ignore[no-any-return]


def save(model: nn.Module, folder: Path) -> None:
    """As open_clip publishes models: its configuration, and the weights in half precision."""
    weights = {
        name: (tensor.half() if tensor.is_floating_point() else tensor).contiguous()
        for name, tensor in model.state_dict().items()
    }
    file = folder / "open_clip_model.safetensors"
    save_file(weights, file)
    file.chmod(0o644)  # it is written for its owner alone, and workers may be other users
    about = {
        "model_cfg": architecture(len(weights["token_embedding.weight"])),
        "preprocess_cfg": {"resize_mode": "squash", "interpolation": "bicubic"},
    }
    text = json.dumps(about, indent=1)
    (folder / "open_clip_config.json").write_text(f"{text}\n", encoding="utf-8")


@contextmanager
def _reproducible(seed: int) -> Iterator[None]:
    """One thread, because sums depend on how they are shared out, and random numbers of our own."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def _rate(step: int, steps: int) -> float:
    """Warm up, then along half a cosine down to nothing."""
    return min(1.0, (step + 1) / 50) * (1 + math.cos(math.pi * step / steps)) / 2


@dataclass(frozen=True)
class _Lesson:
    """A frame of each scene; a true caption of each, then a false one of each; all their facts."""

    pictures: Tensor
    told: Tensor
    facts_shown: Tensor
    facts_told: Tensor


class _School:
    """Turns examples into lessons."""

    def __init__(self, examples: Examples, tokenizer: Any, recipe: Recipe) -> None:
        if len(examples.pictures) < recipe.batch:
            raise ValueError(f"examples must hold at least a batch of {recipe.batch} scenes")
        known = sorted(set().union(*map(facts, examples.stories)))
        sources = {source: examples.captions[source] for source in (*TRUE, *FALSE)}
        self._pictures = _shrunk(examples.pictures)
        self._recipe = recipe
        self._tokens = {s: tokenizer([t.text for t in told]) for s, told in sources.items()}
        self._told = {s: _marked([t.story for t in told], known) for s, told in sources.items()}
        self.shown = _marked(examples.stories, known)
        self._batches = len(examples.pictures) // recipe.batch
        self.steps = recipe.epochs * self._batches

    def lessons(self) -> Iterator[_Lesson]:
        rng = np.random.default_rng(self._recipe.seed)
        for _ in range(self._recipe.epochs):
            order = rng.permutation(len(self._pictures))[: self._batches * self._recipe.batch]
            for rows in np.split(order, self._batches):
                yield self._lesson(rows, rng)

    def _lesson(self, rows: NDArray[np.int64], rng: np.random.Generator) -> _Lesson:
        pictures = self._pictures[rows, rng.integers(self._pictures.shape[1], size=len(rows))]
        sources = [
            *rng.choice(TRUE, len(rows), p=_TRUE_SHARES),
            *rng.choice(FALSE, len(rows)),
        ]
        chosen = list(zip(sources, [*rows, *rows], strict=True))
        return _Lesson(
            _varied(_normalised(pictures), rng),
            torch.stack([self._tokens[source][row] for source, row in chosen]),
            self.shown[rows],
            torch.stack([self._told[source][row] for source, row in chosen]),
        )


def _marked(stories: Sequence[Story], known: Sequence[str]) -> Tensor:
    """Which of the known facts (columns) each story (rows) has."""
    return torch.tensor([[fact in told for fact in known] for told in map(facts, stories)]).float()


def _shrunk(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """To the size the model sees, as its own preparation shrinks them."""
    size = (IMAGE_SIZE, IMAGE_SIZE)
    flat = pictures.reshape(-1, *pictures.shape[2:])
    small = [Image.fromarray(p).resize(size, Image.Resampling.BICUBIC) for p in flat]
    return np.stack([np.asarray(p) for p in small]).reshape(*pictures.shape[:2], *size, 3)


def _normalised(pictures: NDArray[np.uint8]) -> Tensor:
    mean = torch.tensor(open_clip.OPENAI_DATASET_MEAN)[:, None, None]
    deviation = torch.tensor(open_clip.OPENAI_DATASET_STD)[:, None, None]
    pixels = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    return (pixels - mean) / deviation


def _varied(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """Light and position vary a little; left and right must stay what they are."""
    count = len(pictures)
    gain = torch.from_numpy(rng.uniform(0.9, 1.1, (count, 1, 1, 1)).astype(np.float32))
    down, right = rng.integers(0, 2 * _MARGIN + 1, 2).tolist()
    framed = pad(pictures * gain, (_MARGIN,) * 4, mode="replicate")
    cut = framed[:, :, down : down + IMAGE_SIZE, right : right + IMAGE_SIZE]
    return cut.contiguous(memory_format=torch.channels_last)


class _FactHead(nn.Module):
    """Names facts by the direction of a vector; to begin with, as often as they are true."""

    def __init__(self, width: int, shares: Tensor) -> None:
        super().__init__()
        self.directions = nn.Parameter(torch.randn(len(shares), width))
        self.offsets = nn.Parameter(torch.logit(shares, eps=1e-3))
        self.log_scale = nn.Parameter(torch.tensor(10.0).log())

    def forward(self, vectors: Tensor, true: Tensor) -> Tensor:
        """The loss: over all facts of a vector the sum, over the vectors the mean."""
        cosines = vectors @ normalize(self.directions, dim=-1).T
        logits = self.log_scale.exp() * cosines + self.offsets
        return binary_cross_entropy_with_logits(logits, true, reduction="sum") / len(vectors)


def _loss(model: Any, head: _FactHead, lesson: _Lesson, recipe: Recipe) -> Tensor:
    """Matching counts twice, by the sentence ([EOS]) and by the mean of its tokens.

    So the fine side of EMScore means something too.
    """
    frames = normalize(model.visual(lesson.pictures), dim=-1)
    tokens, sentences = _text_features(model, lesson.told)
    scale = model.logit_scale.exp().clamp(max=recipe.largest_scale)
    matching = _matching(scale * sentences @ frames.T) + _matching(scale * tokens @ frames.T)
    naming: Tensor = head(frames, lesson.facts_shown) + head(sentences, lesson.facts_told)
    return matching + recipe.facts * naming


def _matching(logits: Tensor) -> Tensor:
    """Texts (rows) against frames: true texts find their frame, frames their one true text."""
    right = torch.arange(logits.shape[1])
    return (cross_entropy(logits[: len(right)], right) + cross_entropy(logits.T, right)) / 2


def _text_features(model: Any, told: Tensor) -> tuple[Tensor, Tensor]:
    """Of each text the mean of its tokens' unit vectors, and the last of them, the sentence's."""
    ends = told.argmax(dim=-1)
    longest = int(ends.max()) + 1
    hidden = model.token_embedding(told[:, :longest]) + model.positional_embedding[:longest]
    hidden = model.transformer(hidden, attn_mask=model.attn_mask[:longest, :longest])
    tokens = normalize(model.ln_final(hidden) @ model.text_projection, dim=-1)
    counts = (torch.arange(longest) <= ends[:, None]).float()[:, :, None]
    means = (tokens * counts).sum(dim=1) / counts.sum(dim=1)
    return means, tokens[torch.arange(len(told)), ends]
