"""Which captions that people wrote are listed for a look, and why."""

from __future__ import annotations

import pytest

from analysis.results.written import Written, doubts, likely_language

GOOD = "Two boys kick a ball across a wet field."


def found(*captions, language=""):
    rows = [Written(number, *caption) for number, caption in enumerate(captions)]
    return doubts(rows, language=language)


def test_a_good_sentence_is_not_listed():
    assert found(("v1", "ann", GOOD), ("v1", "ben", "Children play football in the rain.")) == {}


@pytest.mark.parametrize("text", ["A man is talking.", "Dog", "It is on the", "…", "42"])
def test_too_few_words_to_say_anything_are_listed(text):
    [[reason]] = found(("v1", "ann", text)).values()
    assert "to say what happens" in reason


def test_the_words_of_somebody_else_are_listed_with_both():
    said = found(("v1", "ann", GOOD), ("v1", "ben", GOOD.upper().rstrip(".")))
    assert said == {key: ["the same words as somebody else’s for this video"] for key in (0, 1)}


def test_one_sentence_for_several_videos_is_listed():
    said = found(
        ("v1", "ann", GOOD), ("v2", "ann", GOOD), ("v3", "ben", "A cat climbs a tall tree")
    )
    assert said == {key: ["written of 1 other video as well"] for key in (0, 1)}


def test_another_language_is_listed_and_short_words_prove_nothing():
    german = "Ein Junge läuft mit dem Ball über die Wiese."
    assert found(("v1", "ann", GOOD), ("v2", "ben", german), language="en") == {
        1: ["looks like de, not en"]
    }
    assert found(("v1", "ann", GOOD), ("v2", "ben", german), language="de") == {
        0: ["looks like en, not de"]
    }
    most = [(f"v{n}", "ann", f"{GOOD} Number {word}.") for n, word in enumerate(("two", "ten"))]
    assert found(*most, ("v9", "ben", german)) == {2: ["looks like de, not en"]}
    assert found(("v1", "ann", "Radfahrer überholt Traktor"), language="en") == {}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Un homme marche dans la rue avec son chien.", "fr"),
        ("Un hombre camina por la calle con su perro.", "es"),
        ("Um homem anda na rua com o seu cachorro.", "pt"),
        ("एक आदमी सड़क पर चल रहा है", "hi"),
        ("一个男人带着狗走在街上", "zh"),
    ],
)
def test_languages_are_told_apart(text, language):
    assert likely_language(text) == language
    assert found(("v1", "ann", text), language=language) == {}
