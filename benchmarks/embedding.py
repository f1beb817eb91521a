"""Embedding videos and scoring from the store: speed, counts and memory.

The image tower is ViT-B/32 with random weights, which costs what real weights cost; nothing here is
a score. The peers run in the same process: a bare loop of the same model over prepared images, and
a loop over captions with torch, one at a time.

    python -m benchmarks.embedding [images] [systems] [scoring]
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import torch
from PIL import Image

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embeddings import Embedding, Space
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.encoding.models import DEMO, ModelChoice, ModelRef, find_model
from analysis.metrics.encoding.torch_models.image_text import ImageTextModel
from analysis.metrics.encoding.torch_models.libraries import open_clip
from analysis.metrics.registry import families
from analysis.metrics.scoring import Scores, embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.metrics.vision import token_weights
from benchmarks.caption_loop import Text, one_caption
from rehearsal.demo import captions, render_clip, scene

LOOKING = [name for family in families() if "image_text" in family.needs for name in family.metrics]
FRAMES = "uniform:16"
# One idf and one choice of frames for all, so that the loop over captions can do without.
ALIKE = Settings(factvc_idf="authors", factvc_frames=FRAMES)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_seconds(work: Callable[[], object]) -> float:
    """What others do on the machine in the meantime does not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def clips(folder: Path, count: int, rendered: int = 16) -> dict[str, VideoFile]:
    """Demo clips; beyond the rendered ones, copies made different by an empty box at their end."""
    files = {}
    for number in range(count):
        path = folder / f"clip{number}.mp4"
        original = folder / f"clip{number % rendered}.mp4"
        if number < rendered:
            render_clip(scene(number), path, size=(320, 180), fps=12)
        else:
            free = struct.pack(">I4sI", 12, b"free", number)
            path.write_bytes(original.read_bytes() + free)
        files[f"clip{number}"] = VideoFile.of(path)
    return files


def random_vit() -> ImageTextModel:
    torch.manual_seed(0)
    config = open_clip.get_model_config("ViT-B-32")
    return ImageTextModel(open_clip.CLIP(**config), open_clip.get_tokenizer("ViT-B-32"), "cpu")


def against_a_bare_loop(folder: Path) -> None:
    """Images a second through decoding, preparing and storing, against the model alone."""
    videos, encoders = clips(folder, 16), random_vit()
    prepared = [torch.randn(3, 224, 224) for _ in range(64)]
    encoders.encode_images(prepared)
    bare = 4 * 64 / timed(lambda: [encoders.encode_images(prepared) for _ in range(4)])
    encoder = Encoder(ModelRef("random", (), lambda device: encoders), folder / "store")
    whole = 16 * 16 / timed(lambda: encoder.frames(FRAMES).embed(videos))
    again = timed(lambda: encoder.frames(FRAMES).embed(videos))
    print(f"images a second: {whole:.1f}, bare loop {bare:.1f}: {100 * whole / bare:.0f} % (85 %)")
    embedded = encoder.frames(FRAMES).embedded
    print(f"the same videos a second time: {1000 * again:.1f} ms, {embedded} embedded")


def many_systems(folder: Path) -> None:
    """Ten systems on 500 videos, every metric: what is embedded, and how much memory it takes."""
    videos = clips(folder, 500)
    told = [captions(scene(number)) for number in range(16)]
    names = list(videos)
    batch = Batch(
        [f"{told[n % 16]['human-b'].text} {s}" for s in range(10) for n in range(500)],
        names * 10,
        references := {name: [told[n % 16]["human-a"].text] for n, name in enumerate(names)},
        references,
        videos,
    )
    encoder = Encoder(find_model(ModelChoice(DEMO)), folder / "store")
    bench, settings = ScoringContext(opened={"image_text": encoder}), ALIKE
    seconds = timed(lambda: embed(embeddable(batch, LOOKING, settings), settings, bench))
    seconds += timed(lambda: score(batch, LOOKING, settings, bench))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"10 systems x 500 videos, {len(LOOKING)} metrics: {seconds:.0f} s, "
        f"{encoder.frames(FRAMES).embedded} frames embedded (8000), {memory:.2f} GB at most (2 GB)"
    )


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


class Sketch:
    """Stands for a model whose embeddings are drawn at random: scoring is what is measured."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(7)

    def prepare(self, image: Image.Image) -> NoReturn:
        raise NotImplementedError

    def encode_images(self, images: Sequence[object]) -> NoReturn:
        raise NotImplementedError

    def encode_texts(self, texts: Sequence[str]) -> list[Embedding]:
        sizes = self.rng.integers(8, 20, len(texts))
        return [
            Embedding(
                unit(self.rng.standard_normal((size, 512)) + 0.2),
                np.array([49406, *self.rng.integers(1, 4000, size - 2), 49407], np.int32),
            )
            for size in sizes
        ]


def stored(folder: Path) -> tuple[Batch, Encoder]:
    """1,000 videos of 16 frames, 10 systems, 5 references, all in the store."""
    sketch = Sketch()
    encoder = Encoder(ModelRef("sketch", (), lambda device: sketch), folder / "store")
    files = {f"v{n}": VideoFile(Path(), f"v{n}") for n in range(1000)}
    frames: Space = encoder.frames(FRAMES).space
    for part in range(0, 1000, 100):
        frames.put(
            {
                encoder.frames(FRAMES)._key(files[f"v{n}"]): Embedding(
                    unit(sketch.rng.standard_normal((16, 512)) + 0.2), np.arange(16, dtype=np.int32)
                )
                for n in range(part, part + 100)
            }
        )
    references = {video: [f"{video} reference {n}" for n in range(5)] for video in files}
    texts = [f"system {s} on {video}" for s in range(10) for video in files]
    batch = Batch(texts, list(files) * 10, references, references, files)
    encoder.texts.embed(embeddable(batch, LOOKING, ALIKE).texts)
    return batch, encoder


def against_a_loop_over_captions(folder: Path) -> None:
    """All metrics of 10,000 captions; the loop gets 1,000 of them and must find the same values.

    Both on one thread: such small products only wait for each other.
    """
    batch, encoder = stored(folder)
    settings = ALIKE
    found: list[Scores] = []

    def together() -> None:
        found.append(
            score(batch, LOOKING, settings, ScoringContext(opened={"image_text": encoder}))
        )

    together()  # for both: all files are mapped now
    own = processor_seconds(together)
    weights = token_weights(batch, settings, encoder)

    def text(words: str) -> Text:
        embedding = encoder.texts[words]
        prompted = encoder.texts[f"{settings.clip_prompt} {words}"].vectors[-1]
        parts = (embedding.vectors, weights(embedding.marks).astype(np.float32), prompted)
        return Text(*(torch.from_numpy(np.array(part)) for part in parts))

    def alone(row: int) -> dict[str, float]:
        video = batch.videos[row]
        frames = torch.from_numpy(np.array(encoder.frames(FRAMES)[batch.files[video]].vectors))
        return one_caption(
            text(batch.captions[row]), frames, list(map(text, batch.references[video]))
        )

    rows, values = range(0, len(batch), 10), list[dict[str, float]]()
    torch.set_num_threads(1)
    with torch.inference_mode():
        told = processor_seconds(lambda: values.extend(map(alone, rows)))
    peer = told * len(batch) / len(rows)
    difference = max(
        abs(found[0].values[name][row] - value)
        for row, alone_values in zip(rows, values, strict=True)
        for name, value in alone_values.items()
    )
    print(f"scoring 10,000 captions from the store, {len(LOOKING)} metrics: {own:.2f} s of CPU")
    print(
        f"loop over captions: {peer:.1f} s of CPU, {peer / own:.1f} x (to reach: 20 x), "
        f"values differ by at most {difference:.0e}"
    )


PARTS = {
    "images": against_a_bare_loop,
    "systems": many_systems,
    "scoring": against_a_loop_over_captions,
}


def main() -> None:
    """Each part in a process of its own, so that memory is its own."""
    for name in sys.argv[1:] or PARTS:
        if name == "scoring":
            os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        with tempfile.TemporaryDirectory() as folder:
            process = multiprocessing.get_context("spawn").Process(
                target=PARTS[name], args=(Path(folder),)
            )
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
