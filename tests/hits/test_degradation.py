"""PROTOCOL §3, sentence by sentence."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hits.degradation import Degraded, degrade, material, versions, words_to_replace

# direct-assessment-2018, Table 2: words in a caption, words replaced.
TABLE = {
    **dict.fromkeys([1], 1),
    **dict.fromkeys(range(2, 6), 2),
    **dict.fromkeys(range(6, 9), 3),
    **dict.fromkeys(range(9, 16), 4),
    **dict.fromkeys(range(16, 21), 5),
    **{words: words // 4 for words in range(21, 101)},
}
DONOR = "Donor " + " ".join(f"d{number}" for number in range(30)) + " end."


def degraded(captions: list[str], *chosen: int, seed: int = 0) -> Degraded:
    return degrade(captions, np.array(chosen, dtype=np.int64), rng=np.random.default_rng(seed))


def plain(words: list[str]) -> list[str]:
    return [word.strip(".,!?").casefold() for word in words]


def replaced_run(original: str, result: str, length: int) -> list[tuple[list[str], list[str]]]:
    """Every reading of the result as the original with one inner run replaced: (old, new)."""
    old, new = original.split(), result.split()
    assert len(old) == len(new)
    return [
        (old[start : start + length], new[start : start + length])
        for start in range(1, len(old) - length)
        if old[:start] == new[:start] and old[start + length :] == new[start + length :]
    ]


def inner_runs(caption: str, length: int) -> list[list[str]]:
    words = caption.split()
    return [words[start : start + length] for start in range(1, len(words) - length)]


def test_it_replaces_as_many_words_as_the_table_says():
    found = words_to_replace(np.arange(1, 101)).tolist()
    assert found[:3] == [1, 1, 1]  # the word, the last word, the inside
    assert found[3:] == [TABLE[words] for words in range(4, 101)]


@pytest.mark.parametrize("words", range(3, 41))
def test_it_replaces_one_run_between_the_first_and_the_last_word(words):
    original = " ".join(f"o{number}" for number in range(words))
    expected = min(TABLE[words], words - 2)
    for seed in range(5):
        result = degraded([original, DONOR], 0, seed=seed)
        assert result.words.tolist() == [expected]
        assert not result.short.any()
        [(_, new)] = replaced_run(original, result.text[0], expected)
        assert new in inner_runs(DONOR, expected)


def test_it_replaces_every_inner_run_sooner_or_later_and_uses_every_donor_run():
    original = "o0 o1 o2 o3 o4 o5 o6"
    donors = ["A x1 x2 x3 x4 b.", "C y1 y2 y3 d."]
    results = [degraded([original, *donors], 0, seed=seed).text[0] for seed in range(200)]
    found = [replaced_run(original, text, 3)[0] for text in results]
    assert {tuple(old) for old, _ in found} == {tuple(run) for run in inner_runs(original, 3)}
    assert {tuple(new) for _, new in found} == {
        tuple(run) for donor in donors for run in inner_runs(donor, 3)
    }


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Dog", "Bus"),
        ("dog", "bus"),
        ("Running!", "Bus!"),
        ("“Dog?”", "“Bus?”"),
        ("dog.", "bus."),
        ("Dog .", "Bus ."),
        ("Dog runs", "Dog bus"),
        ("Dog runs!", "Dog bus!"),
        ("dog, runs...", "dog, bus..."),
        ("Dog runs fast.", "Dog bus fast."),
    ],
)
def test_it_keeps_case_and_punctuation_of_the_shortest_captions(caption, expected):
    assert degraded([caption, "A bus, stops."], 0).text == [
        expected.replace("bus fast", "bus, fast")
    ]


@pytest.mark.parametrize("caption", ["नमस्ते", "नमस्ते दुनिया", "一只狗。"])
def test_it_takes_vowel_signs_and_other_scripts_for_words(caption):
    end = "。" if caption.endswith("。") else ""
    kept = caption.split()[:-1]
    assert degraded([caption, "A bus stops."], 0).text == [" ".join([*kept, "bus" + end])]


def test_it_takes_nothing_that_would_not_read_as_part_of_one_sentence():
    donor = 'A man stops here. Then he (John Smith) says "hello there" and . goes off again.'
    carried = set()
    for seed in range(300):
        text = degraded(["Two cats sleep.", donor], 0, seed=seed).text[0]
        carried.add(text.split()[1])
    assert carried == {"man", "stops", "he", "says", "and", "off"}


def test_it_uses_the_longest_run_there_is_and_says_so():
    original = "one two three four five six seven eight nine ten"
    result = degraded([original, "A bus stops here now.", "A cat sits."], 0, 1, 2)
    assert result.words.tolist() == [3, 2, 1]
    assert result.short.tolist() == [True, False, False]
    [(_, new)] = replaced_run(original, result.text[0], 3)
    assert new == ["bus", "stops", "here"]


def test_it_takes_a_shorter_run_when_all_of_the_length_say_the_same():
    result = degraded(["A red bus stops.", "The red bus stops."], 0)
    assert result.words.tolist() == [1]
    assert result.short.tolist() == [True]
    assert result.text[0] in {"A bus bus stops.", "A red red stops."}


def test_it_never_gives_back_what_was_there_in_another_case():
    captions = ["Dog RUNS, here", "A runs b", "A sits b"]
    assert {degraded(captions, 0, seed=seed).text[0] for seed in range(20)} == {"Dog sits here"}


@pytest.mark.parametrize(
    "captions", [["A dog runs."], ["A dog runs.", "Hello you."], ["A dog runs.", "The Dog, sits."]]
)
def test_it_refuses_a_campaign_without_other_words(captions):
    with pytest.raises(ValueError, match=r"different words inside, to degrade 'A dog runs\.'"):
        degraded(captions, 0)


@pytest.mark.parametrize("empty", ["", "  \t"])
def test_it_refuses_an_empty_caption(empty):
    with pytest.raises(ValueError, match="captions must not be empty, number 1 is"):
        degraded(["A dog runs.", empty], 0)


@pytest.mark.parametrize("number", [-1, 2])
def test_it_refuses_a_caption_that_was_not_given(number):
    with pytest.raises(ValueError, match="chosen must be numbers of captions, from 0 to 1"):
        degraded(["A dog runs.", "A cat sits."], number)


def test_nothing_chosen_is_nothing_degraded():
    assert degraded([]).text == []


def test_versions_of_one_caption_all_differ_until_there_are_no_more():
    captions = ["A dog runs.", "A cat sits.", "A bus stops.", "A cat eats."]
    donors = {"A cat runs.", "A bus runs."}
    assert set(degraded(captions, 0, 0).text) == donors
    many = degraded(captions, *[0] * 7).text
    assert set(many) == donors
    assert sorted(many.count(text) for text in donors) == [3, 4]


def test_a_caption_wanted_in_all_its_versions_gets_all_of_them():
    captions = ["A dog runs.", "Here " + " ".join(f"w{number}" for number in range(50)) + " ends."]
    texts = degraded(captions, *[0] * 50).text
    assert sorted(texts) == sorted(f"A w{number} runs." for number in range(50))


def test_a_caption_never_lends_words_to_itself_even_when_versions_run_out():
    texts = degraded(["A dog runs and sits.", "A cat eats."], *[0] * 9).text
    assert set(texts) == {
        "A cat runs and sits.",
        "A dog cat and sits.",
        "A dog runs cat sits.",
    }


# A busy machine takes its time; that is no fault of the code.
patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.sampled_from(["cat", "Cat", "dog,", "bus", "red", "runs", "a", "stops.", "(big)"])
CAPTIONS = st.lists(st.lists(WORDS, min_size=1, max_size=26).map(" ".join), min_size=2, max_size=6)
RICH = [DONOR, DONOR.replace(" d", " e")]  # there is always something to put in


@patiently
@given(captions=CAPTIONS, data=st.data(), seed=st.integers(0, 99))
def test_whatever_the_captions_the_result_is_one_inner_run_of_another_caption(captions, data, seed):
    captions = captions + RICH
    numbers = st.integers(0, len(captions) - 1)
    chosen = data.draw(st.lists(numbers, min_size=1, max_size=20))
    result = degraded(captions, *chosen, seed=seed)
    assert len(set(zip(chosen, result.text, strict=True))) == len(chosen)
    for number, text, length in zip(chosen, result.text, result.words.tolist(), strict=True):
        original = captions[number]
        count = len(original.split())
        if count < 3:
            assert plain(text.split()) != plain(original.split())
            assert length == 1
            continue
        others = [caption for other, caption in enumerate(captions) if other != number]
        donors = [run for caption in others for run in inner_runs(caption, length)]
        assert length == min(TABLE[count], count - 2)
        assert any(
            new in donors and plain(old) != plain(new)
            for old, new in replaced_run(original, text, length)
        )


@patiently
@given(captions=CAPTIONS, seed=st.integers(0, 99))
def test_the_same_seed_gives_the_same_texts(captions, seed):
    chosen = list(range(len(captions))) * 2
    first = degraded(captions + RICH, *chosen, seed=seed)
    assert degraded(captions + RICH, *chosen, seed=seed).text == first.text


def test_another_seed_gives_other_texts():
    captions = [" ".join(f"{name}{number}" for number in range(20)) for name in "abcdef"]
    first, second = (degraded(captions, *range(6), seed=seed).text for seed in (1, 2))
    assert first != second


@pytest.mark.parametrize("module", [material, versions])
def test_the_examples_in_its_documentation_are_right(module):
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed
