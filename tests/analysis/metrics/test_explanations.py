"""Explanations: the matches shown are those the score is made of."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.vocabulary import (
    clip_merges,
    needed_merges,
    read_merges,
    token_texts,
    write_merges,
)
from analysis.metrics.explanations import explain
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.metrics.vision import token_weights
from tests.analysis.metrics.pretend import PretendEncoders, pretend_encoder
from tests.clips import make_clip

CAPTION = "a dog runs"
FOUR = Settings(frames="uniform:4")


@pytest.fixture
def scored(tmp_path):
    video = VideoFile.of(make_clip(tmp_path / "v.mp4", seconds=1))
    references = {"v": ["a dog is running", "a cat"]}
    batch = Batch([CAPTION], ["v"], references, references, {"v": video})
    context = ScoringContext(opened={"image_text": pretend_encoder(tmp_path / "store")})
    metrics = ["emscore_p", "emscore_r"]
    embed(embeddable(batch, metrics, FOUR), FOUR, context)
    return batch, context.resource("image_text"), score(batch, metrics, FOUR, context).values


def test_the_matches_add_up_to_precision_and_recall(scored):
    batch, encoder, values = scored
    weights = token_weights(batch, FOUR, encoder)
    explanation = explain(CAPTION, batch.files["v"], encoder, "uniform:4", weights)
    tokens = explanation.tokens
    precision = np.average([t.similarity for t in tokens], weights=[t.weight for t in tokens])
    recall = np.mean([frame.similarity for frame in explanation.frames])
    assert precision == pytest.approx(values["emscore_p"][0], abs=1e-6)
    assert recall == pytest.approx(values["emscore_r"][0], abs=1e-6)


def test_matches_point_at_frames_and_tokens(scored):
    batch, encoder, _ = scored
    weights = token_weights(batch, FOUR, encoder)
    explanation = explain(CAPTION, batch.files["v"], encoder, "uniform:4", weights)
    assert len(explanation.tokens) == 5  # start, three words, end
    assert [frame.name for frame in explanation.frames] == ["0.10 s", "0.30 s", "0.60 s", "0.80 s"]
    assert {token.best for token in explanation.tokens} <= set(range(4))
    assert {frame.best for frame in explanation.frames} <= set(range(5))


def test_no_model_is_asked(scored, tmp_path):
    batch, encoder, _ = scored

    class Silent(PretendEncoders):
        def encode_texts(self, texts):
            raise AssertionError

        encode_images = encode_texts

    again = pretend_encoder(tmp_path / "store", encoders=Silent())
    weights = token_weights(batch, FOUR, again)
    expected = explain(CAPTION, batch.files["v"], encoder, "uniform:4", weights)
    assert explain(CAPTION, batch.files["v"], again, "uniform:4", weights) == expected


@pytest.fixture(scope="module")
def merges():
    path = clip_merges()
    if path is None:
        pytest.skip("open_clip is not installed")
    return path


def test_token_numbers_mean_what_open_clips_tokenizer_says(merges):
    from analysis.metrics.encoding.torch_models.libraries import open_clip

    decoder = open_clip.tokenizer.SimpleTokenizer().decoder
    assert list(token_texts(merges)) == [decoder[number] for number in range(len(decoder))]


def test_a_small_vocabulary_spells_its_words_as_the_large_one_does(merges, tmp_path):
    from analysis.metrics.encoding.torch_models.libraries import open_clip

    words = ["bouncing", "submarine", "a", "snowy", ","]
    few = needed_merges(words, read_merges(merges))
    assert len(few) < 60
    write_merges(tmp_path / "merges.txt.gz", few)
    small = open_clip.tokenizer.SimpleTokenizer(bpe_path=str(tmp_path / "merges.txt.gz"))
    large = open_clip.tokenizer.SimpleTokenizer()
    for word in words:
        assert [small.decoder[n] for n in small.encode(word)] == [
            large.decoder[n] for n in large.encode(word)
        ]
    assert small.decode(small.encode("unheard-of zebra")).split() == ["unheard", "-", "of", "zebra"]
