"""METEOR against pycocoevalcap's way of running the same program (1e-6)."""

from __future__ import annotations

import stat

import numpy as np
import pytest

from analysis.metrics.batch import Batch
from analysis.metrics.meteor import Meteor, find_jar
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench

# Values of pycocoevalcap 1.2 (its Meteor class, one call) for these captions, tokenised.
CAPTIONS = ["a man is riding a horse", "the dog 's ball", "a cat", "zebra"]
REFERENCES = [
    ["a man rides a brown horse on the beach", "someone riding a horse"],
    ["a dog plays with its ball"],
    ["two kittens sleep", "a cat sleeps"],
    ["an aeroplane lands"],
]
WORDS = (
    "of the a in is are very man woman women dog cat runs running ran large big kitchen food eats "
    "ate sits mat , quick quickly automobile car cars purchase buy number7"
)
EXPECTED = [0.35228013986476026, 0.20779220779220778, 0.29170666383042776, 0.0]


@pytest.fixture(scope="module")
def meteor(java, pycocoevalcap):
    program = Meteor(find_jar(), java)
    yield program
    program.close()


def test_it_scores_as_the_reference_does(meteor):
    np.testing.assert_allclose(meteor.score(CAPTIONS, REFERENCES), EXPECTED, atol=1e-6)


def test_any_sentence_is_scored_as_by_the_reference(meteor):
    """Exact words, stems, synonyms and paraphrases, function words, none at all, in any order."""
    from pycocoevalcap.meteor.meteor import Meteor as Reference

    rng = np.random.default_rng(4)
    sentences = [" ".join(rng.choice(WORDS.split(), rng.integers(0, 15))) for _ in range(900)]
    said, told = sentences[:300], [sentences[300 + n : 900 : 300] for n in range(300)]
    texts = {number: [text] for number, text in enumerate(said)}
    _, expected = Reference().compute_score(dict(enumerate(told)), texts)
    np.testing.assert_allclose(meteor.score(said, told), expected, atol=1e-12)
    assert len(set(expected)) > 200


def test_line_breaks_and_separators_do_not_shift_the_answers(meteor):
    odd = ["a man\nis riding ||| a horse", *CAPTIONS[1:]]
    np.testing.assert_allclose(meteor.score(odd, REFERENCES), EXPECTED, atol=1e-6)


def test_an_empty_caption_scores_nothing(meteor):
    assert meteor.score(["", CAPTIONS[0]], REFERENCES[:2])[0] == 0


def test_many_captions_go_through_in_one_call(meteor):
    values = meteor.score(CAPTIONS * 300, REFERENCES * 300)
    np.testing.assert_allclose(values, EXPECTED * 300, atol=1e-6)


def test_one_program_serves_all_batches(java, pycocoevalcap):
    bench = Workbench(java=java)
    try:
        first = bench.meteor()
        assert bench.meteor() is first
    finally:
        bench.close()
    assert not first.alive


def test_a_program_that_dies_is_reported(tmp_path):
    jar = tmp_path / "meteor-1.5.jar"
    jar.touch()
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nread line\nexit 1\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(MetricUnavailable, match="stopped answering"):
        Meteor(jar, str(java)).score(["a"], [["b"]])


def test_without_java_the_other_metrics_go_on():
    references = {"v": ["a dog"]}
    batch = Batch(["a dog"], ["v"], references, references)
    bench = Workbench(java="/nowhere/java", meteor_jar=None)
    scores = score(batch, ["bleu1", "meteor"], Settings(), bench)
    assert scores.values["bleu1"][0] == pytest.approx(1)
    assert np.isnan(scores.values["meteor"][0])
    [fault] = scores.faults
    assert fault.metrics == ("meteor",)
    assert "install a Java runtime" in fault.message
