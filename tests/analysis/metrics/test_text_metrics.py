"""BLEU, ROUGE-L and CIDEr against pycocoevalcap 1.2, the community's implementation (1e-9)."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.families.bleu import bleu
from analysis.metrics.families.cider import cider
from analysis.metrics.families.rouge import rouge_l
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings
from analysis.metrics.words import Words, ptb_tokenize

CAPTIONS = [
    "A person is frying a pan of eggs that are colored pink and green.",
    "Two egg yolks are placed in a pan.",
    "a man rides a horse",
    "a dog!",
    "the the the the",
    "guitar",
]
REFERENCES = {
    "v0": ["Two egg yolks are placed in food until they are cooked.", "eggs in a pan"],
    "v1": ["a person puts two egg yolks in a pan", "someone cooks", "eggs are placed in a pan"],
    "v2": ["a man is riding a brown horse on a beach"],
    "v3": ["a small dog barks", "the dog barks at the man"],
    "v4": ["the cat sat on the mat", "the the cat"],
    "v5": ["someone plays the guitar on a stage in front of a crowd of people"],
}
VIDEOS = list(REFERENCES)


def words_of(captions: Sequence[str], videos: Sequence[str], references: Mapping) -> Words:
    return Words(Batch(captions, videos, references, references), "ptb")


def reference_scores(captions, videos, references) -> dict[str, np.ndarray]:
    """What pycocoevalcap says; it wants one caption per video, so videos are repeated by name."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    told = {video: [ptb_tokenize(text) for text in references[video]] for video in videos}
    said = {video: [ptb_tokenize(text)] for video, text in zip(videos, captions, strict=True)}
    _, bleus = Bleu(4).compute_score(told, said, verbose=0)
    _, rouge = Rouge().compute_score(told, said)
    _, ciders = Cider().compute_score(told, said)
    scores = {f"bleu{order + 1}": np.array(values) for order, values in enumerate(bleus)}
    return scores | {"rougel": np.asarray(rouge), "cider": np.asarray(ciders)}


def our_scores(captions, videos, references) -> dict[str, np.ndarray]:
    batch = Batch(captions, videos, references, references)
    names = ["bleu1", "bleu2", "bleu3", "bleu4", "rougel", "cider"]
    return score(batch, names, Settings(), ScoringContext()).values


def assert_same(ours, theirs):
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=0, atol=1e-9, err_msg=name)


def test_the_chosen_captions_score_as_in_the_reference(pycocoevalcap):
    theirs = reference_scores(CAPTIONS, VIDEOS, REFERENCES)
    assert_same(our_scores(CAPTIONS, VIDEOS, REFERENCES), theirs)
    assert theirs["cider"].max() > 0.5  # the comparison is not one of zeros
    assert theirs["bleu4"].max() > 0.1


WORDS = ["a", "b", "c", "d", "dog's", "don't", "run,", "the"]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=4)), min_size=1, max_size=6
    )
)
def test_any_captions_score_as_in_the_reference(pycocoevalcap, material):
    captions = [" ".join(caption) for caption, _ in material]
    references = {f"v{n}": [" ".join(r) for r in refs] for n, (_, refs) in enumerate(material)}
    videos = list(references)
    assert_same(
        our_scores(captions, videos, references), reference_scores(captions, videos, references)
    )


@pytest.mark.published
def test_real_captions_score_as_in_the_reference(pycocoevalcap, published):
    folder = published / "trecvid-vtt" / "single-annotator" / "2019"
    lines = [path.read_text().splitlines() for path in sorted((folder / "references").iterdir())]
    captions = (folder / "systems" / "trecvid19-vtt.en-en.RUC_AIM3").read_text().splitlines()
    references = {str(n): list(texts) for n, texts in enumerate(zip(*lines, strict=True))}
    videos = list(references)
    theirs = reference_scores(captions, videos, references)
    assert_same(our_scores(captions, videos, references), theirs)


@pytest.mark.published
def test_published_scores_come_out_of_the_published_captions(published):
    """scores.csv is pycocoevalcap 1.2's output, system by system, rounded to six digits."""
    folder = published / "youcook2-fact"
    with (folder / "scores.csv").open() as file:
        expected = {
            (row["video"], row["system"], row["metric"]): float(row["value"])
            for row in csv.DictReader(file)
        }
    references: dict[str, list[str]] = {}
    with (folder / "references.csv").open() as file:
        for row in csv.DictReader(file):
            references.setdefault(row["video"], []).append(row["caption"])
    with (folder / "captions.csv").open() as file:
        rows = list(csv.DictReader(file))
    ours = our_scores([row["caption"] for row in rows], [row["video"] for row in rows], references)
    for name, values in ours.items():
        told = [expected[row["video"], row["system"], name] for row in rows]
        np.testing.assert_allclose(values, told, rtol=0, atol=5.1e-7, err_msg=name)


def test_a_caption_scores_the_same_whatever_else_is_scored_with_it():
    together = our_scores(CAPTIONS * 2, VIDEOS * 2, REFERENCES)
    alone = our_scores(CAPTIONS[2:3], VIDEOS[2:3], REFERENCES)
    for name, values in alone.items():
        assert together[name][2] == together[name][8] == pytest.approx(values[0], abs=1e-12)


def test_documents_may_be_counted_in_another_corpus():
    corpus = REFERENCES | {"other": ["a pan of eggs"], "another": ["a horse", "a horse runs"]}
    own = cider(words_of(CAPTIONS, VIDEOS, REFERENCES))[0]
    other = cider(Words(Batch(CAPTIONS, VIDEOS, REFERENCES, corpus), "ptb"))[0]
    assert not np.allclose(own, other)
    # Six documents or eight: a word of one document weighs log 6 or log 8, others change too.
    same = cider(Words(Batch(CAPTIONS, VIDEOS, REFERENCES, dict(REFERENCES)), "ptb"))[0]
    np.testing.assert_allclose(own, same, rtol=1e-15)


def test_plain_cider_is_the_cosine_of_the_formula():
    """One caption, one reference, by hand: tf-idf vectors over 1-, 2-, 3- and 4-grams."""
    references = {"v0": ["a b"], "v1": ["c d"]}
    _, plain = cider(words_of(["a c"], ["v0"], references))
    # Unigrams: (1, 1)·(1, 1) on axes a, c and a, b: one common axis, cosine 1/2; no common bigram.
    assert plain[0] == pytest.approx(10 * 0.5 / 4)


def test_bleu_of_a_perfect_caption_is_one():
    values = bleu(words_of(["a b c d e"], ["v"], {"v": ["a b c d e"]}))
    np.testing.assert_allclose([value[0] for value in values], 1, atol=1e-8)


def test_rouge_takes_precision_and_recall_from_different_references():
    # P = 2/3 from the first, R = 1 from the second; from one reference alone it would be less.
    assert rouge_l("a b c", ["a b x y z", "b"]) > max(
        rouge_l("a b c", ["a b x y z"]), rouge_l("a b c", ["b"])
    )


def test_untokenised_captions_keep_their_punctuation():
    batch = Batch(["A dog."], ["v"], {"v": ["a dog"]}, {"v": ["a dog"]})
    tokenised = score(batch, ["bleu1"], Settings(tokenize="ptb"), ScoringContext()).values["bleu1"]
    as_written = score(batch, ["bleu1"], Settings(tokenize="none"), ScoringContext()).values[
        "bleu1"
    ]
    assert tokenised[0] == pytest.approx(1)
    assert as_written[0] < 1e-5


def test_a_caption_of_punctuation_alone_scores_nothing():
    values = our_scores(["..."], ["v0"], REFERENCES)
    assert {name: value[0] for name, value in values.items()} == pytest.approx(
        dict.fromkeys(values, 0.0), abs=1e-12
    )
