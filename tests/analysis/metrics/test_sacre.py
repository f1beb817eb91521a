"""chrF and sentence-BLEU: thin doors to sacrebleu, checked against its functions."""

from __future__ import annotations

import pytest
import sacrebleu

from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings

REFERENCES = {"v": ["The dog runs fast.", "A dog is running"], "w": ["Two cats"]}
CAPTIONS = ["A dog runs.", "two cats sleep"]


def test_they_are_sacrebleus_numbers_for_single_sentences():
    batch = Batch(CAPTIONS, ["v", "w"], REFERENCES, REFERENCES)
    values = score(batch, ["chrf", "sentbleu"], Settings(), ScoringContext()).values
    for row, (caption, video) in enumerate(zip(CAPTIONS, "vw", strict=True)):
        references = REFERENCES[video]
        chrf = sacrebleu.sentence_chrf(caption, references).score
        bleu = sacrebleu.sentence_bleu(caption, references, use_effective_order=True).score
        assert values["chrf"][row] == pytest.approx(chrf, abs=1e-12)
        assert values["sentbleu"][row] == pytest.approx(bleu, abs=1e-12)


def test_captions_are_taken_as_they_were_written():
    batch = Batch(["Two cats", "two cats"], ["w", "w"], REFERENCES, REFERENCES)
    values = score(batch, ["chrf"], Settings(), ScoringContext()).values["chrf"]
    assert values[0] == 100
    assert values[1] < 100
