"""Metrics computed again from altered captions and references."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.joining import join
from analysis.evaluation.robustness.checks import CHECKS, Material, check_robustness
from analysis.evaluation.robustness.drifting import quality_levels
from analysis.evaluation.robustness.foils import make_foil, make_foils, read_foils
from analysis.evaluation.robustness.lexicon import CATEGORIES
from analysis.evaluation.robustness.referencing import subsets
from analysis.evaluation.robustness.shuffling import shuffle_words
from analysis.evaluation.scores import score_table
from analysis.evaluation.scoring import Scorer
from analysis.metrics.context import ScoringContext

WHO = ("man", "woman", "dog", "cat")
WHAT = ("running", "eating", "singing", "riding")
WHERE = ("kitchen", "park", "street", "beach")


@pytest.fixture(scope="module")
def captions():
    """Sixteen videos with three references; system A says nearly the same, B something else."""
    rng = np.random.default_rng(0)
    references, videos, systems, texts = {}, [], [], []
    for number in range(16):
        who, what, where = WHO[number % 4], WHAT[number // 4], WHERE[(number + number // 4) % 4]
        references[str(number)] = {
            "H1": f"a red {who} is {what} in the {where}",
            "H2": f"one red {who} {what} at a {where}",
            "H3": f"there is a {who} who is {what}",
        }
        other = rng.integers(4, size=3)
        wrong = f"a {WHO[other[0]]} is {WHAT[other[1]]} in the {WHERE[other[2]]}"
        for system, text in (("A", f"a {who} is {what} in the {where}"), ("B", wrong)):
            videos.append(str(number))
            systems.append(system)
            texts.append(text)
    return CaptionSet(videos, systems, texts, references)


@pytest.fixture(scope="module")
def checked(captions):
    scorer = Scorer(["bleu4", "cider"], ScoringContext())
    metrics, signatures = scorer.captions(captions)
    rng = np.random.default_rng(1)
    human = metrics.frame["cider"].to_numpy() + rng.normal(scale=0.5, size=len(captions))
    people = score_table(captions.videos, captions.systems, {"z": human})
    assert signatures["bleu4"].startswith("bleu4|refs:3|")
    return check_robustness(join(people, metrics), "z", CHECKS, Material(captions, scorer))


def of(checked, check):
    return [finding for finding in checked.findings if finding.check == check]


def test_every_check_is_made_for_every_metric(checked):
    assert checked.notes == ()
    assert {finding.metric for finding in checked.findings} == {"bleu4", "cider"}
    sizes = {check: len(of(checked, check)) for check in
             ("quality drift", "word order", "references", "reference set", "foils")}  # fmt: skip
    assert sizes == {
        "quality drift": 10, "word order": 2, "references": 6, "reference set": 6, "foils": 8
    }  # fmt: skip


def test_one_reference_is_the_mean_over_the_sets_by_themselves(checked):
    single = [one.pearson for one in of(checked, "reference set") if one.metric == "cider"]
    one = next(f for f in of(checked, "references") if f.metric == "cider" and f.repeats == 3)
    assert one.pearson == pytest.approx(np.mean(single))
    assert (one.low, one.high) == (min(single), max(single))


def test_order_matters_to_bleu_and_foils_score_lower(checked):
    order = {one.metric: one for one in of(checked, "word order")}
    assert order["bleu4"].accuracy > 0.8
    every = {one.metric: one for one in of(checked, "foils") if one.condition == "all"}
    assert every["cider"].accuracy > 0.8
    assert every["cider"].n == sum(
        one.n for one in of(checked, "foils") if one.metric == "cider" and one.condition != "all"
    )


def test_words_are_shuffled_twenty_times_and_the_range_is_told(checked):
    bleu = next(one for one in of(checked, "word order") if one.metric == "bleu4")
    assert bleu.repeats == 20
    assert bleu.low < bleu.pearson < bleu.high


def test_what_cannot_be_checked_is_said(captions):
    scorer = Scorer(["bleu4"], ScoringContext())
    alone = CaptionSet(
        captions.videos, captions.systems, captions.texts,
        {video: {"H1": named["H1"]} for video, named in captions.references.items()},
    )  # fmt: skip
    metrics, _ = scorer.captions(alone)
    people = score_table(alone.videos, alone.systems, {"z": np.arange(32.0)})
    joined = join(people, metrics)
    found = check_robustness(joined, "z", ["sets", "foils"], Material(alone, scorer))
    assert [note.partition(":")[0] for note in found.notes] == ["sets", "foils"]
    without = check_robustness(joined, "z", ["shuffle"])
    assert without.notes == ("shuffle: needs captions and references to compute metrics from",)
    with pytest.raises(ValueError, match="there is no 'colour'"):
        check_robustness(joined, "z", ["colour"])


@given(st.text(alphabet="abc ", max_size=30), st.integers(0, 99))
def test_a_shuffle_has_the_same_words(text, seed):
    shuffled = shuffle_words(text, np.random.default_rng(seed))
    assert sorted(shuffled.split()) == sorted(text.split())


@pytest.mark.parametrize(
    ("category", "text"),
    [("colour", "A Red car."), ("number", "two men"), ("noun", "a dog barks"),
     ("verb", "she is running")],
)  # fmt: skip
def test_a_foil_differs_in_one_word_of_its_category(category, text):
    foil = make_foil(text, category, np.random.default_rng(4))
    changed = [
        (one.strip("."), other.strip("."))
        for one, other in zip(text.split(), foil.split(), strict=True)
        if one != other
    ]
    assert len(changed) == 1
    before, after = changed[0]
    assert before[0].isupper() == after[0].isupper()
    assert any({before.lower(), after.lower()} <= set(group) for group in CATEGORIES[category])


def test_a_caption_without_such_a_word_has_no_foil():
    assert make_foil("it rains", "colour", np.random.default_rng(0)) is None


def test_the_source_foils_are_made_of_is_no_reference(captions):
    pairs, rest = make_foils(captions.references, np.random.default_rng(0))
    assert {pair.true for pair in pairs} == {named["H1"] for named in captions.references.values()}
    assert all(set(named) == {"H2", "H3"} for named in rest.values())


def test_pairs_are_read_from_a_file(tmp_path):
    path = tmp_path / "foils.csv"
    path.write_text("video,true,foil,category\n1,a red car,a blue car,colour\n")
    assert [(pair.true, pair.foil, pair.category) for pair in read_foils(path)] == [
        ("a red car", "a blue car", "colour")
    ]
    path.write_text("video,true\n1,a red car\n")
    with pytest.raises(ValueError, match="no column 'foil'"):
        read_foils(path)


def test_levels_are_those_that_people_gave():
    """Means of three ratings 1 … 5 (emscore-2022 §5.1.2): the nearest level, wherever they end."""
    means = np.array([1.67, 2.33, 3.0, 3.67, 4.33])
    assert quality_levels(means).tolist() == [2, 2, 3, 4, 4]
    assert quality_levels(np.ones(3)).tolist() == [1, 1, 1]


def test_an_extreme_score_moves_no_other():
    plain = np.linspace(-1, 1, 50)
    extreme = np.append(plain[:-1], 40.0)
    assert quality_levels(extreme).tolist() == quality_levels(plain).tolist()
    assert np.bincount(quality_levels(plain)).tolist() == [0, 10, 10, 10, 10, 10]


def test_what_nobody_could_compare_is_not_defined(captions):
    """A metric without a value before and after shuffling has no share of pairs, not none won."""
    scorer = Scorer(["bleu4", "emscore"], ScoringContext())
    metrics, _ = scorer.captions(captions)
    people = score_table(captions.videos, captions.systems, {"z": np.arange(len(captions))})
    found = check_robustness(
        join(people, metrics), "z", ["shuffle"], Material(captions, scorer)
    ).findings
    shares = {finding.metric: finding.accuracy for finding in found}
    assert np.isnan(shares["emscore"])
    assert 0 < shares["bleu4"] <= 1
    assert {finding.repeats for finding in found} == {20}


def test_with_fewer_references_rare_words_are_counted_in_the_same_corpus(captions):
    """The reference curve of CIDEr keeps one document frequency (as its authors do)."""
    one, all_three = captions.batch({"H1"}), captions.batch()
    assert one.corpus_digest == all_three.corpus_digest
    assert one.references != all_three.references
    own = replace(captions, corpus={"elsewhere": ["a corpus of its own"]})
    assert own.batch({"H1"}).corpus == own.batch().corpus == own.corpus


def test_many_subsets_are_sampled_and_differ():
    names = [str(number) for number in range(12)]
    drawn = subsets(names, 6, np.random.default_rng(0))
    assert len(drawn) == len(set(drawn)) == 10
    assert all(len(set(subset)) == 6 for subset in drawn)
