"""Captions changed by rule: the kind is what it says, the span is where it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.learning.transformations import (
    AUGMENTATIONS,
    NEGATIVE,
    Corpus,
    augment,
    make_triples,
    make_wrong,
    simplify,
)

CAPTIONS = [
    "A man rides a brown horse on the beach.",
    "two women are cooking pizza in a kitchen",
    "A small dog runs and jumps over a red ball.",
    "someone speaks",
]
SEEDS = st.integers(0, 10_000)


@given(st.sampled_from(CAPTIONS), st.sampled_from(sorted(NEGATIVE)), SEEDS)
def test_outside_its_span_a_wrong_caption_is_the_true_one(text, kind, seed):
    found = make_wrong(text, kind, np.random.default_rng(seed), Corpus.of(CAPTIONS))
    if found is None:
        return
    assert found.kind == kind
    assert found.text != text
    assert text.startswith(found.text[: found.start].rstrip())
    assert text.endswith(found.text[found.end :].lstrip())


@pytest.mark.parametrize(
    ("text", "kind", "allowed"),
    [
        ("A man sits.", "person", {"A woman sits.", "A boy sits."}),
        ("he sings", "person", {"she sings", "they sings"}),
        ("a red car", "adjective", None),
        ("someone speaks quietly", "object", set()),
    ],
)
def test_an_error_is_of_the_kind_asked_for(text, kind, allowed):
    found = {
        made.text
        for seed in range(40)
        if (made := make_wrong(text, kind, np.random.default_rng(seed)))
    }
    if allowed is None:
        assert found
        assert all(said.startswith("a ") and said.endswith(" car") for said in found)
    else:
        assert found == allowed


SAID = [
    "A man is holding a knife in the kitchen.",
    "She opens a bottle with a spoon in the kitchen.",
    "He opens a pumpkin with a knife.",
    "She drops a pumpkin and a bottle.",
    "He drops a spoon.",
]


def swapped(text, kind, corpus):
    """The words that come into the place of another, by that word."""
    found = {}
    for seed in range(120):
        made = make_wrong(text, kind, np.random.default_rng(seed), corpus)
        if made and made.start and made.span and " " not in made.span:
            after = len(text) - (len(made.text) - made.end)
            found.setdefault(text[made.start : after], set()).add(made.span)
    return found


def test_objects_and_actions_are_swapped_for_the_corpus_own_words_in_the_same_form():
    corpus = Corpus.tagged(SAID, concepts={"knife": "tool", "spoon": "tool"})
    text = "He opens a pumpkin with a knife."
    nouns = swapped(text, "object", corpus)
    assert nouns["knife"] == {"spoon"}  # of the same super-category
    assert nouns["pumpkin"] == {"bottle", "kitchen", "knife", "spoon"}  # of none
    assert swapped(text, "action", corpus)["opens"] == {"drops"}  # not holding


def test_a_person_is_no_object():
    corpus = Corpus.tagged(["a man holds a ball", "a man holds a rope", "a ball near a rope"])
    for made in swapped("a man holds a ball", "object", corpus).values():
        assert "man" not in made


def test_poor_generation_inserts_unk_or_repeats():
    found = [
        make_wrong("a dog runs", "poor generation", np.random.default_rng(s)) for s in range(20)
    ]
    assert {one.span for one in found} >= {"UNK"}
    assert any(one.span in "a dog runs" for one in found)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (
            "A man opens the door and walks into the room.",
            ["A man opens the door.", "A man walks into the room."],
        ),
        (
            "A man holds his shoes as he walks barefoot over dirt and rocks outdoors",
            ["A man holds his shoes.", "He walks barefoot over dirt and rocks outdoors."],
        ),
        (
            "a dog is lying on the floor while a cat jumps up",
            ["A dog is lying on the floor.", "A cat jumps up."],
        ),
        ("A woman who wears a hat is singing.", ["A woman wears a hat.", "A woman is singing."]),
        ("A man and a woman", []),
        ("the man walks or runs", []),
        ("A worried man that sits mutters.", []),
    ],
)
def test_clauses_become_sentences_with_the_subject_their_verb_has(text, clauses):
    assert simplify(text) == clauses


def test_augmented_texts_have_synonyms_and_are_never_the_text_itself():
    from analysis.learning.image_text import _augmented

    told = {"v": ["A man rides a bicycle"], "w": ["zzyx qwrt"]}
    made = _augmented(told, 40, np.random.default_rng(3))
    known = Corpus.with_synonyms(told["v"]).synonyms
    assert {"bike", "cycle"} & set(known["bicycle"])
    words = {word.lower() for text in made["v"][1:] for word in text.split()}
    assert words & {said for word in ("man", "rides", "bicycle") for said in known.get(word, ())}
    assert "zzyx qwrt" not in made["w"][1:]


@given(st.sampled_from(CAPTIONS), SEEDS)
def test_augmentation_is_a_function_of_its_seed(text, seed):
    corpus = Corpus.of(CAPTIONS, {"man": ["guy"], "dog": ["puppy"]})
    made = [augment(text, corpus, np.random.default_rng(seed)) for _ in range(2)]
    assert made[0] == made[1]
    assert len(made[0]) == 10
    assert {one.kind for one in made[0]} <= set(AUGMENTATIONS)


def test_triples_pair_every_true_text_with_errors_of_every_kind():
    told = {"v": [CAPTIONS[0]], "w": ["A man opens the door and walks into the room."]}
    made = make_triples(
        told, np.random.default_rng(0), paraphrases={CAPTIONS[0]: ["Somebody rides."]}
    )
    assert {one.false.kind for one in made if one.true == CAPTIONS[0]} == set(NEGATIVE)
    assert {one.true for one in made if one.video == "v"} == {CAPTIONS[0], "Somebody rides."}
    assert "A man opens the door." in {one.true for one in made}
    assert len(make_triples(told, np.random.default_rng(0), most=3)) == 3
