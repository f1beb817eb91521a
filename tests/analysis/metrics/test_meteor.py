"""METEOR against its authors' program: what it said of captions of ours, and what it says here."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.metrics.families.meteor.files import digest, find_files
from analysis.metrics.families.meteor.formula import meteor_scores
from analysis.metrics.families.meteor.lexicon import Abbreviations, Synonyms, normalise
from analysis.metrics.families.meteor.scorer import Meteor
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings
from benchmarks.meteor_equality import TOLERANCE, differences, published_pairs
from benchmarks.meteor_program import program_scores

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "meteor" / "pairs.json"
# Values of pycocoevalcap 1.2 (its Meteor class, one call) for these captions, tokenised.
CAPTIONS = ["a man is riding a horse", "the dog 's ball", "a cat", "zebra"]
REFERENCES = [
    ["a man rides a brown horse on the beach", "someone riding a horse"],
    ["a dog plays with its ball"],
    ["two kittens sleep", "a cat sleeps"],
    ["an aeroplane lands"],
]
EXPECTED = [0.35228013986476026, 0.20779220779220778, 0.29170666383042776, 0.0]
# Words that are equal, have a stem, a set or a paraphrase in common, or nothing.
WORDS = (
    "of the a in is are very man woman women dog cat runs running ran large big kitchen food eats "
    "ate sits mat , quick quickly automobile car cars purchase buy number7 front in standing before"
)
MARKS = [*"  ..,,''-–—\"`‘’“”!?;:()$%&/0 7 9abXé", "...", "--", " Mr. ", "'s ", " No. ", " U.S. "]


@pytest.fixture(scope="module")
def golden():
    return json.loads(GOLDEN.read_text())


@pytest.fixture(scope="module")
def meteor(meteor_store) -> Meteor:
    return Meteor.open(meteor_store)


def pairs_of(texts: list[str]) -> tuple[list[str], list[list[str]]]:
    """Every text as a caption of every text."""
    return [one for one in texts for _ in texts], [[text] for _ in texts for text in texts]


def test_it_scores_our_captions_as_the_program_did(meteor, golden):
    values = meteor.score(*pairs_of(golden["texts"]))
    np.testing.assert_allclose(values, np.ravel(golden["scores"]), rtol=0, atol=1e-12)
    assert len(set(values)) > 900


@pytest.mark.slow
def test_the_program_still_says_what_it_said(java, golden):
    values = program_scores(*pairs_of(golden["texts"]), java)
    assert values == np.ravel(golden["scores"]).tolist()


def random_texts(seed: int) -> list[str]:
    """Sentences full of conflicts, and sentences full of marks."""
    rng = random.Random(seed)
    words = [" ".join(rng.choices(WORDS.split(), k=rng.randint(1, 18))) for _ in range(1500)]
    return words + [
        "x" + "".join(rng.choices([*MARKS, *WORDS.split()], k=rng.randint(3, 25)))
        for _ in range(1500)
    ]


def test_any_sentence_is_scored_as_by_the_program(meteor, java):
    texts = random_texts(4)
    said, told = texts, [[text] for text in texts[1:] + texts[:1]]
    expected = program_scores(said, told, java)
    np.testing.assert_allclose(meteor.score(said, told), expected, rtol=0, atol=1e-12)
    assert len(set(expected)) > 1000


@pytest.mark.slow
@pytest.mark.published
def test_every_published_pair_is_scored_as_by_the_program(meteor_store, java, published):
    pairs = published_pairs(published)
    assert len(pairs) > 20_000
    assert differences(pairs, meteor_store, java).max() < TOLERANCE


def test_of_several_references_the_best_counts(meteor):
    np.testing.assert_allclose(meteor.score(CAPTIONS, REFERENCES), EXPECTED, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        meteor.score(CAPTIONS * 1500, REFERENCES * 1500), EXPECTED * 1500, rtol=0, atol=1e-12
    )


def test_an_empty_text_scores_nothing(meteor):
    assert meteor.score(["", "a dog", ""], [["a dog"], [""], [""]]).tolist() == [0, 0, 0]
    assert meteor.score([], []).shape == (0,)


def test_a_caption_without_a_reference_is_refused(meteor):
    with pytest.raises(ValueError, match="references must hold at least one text"):
        meteor.score(["a dog"], [[]])


def test_what_was_counted_gives_the_score_of_the_formula():
    """One of two words matched by its stem: P = R = .3, a single chunk of one match."""
    row = [2, 2, 0, 0] + [0] * 4 + [1, 1, 0, 0] + [0] * 8 + [1, 1, 1]
    assert meteor_scores([row])[0] == pytest.approx(0.3 * (1 - 0.6))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. team (of 7) wins!", "the us team ( of 7 ) wins !"),
        ("Ends. Begins", "ends . begins"),
        ("approx. five", "approx. five"),
        ("No. 7 and No. Seven", "no. 7 and no . seven"),
        ("Mrs. Fox, 1,000 boys' and 1980's toys", "mrs. fox , 1,000 boys ' and 1980 's toys"),
        ("wait.. for it...", "wait .. for it ..."),
        ("“Rock-'n'-roll” – a 5-year-old", "\" rock- ' n ' -roll \" - a 5 year old"),
        ("no\u00a0break", "no break"),
    ],
)
def test_texts_are_cut_into_words_as_the_program_does(text, words):
    """The words are those that METEOR's own Normalizer prints, in lower case."""
    abbreviations = Abbreviations.of(find_files().lines("nonbreaking/english.prefixes"))
    assert " ".join(normalise(text, abbreviations)) == words


@pytest.mark.parametrize(
    ("word", "sets"),
    [
        ("car", {"1", "2"}),
        ("cars", {"1", "2"}),
        ("firemen", {"3"}),
        ("axes", {"4"}),  # the first rule that finds a word wins: "axe", not "ax"
        ("geese", {"6"}),
        ("gooses", set()),
        ("glass", {"7"}),
        ("glas", set()),
        ("as", {"8"}),  # too short to lose an ending
    ],
)
def test_a_word_is_in_its_own_sets_and_those_of_its_base_form(word, sets):
    synsets = [
        "car",
        "1 2",
        "fireman",
        "3",
        "axe",
        "4",
        "ax",
        "5",
        "goose_bird",
        "6",
        "glass",
        "7",
        "as",
        "8",
        "a",
        "9",
    ]
    exceptions = ["goose_bird", "geese", "nowhere", "gooses"]
    assert Synonyms(synsets, exceptions).sets(word) == sets


def batch_of_one() -> Batch:
    references = {"v": ["a dog runs"]}
    return Batch(["a dog is running"], ["v"], references, references)


def test_the_signature_tells_the_program_and_its_data(meteor_store):
    scores = score(
        batch_of_one(), ["meteor"], Settings(), MetricConfig(store=meteor_store).context()
    )
    edition = digest(find_files())
    assert len(edition) == 16
    assert scores.signatures["meteor"] == (
        f"meteor|refs:1|tokenize:ptb|meteor:1.5-python@{edition}|version:1"
    )
    assert not scores.faults


def test_a_context_loads_its_words_once(meteor_store):
    context = MetricConfig(store=meteor_store).context()
    assert context.resource("meteor") is context.resource("meteor")


def test_without_a_place_for_its_table_the_other_metrics_go_on(tmp_path):
    (tmp_path / "file").touch()
    kept = MetricConfig(store=tmp_path / "file").context()
    for context, reason in ((ScoringContext(), "was given"), (kept, "cannot be kept in")):
        scores = score(batch_of_one(), ["bleu1", "meteor"], Settings(), context)
        assert scores.values["bleu1"][0] > 0
        assert np.isnan(scores.values["meteor"][0])
        [fault] = scores.faults
        assert fault.metrics == ("meteor",)
        assert reason in fault.message
