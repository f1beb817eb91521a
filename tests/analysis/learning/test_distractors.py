"""Captions that are wrong in a known way: foils by concepts, captions of other videos."""

from __future__ import annotations

import csv
import itertools
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.evaluation.robustness.foils import read_foils
from analysis.learning.distractors import (
    Concepts,
    NgramModel,
    adversarial_matching,
    concept_foils,
    wordnet_concepts,
)
from hits.importing.reading import read_campaign
from hits.services.importing import campaign_import
from tests.folders import make_folder

# Two nouns as WordNet has them: lemma, part of speech, senses, pointers, …, offsets of the senses.
INDEX = """\
  1 This is the licence.
cat n 2 1 @ 2 1 00000100 00000300
dog n 1 2 @ ~ 1 1 00000200
tea_cup n 1 1 @ 1 0 00000300
"""
DATA = """\
  1 This is the licence.
00000100 05 n 01 cat 0 001 @ 00000001 n 0000 | an animal
00000200 05 n 01 dog 0 001 @ 00000001 n 0000 | another
00000300 06 n 01 tea_cup 0 001 @ 00000001 n 0000 | a thing
"""


class TestNgramModel:
    model = NgramModel.of(["a dog runs", "a dog sleeps"])

    def test_probabilities_by_hand(self):
        # After "<s> <s>" always a: three and two words say 1. Single words: a a dog dog runs sleeps
        # and two ends are 8, of 5 kinds; a: (2 + 1) / (8 + 5 + 1).
        assert self.model.probability("a", ("<s>", "<s>")) == pytest.approx(0.9 + 0.1 * 3 / 14)
        # After "a dog" runs once of twice.
        assert self.model.probability("runs", ("a", "dog")) == pytest.approx(0.45 + 0.1 * 2 / 14)
        # Never seen.
        assert self.model.probability("flies", ("a", "dog")) == pytest.approx(0.1 / 14)

    def test_perplexity_is_the_geometric_mean(self):
        p = [
            self.model.probability(word, before)
            for word, before in (
                ("a", ("<s>", "<s>")),
                ("dog", ("<s>", "a")),
                ("runs", ("a", "dog")),
                ("</s>", ("dog", "runs")),
            )
        ]
        assert self.model.perplexity("A dog runs.") == pytest.approx(np.prod(p) ** (-1 / 4))


class TestFoils:
    known = {"dog": "animal", "cat": "animal", "ant": "animal", "car": "thing", "dogs": "animal"}
    references = {
        "1": {"A": "A dog runs.", "B": "a dog and a horse"},
        "2": {"A": "a cat runs", "B": "a cat sleeps"},
        "3": {"A": "the sky"},
    }
    texts = ("A dog runs.", "a cat runs", "a cat sleeps", "an ant", "two dogs")

    def test_a_concept_gives_way_to_one_of_its_kind(self):
        concepts = Concepts.of(self.known, self.texts, fewest=1)
        found = concept_foils(self.references, concepts, NgramModel.of(self.texts))
        # Not "ant", which wants "an"; not "dogs", which are several; nothing for the sky.
        assert [(one.video, one.foil, one.category) for one in found] == [
            ("1", "A cat runs.", "animal"),
            ("2", "a dog runs", "animal"),
        ]

    def test_what_somebody_says_of_the_video_is_no_foil(self):
        references = {"1": {"A": "A dog runs.", "B": "a cat watches"}}
        concepts = Concepts.of(self.known, self.texts, fewest=1)
        assert concept_foils(references, concepts, NgramModel.of(self.texts)) == []

    def test_rare_concepts_are_left_out(self):
        assert Concepts.of(self.known, self.texts, fewest=2).category == {"cat": "animal"}

    def test_the_best_sentence_is_kept(self):
        texts = ["a dog runs home", "a cat runs", "a hen", "a cat runs"]
        concepts = Concepts.of(dict.fromkeys(("dog", "cat", "hen"), "animal"), texts, fewest=1)
        [found] = concept_foils({"1": {"A": "a dog runs home"}}, concepts, NgramModel.of(texts))
        assert found.foil == "a cat runs home"

    def test_a_paragraph_is_wrong_in_one_sentence_and_a_video_may_have_several_foils(self):
        told = {"1": {"A": "A dog runs. The sky is blue. A dog sleeps.", "B": "a dog eats"}}
        concepts = Concepts.of(self.known, self.texts, fewest=1)
        reader = NgramModel.of([*self.texts, "a cat sleeps", "a cat sleeps"])
        [one] = concept_foils(told, concepts, reader)
        several = concept_foils(told, concepts, reader, most=5)
        assert several[0] == one
        assert [(pair.foil, pair.sentence) for pair in sorted(several, key=lambda p: p.foil)] == [
            ("A cat runs. The sky is blue. A dog sleeps.", 1),
            ("A dog runs. The sky is blue. A cat sleeps.", 3),
            ("a cat eats", 1),
        ]
        drawn = concept_foils(told, concepts, reader, np.random.default_rng(1), most=2)
        assert len({pair.foil for pair in drawn}) == 2

    def test_categories_come_from_the_first_sense_in_wordnet(self, tmp_path):
        (tmp_path / "index.noun").write_text(INDEX)
        (tmp_path / "data.noun").write_text(DATA)
        assert wordnet_concepts(tmp_path) == {"cat": "noun-05", "dog": "noun-05"}

    def test_a_folder_without_wordnet_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="wordnet-base"):
            wordnet_concepts(tmp_path)


class TestMatching:
    def test_it_finds_the_best_of_all_matchings(self):
        rng = np.random.default_rng(3)
        relevance, similarity = rng.uniform(0.1, 0.9, (2, 5, 5))
        worth = np.log(relevance) + 0.5 * np.log(1 - similarity)
        best = max(
            sum(worth[row, column] for row, column in enumerate(order))
            for order in itertools.permutations(range(5))
            if all(row != column for row, column in enumerate(order))
        )
        [found, *_] = adversarial_matching(relevance, similarity, rounds=1, weight=0.5)
        assert worth[np.arange(5), found].sum() == pytest.approx(best)

    def test_nobody_gets_its_own_caption_nor_one_twice_and_rounds_get_easier(self):
        rng = np.random.default_rng(4)
        relevance, similarity = rng.uniform(0.1, 0.9, (2, 8, 8))
        worth = np.log(relevance) + np.log(1 - similarity)
        rounds = adversarial_matching(relevance, similarity, rounds=3)
        for row in range(8):
            assert len({row, *(int(found[row]) for found in rounds)}) == 4
        totals = [worth[np.arange(8), found].sum() for found in rounds]
        assert totals == sorted(totals, reverse=True)

    def test_too_few_videos_are_refused(self):
        with pytest.raises(ValueError, match="4 videos"):
            adversarial_matching(np.ones((3, 3)), np.zeros((3, 3)), rounds=3)


@pytest.fixture
def references(sets, tmp_path):
    return sets[0] / "references.csv"


def make(*words) -> str:
    printed = StringIO()
    call_command("make_distractors", *map(str, words), stdout=printed, stderr=StringIO())
    return printed.getvalue()


def test_foils_are_read_by_the_robustness_check(references, tmp_path):
    out, told = tmp_path / "foils.csv", tmp_path / "foils.json"
    make("foils", references, "--out", out, "--json", told)
    pairs = read_foils(out)
    assert pairs
    assert all(pair.true != pair.foil for pair in pairs)
    assert len(json.loads(told.read_text())["annotations"]) == len(pairs)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "more", "systems"),
    [
        ("foils", ("--fewest", 1, "--captions"), {"TRUE_1", "FOIL_1"}),
        ("captions", ("--rounds", 1, "--out"), {"AM_1"}),
    ],
)
def test_what_is_made_is_imported_as_the_captions_of_a_campaign(
    kind, more, systems, equipment, organiser, tmp_path
):
    folder = make_folder(tmp_path / "campaign", videos=3)
    words = zip(("man", "woman", "boy"), ("road", "bridge", "river"), strict=True)
    lines = [
        f"v00{at},human-a,the {who} is near the {where}" for at, (who, where) in enumerate(words)
    ]
    own = folder / "references.csv"
    own.write_text("\n".join(["video,source,caption", *lines]) + "\n")
    (folder / "campaign.toml").write_text('name = "Wrong"\ncontrol = "human-a"\n')
    extra = equipment if kind == "captions" else ("--out", tmp_path / "pairs.csv")
    make(kind, own, *extra, *more, folder / "captions.csv")
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    made = campaign.systems.exclude(role="reference").values_list("name", flat=True)
    assert set(made) == systems


def test_captions_of_other_videos_are_pairs_for_the_robustness_check(
    references, equipment, tmp_path
):
    out, foils = tmp_path / "captions.csv", tmp_path / "pairs.csv"
    make("captions", references, "--out", out, "--rounds", 2, "--foils", foils, *equipment)
    pairs = read_foils(foils)
    assert {pair.category for pair in pairs} == {"AM_1", "AM_2"}
    assert all(pair.true.endswith(f" {pair.video}") for pair in pairs)
    assert not any(pair.foil.endswith(f" {pair.video}") for pair in pairs)


def test_errors_come_with_their_kind_and_place_and_are_foils_too(references, tmp_path):
    out = tmp_path / "errors.csv"
    make("errors", references, "--out", out, "--kinds", "object,poor generation")
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["category"] for row in rows} == {"object", "poor generation"}
    for row in rows:
        start, end = int(row["start"]), int(row["end"])
        assert row["true"].startswith(row["foil"][:start].rstrip())
        assert row["true"].endswith(row["foil"][end:].lstrip())
    assert len(read_foils(out)) == len(rows)
    with pytest.raises(CommandError, match="no kind 'spelling'"):
        make("errors", references, "--out", out, "--kinds", "spelling")


def test_captions_of_other_videos_are_captions_of_a_campaign(references, equipment, tmp_path):
    out = tmp_path / "captions.csv"
    make("captions", references, "--out", out, "--rounds", 2, *equipment)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows} == {"AM_1", "AM_2"}
    assert len(rows) == 2 * 60
    assert not any(row["caption"].endswith(f" {row['video']}") for row in rows)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--concepts", "{tmp}/none.csv"], "none.csv"),
        (["--wordnet", "{tmp}"], "wordnet-base"),
        (["--fewest", "100000"], "no word"),
    ],
)
def test_bad_input_is_told(references, tmp_path, options, told):
    with pytest.raises(CommandError, match=told) as refused:
        make(
            "foils", references, "--out", tmp_path / "out.csv",
            *(option.format(tmp=tmp_path) for option in options),
        )  # fmt: skip
    assert refused.value.returncode == 2
    assert not (tmp_path / "out.csv").exists()
