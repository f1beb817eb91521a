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
from rehearsal.demo_model.card import accuracies, model_card
from rehearsal.demo_model.evaluation import evaluate
from rehearsal.demo_model.examples import (
    HELD_OUT_SEEDS,
    TRAINING_SEEDS,
    TRUE,
    Examples,
    make_examples,
    words_of,
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
