"""The model card of the demo model, filled in by the training."""

from __future__ import annotations

from rehearsal.demo_model.evaluation import Evaluation

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
