"""Baselines of the papers, by hand: FactVC with F, PAC-S, BERTScore with completed
references, COAHA."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.word_vectors import WordVectors
from analysis.metrics.families.coaha import VECTORS, cost
from analysis.metrics.families.factvc import factvc, factvc_f
from analysis.metrics.families.improved_bertscore import (
    STOP_WORDS,
    Tokens,
    completed,
    improved,
    recall,
    stop_tokens,
)
from analysis.metrics.families.pacs import ARCHITECTURE, PACS, _choice, harmonic
from analysis.metrics.matching import Match
from analysis.metrics.registry import MetricUnavailable, families_of
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings


def tokens(*named: tuple[int, list[float]]) -> Tokens:
    numbers = np.array([number for number, _ in named], dtype=np.int32)
    return Tokens(numbers, np.array([vector for _, vector in named], dtype=np.float32))


EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


class TestFactVCWithF:
    match = Match(
        precision=np.array([[0.5, 0.2]]),
        recall=np.array([[0.25, 0.8]]),
        coarse=np.array([[0.4, 0.8]]),
    )

    def test_f_takes_the_place_of_precision(self):
        # F: 2·.5·.25/.75 = 1/3 and 2·.2·.8/1 = .32; the best of each part, then .25 c + .75 F.
        assert factvc_f(self.match, 0.75, "each")[0] == pytest.approx(0.25 * 0.8 + 0.75 / 3)
        assert factvc(self.match, 0.75, "each")[0] == pytest.approx(0.25 * 0.8 + 0.75 * 0.5)

    def test_of_whole_scores_the_best_reference_counts(self):
        assert factvc_f(self.match, 0.75, "whole")[0] == pytest.approx(0.25 * 0.8 + 0.75 * 0.32)

    def test_it_is_a_metric_by_name(self):
        [family] = families_of(["factvc_f"])
        assert {"factvc", "factvc_f"} == set(family.metrics)


class TestPacS:
    def test_the_harmonic_mean_is_0_where_nothing_is_alike(self):
        assert harmonic(np.array([0.8, 0.0]), np.array([0.4, 0.0])) == pytest.approx([1.6 / 3, 0])

    def test_without_its_weights_it_says_where_they_go(self, tmp_path):
        with pytest.raises(MetricUnavailable, match="pacs=FILE"):
            PACS.find(MetricConfig(store=tmp_path))

    def test_a_file_is_of_the_published_architecture_and_a_folder_of_its_own(self, tmp_path):
        file = tmp_path / "weights.pt"
        file.touch()
        assert _choice(file).model == ARCHITECTURE
        assert _choice(tmp_path).model == str(tmp_path)


class TestImprovedBertscore:
    def test_a_reference_gets_what_only_others_say_once(self):
        first = tokens((1, EAST))
        second = tokens((2, NORTH), (2, NORTH), (3, BETWEEN))
        # North is at a right angle to east: it is new. Between lies .6 from east: it is not.
        both = completed([first, second])
        assert both[0].numbers.tolist() == [1, 2]
        # To the second, east is .6 from between: nothing is new.
        assert both[1].numbers.tolist() == [2, 2, 3]

    def test_recall_is_weighed_and_what_matches_little_counts_0(self):
        caption = tokens((9, EAST))
        reference = tokens((1, EAST), (2, NORTH), (3, BETWEEN))
        # Cosines 1, 0, .6; weights 1, 2, 1: (1 + 0 + .6) / 4.
        assert recall(caption, reference, np.array([1.0, 2.0, 1.0])) == pytest.approx(0.4)

    def test_it_is_the_mean_over_references_of_two_recalls(self):
        caption = tokens((9, EAST))
        one, two = tokens((1, EAST), (7, NORTH)), tokens((3, BETWEEN))
        score = improved(
            caption,
            [one, two],
            idf=lambda numbers: np.ones(len(numbers)),
            is_plain=lambda numbers: numbers == 7,
        )
        # one: (1 + 0)/2 with, 1 without the stop word: .5. two: .6 · .6 = .36.
        assert score == pytest.approx((0.5 + 0.36) / 2)

    def test_a_reference_of_stop_words_alone_is_not_undefined(self):
        score = improved(
            tokens((9, EAST)),
            [tokens((7, EAST))],
            idf=lambda numbers: np.ones(len(numbers)),
            is_plain=lambda numbers: numbers == 7,
        )
        assert score == pytest.approx(1.0)

    def test_stop_words_come_from_the_vocabulary_of_the_model(self, tmp_path):
        (tmp_path / "vocab.txt").write_text("[PAD]\nthe\ndog\na\n")
        assert stop_tokens(tmp_path).tolist() == [1, 3]
        assert "dog" not in STOP_WORDS

    def test_a_model_without_a_vocabulary_is_refused(self, tmp_path):
        with pytest.raises(MetricUnavailable, match=r"vocab\.txt"):
            stop_tokens(tmp_path)


class TestCoaha:
    """By hand: vectors at right angles are 1 apart, the same 0, (.6, .8) is .4 from east."""

    VECTORS = "dog 1 0\ncat 0 2\nhorse 3 4\nwalks 1 0\nsleeps 0 1\n"

    @pytest.fixture
    def vectors(self, tmp_path):
        (tmp_path / "vectors.txt").write_text(self.VECTORS)
        return tmp_path / "vectors.txt"

    def test_each_word_that_no_reference_names_costs_its_mean_distance_once(self, vectors):
        near = WordVectors(vectors)
        near.read(["dog", "cat", "horse", "unheard"])
        said = {"cat": "cat", "hors": "horse", "dog": "dog", "sky": "sky"}
        own, known = {"dog": "dog"}, frozenset({"cat", "hors", "dog"})
        # The cat costs 1 and the horse 1 − .6; the sky is no object of the corpus.
        assert cost(said, known, own, near.distance) == pytest.approx(1.4)
        assert cost(said, known, own | {"cat": "cat"}, near.distance) == pytest.approx(
            np.mean([0.4, 0.2])
        )

    def test_without_an_object_to_compare_with_each_costs_1(self, vectors):
        assert cost({"cat": "cat"}, frozenset({"cat"}), {}, WordVectors(vectors).distance) == 1

    def test_a_word_without_a_vector_costs_nothing(self, vectors):
        near = WordVectors(vectors)
        near.read(["unheard", "dog"])
        assert near.distance("unheard", "dog") == 0

    def test_captions_are_scored_by_what_references_name(self, vectors, tmp_path):
        pytest.importorskip("spacy")
        references = {"1": ["A dog walks.", "The dog walks home."], "2": ["A cat sleeps."]}
        batch = Batch(
            ["a dog walks", "a cat walks", "a cat sleeps"], ["1", "1", "1"], references, references
        )
        config = MetricConfig(store=tmp_path, paths=(("word_vectors", vectors),))
        names = ["coaha", "coaha_objects", "coaha_actions"]
        found = score(batch, names, Settings(), config.context())
        assert not found.faults
        # References of video 1 have 3 and 4 words: 3.5 in the mean.
        assert found.values["coaha_objects"] == pytest.approx([0, -1 / 3.5, -1 / 3.5])
        assert found.values["coaha_actions"] == pytest.approx([0, 0, -1 / 3.5])
        assert found.values["coaha"] == pytest.approx([0, -1 / 3.5, -2 / 3.5])
        assert "word_vectors:vectors.txt@" in found.signatures["coaha"]

    def test_without_vectors_it_says_where_they_go(self, tmp_path):
        with pytest.raises(MetricUnavailable, match="word_vectors=FILE"):
            VECTORS.find(MetricConfig(store=tmp_path))

    def test_a_file_of_something_else_is_refused(self, tmp_path):
        (tmp_path / "words.txt").write_text("dog barks loudly\n")
        with pytest.raises(MetricUnavailable, match="not a file of word vectors"):
            WordVectors(tmp_path / "words.txt").read(["dog"])
