"""Matching against loops that do nothing but what the formulas say (PROTOCOL §8), to 1e-5."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.metrics.families.emscore import emscores
from analysis.metrics.families.factvc import factvc
from analysis.metrics.idf import EQUAL, inverse_document_frequencies
from analysis.metrics.matching import (
    Stack,
    match_references,
    match_video,
    similarities,
    video_vector,
)
from analysis.metrics.vision import representative_frames
from tests.analysis.metrics.pretend import unit

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "emscore"


def some_texts(rng, sizes):
    vectors = [unit(rng.standard_normal((size, 6)) + 0.3) for size in sizes]
    weights = [rng.uniform(0.1, 3, size) for size in sizes]
    return vectors, weights


def slow_precision(caption, weights, targets) -> float:
    total = 0.0
    for token, weight in zip(caption, weights, strict=True):
        total += weight * max(float(token @ target) for target in targets)
    return total / sum(weights)


def slow_recall(caption, targets, weights) -> float:
    return slow_precision(targets, weights, caption)


SIZES = st.lists(st.integers(2, 7), min_size=1, max_size=4)


@settings(deadline=None)
@given(SIZES, st.integers(1, 9), st.integers(0, 10**6))
def test_captions_match_their_video_as_the_loops_say(sizes, frame_count, seed):
    rng = np.random.default_rng(seed)
    captions, weights = some_texts(rng, sizes)
    frames = unit(rng.standard_normal((frame_count, 6)) + 0.3)
    stack = Stack.of(captions, weights)
    match = match_video(stack, frames, similarities(stack, frames))
    whole = frames.mean(axis=0) / np.linalg.norm(frames.mean(axis=0))
    for row, (caption, weight) in enumerate(zip(captions, weights, strict=True)):
        p = slow_precision(caption, weight, frames)
        r = slow_recall(caption, frames, [1.0] * frame_count)
        assert match.precision[row, 0] == pytest.approx(p, abs=1e-5)
        assert match.recall[row, 0] == pytest.approx(r, abs=1e-5)
        assert match.f[row, 0] == pytest.approx(2 * p * r / (p + r), abs=1e-4)
        assert match.coarse[row, 0] == pytest.approx(float(caption[-1] @ whole), abs=1e-5)


@settings(deadline=None)
@given(SIZES, SIZES, st.integers(0, 10**6))
def test_captions_match_their_references_as_the_loops_say(sizes, reference_sizes, seed):
    rng = np.random.default_rng(seed)
    captions, weights = some_texts(rng, sizes)
    references, reference_weights = some_texts(rng, reference_sizes)
    match = match_references(Stack.of(captions, weights), Stack.of(references, reference_weights))
    for row, (caption, weight) in enumerate(zip(captions, weights, strict=True)):
        for column, reference in enumerate(references):
            p = slow_precision(caption, weight, reference)
            r = slow_recall(caption, reference, reference_weights[column])
            assert match.precision[row, column] == pytest.approx(p, abs=1e-5)
            assert match.recall[row, column] == pytest.approx(r, abs=1e-5)
            cosine = float(caption[-1] @ reference[-1])
            assert match.coarse[row, column] == pytest.approx(cosine, abs=1e-5)


def golden_vectors(tokens: list[int]) -> np.ndarray:
    """The rule by which the golden file's embeddings were made."""
    return unit(np.stack([np.random.default_rng(t).standard_normal(8) + 1.0 for t in tokens]))


@pytest.mark.parametrize(("case", "how"), [("no_idf", "none"), ("idf_from_refs", "authors")])
def test_emscore_is_what_the_authors_code_computes(case, how):
    """emscore_parity.json: the authors' own scorer on deterministic embeddings, six digits.

    The token numbers of the references beside it are those of CLIP's own tokenizer.
    """
    golden = json.loads((GOLDEN / "emscore_parity.json").read_text())
    numbers = json.loads((GOLDEN / "reference_token_ids.json").read_text())
    corpus = [np.array(numbers[text], np.int32) for texts in golden["refs"] for text in texts]
    idf = inverse_document_frequencies(corpus, how)
    names = {"_p": "figr_P", "_r": "figr_R", "_f": "figr_F", "_c": "cogr", "": "full_F"}
    for row, tokens in enumerate(golden["token_ids"]):
        caption = Stack.of([golden_vectors(tokens)], [idf(np.array(tokens, np.int32))])
        video = golden["vids"][row]
        frames = golden_vectors(
            [10**6 + 100 * int(video[1:]) + k for k in range(golden["n_frames"][video])]
        )
        against_video = emscores(
            match_video(caption, frames, similarities(caption, frames)), "each"
        )
        texts = [numbers[text] for text in golden["refs"][row]]
        references = Stack.of(
            [golden_vectors(text) for text in texts], [idf(np.array(t, np.int32)) for t in texts]
        )
        against_text = emscores(match_references(caption, references), "each")
        for part, name in names.items():
            told = {key: values[name][row] for key, values in golden["results"][case].items()}
            both = (against_video[part][0] + against_text[part][0]) / 2
            assert against_video[part][0] == pytest.approx(told["EMScore(X,V)"], abs=1e-5)
            assert against_text[part][0] == pytest.approx(told["EMScore(X,X*)"], abs=1e-5)
            assert both == pytest.approx(told["EMScore(X,V,X*)"], abs=1e-5)


def test_the_weights_of_tokens_are_those_of_the_authors_code():
    golden = json.loads((GOLDEN / "emscore_parity.json").read_text())
    numbers = json.loads((GOLDEN / "reference_token_ids.json").read_text())
    corpus = [np.array(numbers[text], np.int32) for texts in golden["refs"] for text in texts]
    idf = inverse_document_frequencies(corpus, "authors")
    eos, sos, padding, unseen = idf(np.array([49407, 49406, 0, 12345], np.int32))
    told = golden["idf"]
    assert len(idf.tokens) == told["n_entries"]
    assert eos == pytest.approx(told["eos_after"])
    assert (sos, padding) == (told["sos"], told["pad0"])
    assert unseen == pytest.approx(told["unseen"])


def test_the_papers_weights_are_minus_log_of_the_share_of_texts():
    corpus = [np.array([1, 5, 9]), np.array([1, 6, 9]), np.array([1, 6, 9]), np.array([1, 7, 9])]
    idf = inverse_document_frequencies(corpus, "paper")
    rare, common, start, end = idf(np.array([5, 6, 1, 9], np.int32))
    assert rare == pytest.approx(np.log(4))
    assert common == pytest.approx(np.log(2))
    assert start == 0
    assert end == pytest.approx((2 * np.log(4) + np.log(2) + 0 + 0) / 5)


def test_in_factvcs_code_the_end_weighs_nothing():
    corpus = [np.array([1, 5, 9]), np.array([1, 6, 9])]
    assert inverse_document_frequencies(corpus, "factvc")(np.array([1, 9], np.int32)).tolist() == [
        0,
        0,
    ]


def test_without_a_corpus_there_are_no_weights():
    with pytest.raises(ValueError, match="texts must not be empty"):
        inverse_document_frequencies([], "authors")


def example(seed: int = 3):
    rng = np.random.default_rng(seed)
    captions, weights = some_texts(rng, [4, 6])
    return Stack.of(captions, weights), unit(rng.standard_normal((5, 6)) + 0.3)


def test_the_order_of_frames_plays_no_part():
    captions, frames = example()
    turned = frames[[3, 0, 4, 2, 1]]
    one = match_video(captions, frames, similarities(captions, frames))
    other = match_video(captions, turned, similarities(captions, turned))
    np.testing.assert_allclose(one.precision, other.precision, atol=1e-6)
    np.testing.assert_allclose(one.recall, other.recall, atol=1e-6)
    np.testing.assert_allclose(one.coarse, other.coarse, atol=1e-6)


def test_a_frame_shown_twice_counts_twice_in_means_and_not_at_all_in_maxima():
    captions, frames = example()
    twice = frames[[0, 0, 1, 2, 3, 4]]
    once = match_video(captions, frames, similarities(captions, frames))
    again = match_video(captions, twice, similarities(captions, twice))
    np.testing.assert_allclose(again.precision, once.precision, atol=1e-6)
    best = np.maximum.reduceat(similarities(captions, frames), captions.starts)
    expected = (best.sum(axis=1) + best[:, 0]) / 6
    np.testing.assert_allclose(again.recall[:, 0], expected, atol=1e-6)
    mean = (frames.sum(axis=0) + frames[0]) / 6
    np.testing.assert_allclose(video_vector(twice), mean / np.linalg.norm(mean), atol=1e-6)


def test_a_caption_matches_the_same_alone_and_among_others():
    captions, frames = example()
    both = match_video(captions, frames, similarities(captions, frames))
    alone = Stack(captions.vectors[4:], captions.weights[4:], np.array([0]))
    single = match_video(alone, frames, similarities(alone, frames))
    np.testing.assert_allclose(single.precision[0], both.precision[1], atol=1e-6)
    np.testing.assert_allclose(single.recall[0], both.recall[1], atol=1e-6)


def test_tokens_that_all_weigh_nothing_leave_precision_undefined():
    captions, frames = example()
    weightless = Stack(captions.vectors, captions.weights * 0, captions.starts)
    match = match_video(weightless, frames, similarities(weightless, frames))
    assert np.isnan(match.precision).all()
    assert np.isnan(match.f).all()
    assert np.isfinite(match.recall).all()


def references_example():
    rng = np.random.default_rng(8)
    captions = Stack.of(*some_texts(rng, [4, 6]))
    return match_references(captions, Stack.of(*some_texts(rng, [3, 5, 4])))


def test_the_papers_rule_takes_all_parts_from_the_best_reference():
    match = references_example()
    whole = emscores(match, "whole")
    score = (match.coarse + match.f) / 2
    chosen = score.argmax(axis=1)
    np.testing.assert_allclose(whole[""], score.max(axis=1))
    np.testing.assert_allclose(whole["_p"], match.precision[[0, 1], chosen])
    assert (emscores(match, "each")[""] >= whole[""]).all()


def test_factvc_is_the_weighted_sum_of_the_formula():
    match = references_example()
    each = 0.25 * match.coarse.max(axis=1) + 0.75 * match.precision.max(axis=1)
    np.testing.assert_allclose(factvc(match, 0.75, "each"), each)
    whole = (0.25 * match.coarse + 0.75 * match.precision).max(axis=1)
    np.testing.assert_allclose(factvc(match, 0.75, "whole"), whole)
    np.testing.assert_allclose(factvc(match, 0.0, "each"), match.coarse.max(axis=1))


def slow_representatives(frames: np.ndarray, clusters: int) -> list[int]:
    """k-means as it is told in words, for one video."""

    def distance(a, b):
        return float(((a - b) ** 2).sum())

    first = min(range(len(frames)), key=lambda n: distance(frames[n], frames.mean(axis=0)))
    chosen = [first]
    while len(chosen) < clusters:
        chosen.append(
            max(
                range(len(frames)),
                key=lambda n: min(distance(frames[n], frames[c]) for c in chosen),
            )
        )
    centres = [frames[number] for number in chosen]
    for _ in range(100):
        members = [
            min(range(clusters), key=lambda c: distance(frame, centres[c])) for frame in frames
        ]
        moved = [
            frames[[m == c for m in members]].mean(axis=0) if c in members else centres[c]
            for c in range(clusters)
        ]
        if all(np.array_equal(a, b) for a, b in zip(moved, centres, strict=True)):
            break
        centres = moved
    mean = frames.mean(axis=0)  # decides between frames that are equally near a centre

    def nearness(number, centre):
        return distance(frames[number], centre) + 1e-4 * distance(frames[number], mean)

    return [min(range(len(frames)), key=lambda n: nearness(n, c)) for c in centres]


@settings(deadline=None, max_examples=30)
@given(st.integers(3, 14), st.integers(2, 5), st.integers(0, 10**6))
def test_representatives_are_those_of_plain_k_means(count, clusters, seed):
    rng = np.random.default_rng(seed)
    frames = unit(rng.standard_normal((3, count, 6)))
    found = representative_frames(frames, clusters)
    if count <= clusters:
        assert found.tolist() == [list(range(count))] * 3
    else:
        for video in range(3):
            expected = slow_representatives(frames[video].astype(np.float64), clusters)
            assert sorted(found[video].tolist()) == sorted(expected)


def test_rounding_does_not_choose_representatives():
    """Both frames of a cluster of two are equally near its centre: ties are common."""
    frames = unit(np.random.default_rng(5).standard_normal((60, 16, 512)) + 0.2)
    found = representative_frames(frames, 5)
    for video, chosen in zip(frames.astype(np.float64), found.tolist(), strict=True):
        assert sorted(chosen) == sorted(slow_representatives(video, 5))


def test_representatives_do_not_depend_on_the_order_of_frames():
    rng = np.random.default_rng(5)
    frames = unit(rng.standard_normal((1, 12, 6)))
    order = rng.permutation(12)
    straight = {tuple(frames[0, n]) for n in representative_frames(frames, 4)[0]}
    turned = frames[:, order]
    assert {tuple(turned[0, n]) for n in representative_frames(turned, 4)[0]} == straight


def test_equal_weights_are_equal():
    assert EQUAL(np.array([3, 4, 5], np.int32)).tolist() == [1, 1, 1]
