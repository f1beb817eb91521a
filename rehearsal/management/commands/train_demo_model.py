"""Train the small image–text model that comes with the platform, on scenes it renders itself."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.metrics.encoding.models import DEMO_MODEL, MERGES, ModelChoice, find_model
from analysis.metrics.encoding.vocabulary import (
    clip_merges,
    needed_merges,
    read_merges,
    write_merges,
)
from analysis.metrics.settings import Settings
from rehearsal.demo_model.evaluation import Evaluation, evaluate
from rehearsal.demo_model.examples import (
    HELD_OUT_SEEDS,
    TRAINING_SEEDS,
    TRUE,
    Examples,
    make_examples,
    words_of,
)

_CARD = """\
# The demo model

A small image–text model in open_clip's format, so that the demo, the tests and a newcomer's first
run look at real frames with real towers without downloading anything.

**It is for** the cartoon scenes that this project renders (`rehearsal.demo`): their actors,
colours, places, light and motions, told in the words of the demo's captioners.

**It is not for** anything else. It has never seen a photograph and knows {words} words; on real
videos its scores mean nothing. For those, give the weights of a real model:
`manage.py score … --model ViT-B-32 --weights FILE`.

## What it is
{parameters:,} parameters in half precision: a ResNet that sees 64 x 64 pixels (frames are squashed,
not cropped) beside two layers of text transformer; CLIP's tokenizer, with only those merges that
spell its words. Made by the project, under the project's licence.

    {digest}  open_clip_model.safetensors

## How it was made
`python manage.py train_demo_model`: {scenes:,} rendered scenes, {frames} frames each, numbered from
{training_seeds:,} so that no demo campaign has any of them; {epochs} epochs, seed {seed}. Frames
are told from those of other scenes by true captions, and true captions from false ones, by the
sentence and by the mean of its tokens; besides, frames and sentences learn to name the facts of
their stories, with a head that is thrown away. All is computed in one thread: the same machine with
the same libraries makes the same bytes again, another kind of processor may round differently.

## How good it is
On {held_out} scenes it never saw (numbered from {held_out_seeds:,}), {held_out_frames} frames each.
By chance the right one of {held_out} would be found {chance:.2%} of the time.

| captions of | scene found by its caption | caption found by its scene |
|---|---|---|
{accuracies}

Spearman's correlation with the quality the captions have by construction, all seven captioners
together: {coarse:.2f} for `emscore_c`, {fine:.2f} for `emscore_p` with all tokens alike. Motion is
guessed from single frames, so that who does what is what it knows least about.
"""


def model_card(evaluation: Evaluation, **about: object) -> str:
    """The card in full; ``about`` says how the model was made."""
    return _CARD.format(
        accuracies=accuracies(evaluation),
        coarse=evaluation.coarse,
        fine=evaluation.fine,
        **about,
    )


def accuracies(evaluation: Evaluation) -> str:
    return "\n".join(
        f"| {source} | {found:.1%} | {evaluation.caption_by_scene[source]:.1%} |"
        for source, found in evaluation.scene_by_caption.items()
    )


_FRAMES, _HELD_OUT_FRAMES = 3, 6


class Command(BaseCommand):
    help = "Train the demo's image-text model: minutes on a CPU, the same result every time."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--scenes", type=int, default=6000)
        parser.add_argument("--epochs", type=int, default=10)
        parser.add_argument("--held-out", type=int, default=400)
        parser.add_argument("--processes", type=int, default=2, help="for rendering")
        parser.add_argument("--out", type=Path, default=DEMO_MODEL)

    def handle(self, *args: Any, **options: Any) -> None:
        vocabulary = clip_merges()
        if vocabulary is None:
            raise CommandError("open_clip is not installed; requirements.txt has it.")
        # torch is imported here, where it is certain to be needed.
        from rehearsal.demo_model.training import Recipe, save, train

        out: Path = options["out"]
        out.mkdir(parents=True, exist_ok=True)
        examples = self._examples(TRAINING_SEEDS, options["scenes"], _FRAMES, options)
        words = words_of([*examples.texts(), Settings().clip_prompt])
        write_merges(out / MERGES, needed_merges(words, read_merges(vocabulary)))
        recipe = Recipe(epochs=options["epochs"])
        try:
            model = train(examples, out / MERGES, recipe, self._progress)
        except ValueError as error:
            raise CommandError(str(error)) from error
        save(model, out)
        held_out = self._examples(HELD_OUT_SEEDS, options["held_out"], _HELD_OUT_FRAMES, options)
        result = evaluate(find_model(ModelChoice(str(out))).load("cpu"), held_out, TRUE)
        card = model_card(
            result,
            words=len(words),
            parameters=sum(weights.numel() for weights in model.parameters()),
            digest=hashlib.sha256((out / "open_clip_model.safetensors").read_bytes()).hexdigest(),
            scenes=options["scenes"],
            training_seeds=TRAINING_SEEDS,
            frames=_FRAMES,
            epochs=recipe.epochs,
            seed=recipe.seed,
            held_out=options["held_out"],
            held_out_seeds=HELD_OUT_SEEDS,
            held_out_frames=_HELD_OUT_FRAMES,
            chance=1 / options["held_out"],
        )
        (out / "README.md").write_text(card, encoding="utf-8")
        self.stdout.write(accuracies(result))

    def _examples(self, first: int, count: int, frames: int, options: dict[str, Any]) -> Examples:
        begun = time.monotonic()
        seeds = range(first, first + count)
        examples = make_examples(seeds, frames, processes=options["processes"])
        self.stderr.write(f"{count:,} scenes rendered in {time.monotonic() - begun:.0f} s")
        return examples

    def _progress(self, step: int, steps: int, loss: float) -> None:
        if step % 50 == 0 or step == steps:
            self.stderr.write(f"step {step} of {steps}, loss {loss:.3f}")
