"""UMBC's STS: words aligned by vectors and WordNet, strange ones penalised."""

from __future__ import annotations

import io
import math

import pandas as pd
import pytest
from django.core.management import call_command

from analysis.evaluation.inputs import read_signatures
from analysis.metrics.encoding.word_vectors import WordVectors
from analysis.metrics.families.umbc import Likeness, align_and_penalise, content_words

# Two nouns below one synset, as WordNet's own files have them.
INDEX = """  1 licence
canine n 1 1 @ 1 0 00000001
dog n 1 1 @ 1 0 00000002
cat n 1 1 @ 1 0 00000003
"""
DATA = """  1 licence
00000001 05 n 01 canine 0 000 | a beast
00000002 05 n 01 dog 0 001 @ 00000001 n 0000 | a friend
00000003 05 n 01 cat 0 001 @ 00000001 n 0000 | another
"""


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0 0\ncat 0.6 0.8 0\nruns 0 0 1\nsleeps 0 1 0\n")
    return path


@pytest.fixture
def wordnet(tmp_path):
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for kind in ("noun", "verb"):
        (folder / f"index.{kind}").write_text(INDEX if kind == "noun" else "  1 licence\n")
        (folder / f"data.{kind}").write_text(DATA if kind == "noun" else "  1 licence\n")
    return folder


def likeness(vectors, wordnet=None):
    found = Likeness(WordVectors(vectors), wordnet)
    found.vectors.read(["dog", "cat", "runs", "sleeps", "canine"])
    return found


def test_wordnet_adds_to_the_cosine_by_the_links_between_two_words(vectors, wordnet):
    alone, helped = likeness(vectors), likeness(vectors, wordnet)
    assert alone("dog", "cat") == pytest.approx(0.6)
    assert helped("dog", "cat") == pytest.approx(0.6 + 0.5 * math.exp(-0.5))  # up and down: 2
    assert helped("canine", "dog") == pytest.approx(0.5 * math.exp(-0.25))
    assert helped("cat", "dog") == helped("dog", "cat")
    assert helped("runs", "sleeps") == 0


def test_a_sentence_is_as_good_as_its_words_and_what_fits_nothing_costs(vectors):
    alike = likeness(vectors)
    near = align_and_penalise(["dog", "runs"], ["cat", "runs"], alike)
    assert near == pytest.approx((0.6 + 1 + 0.6 + 1) / 4)
    far = align_and_penalise(["dog", "runs"], ["dog", "zebra"], alike)
    assert far == pytest.approx(max((1 + 0 - 1 + 1 + 0 - 1) / 4, 0))
    assert math.isnan(align_and_penalise([], ["dog"], alike))
    assert content_words("The dog is on a sofa") == ["dog", "sofa"]


def test_the_command_scores_with_the_vectors_that_are_named_and_signs_them(vectors, tmp_path):
    captions, references = tmp_path / "captions.csv", tmp_path / "references.csv"
    captions.write_text("video,system,caption\nv,A,a dog runs\nv,B,the cat sleeps\n")
    references.write_text("video,source,caption\nv,h1,the dog runs\nv,h2,a cat runs\n")
    arguments = ["score", str(captions), "--references", str(references), "--metrics", "sts_umbc"]
    out = tmp_path / "scores.csv"
    named = ["--resource", f"umbc_vectors={vectors}", "--out", str(out)]
    call_command(*arguments, *named, stdout=io.StringIO(), stderr=io.StringIO())
    found = pd.read_csv(out).set_index("system")
    assert found.loc["A", "value"] == pytest.approx((1 + 0.8) / 2)
    assert "umbc_vectors:vectors.txt@" in read_signatures(out)["sts_umbc"]
