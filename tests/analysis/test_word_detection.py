"""Token scores against words that people marked: every number here is computed by hand."""

from __future__ import annotations

import io
import json
import math
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from django.core.management import call_command

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.findings.words import words_sentence
from analysis.evaluation.human import read_human
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.settings import Settings as EvaluationSettings
from analysis.evaluation.words import judge_words, scores_of_words, token_metrics
from analysis.metrics.batch import VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.settings import Settings
from analysis.stats.detection import detect
from tests.analysis.metrics.pretend import pretend_encoder, word_number
from tests.clips import make_clip

MARKED = {
    "v1": {
        "A": {"paragraph_score": 5, "sentences": ["a dog runs .", "it barks"]},
        "B": {"paragraph_score": 2, "sentences": ["a [red cat] runs", "it [sleeps] ."]},
    },
    "v2": {
        "A": {"paragraph_score": 4, "sentences": ["a man [sings]"]},
        "B": {"paragraph_score": 1, "sentences": ["[two dogs] sing"]},
    },
}


def found_in(score, wrong, video, **options):
    rng = np.random.default_rng(7)
    return detect(np.array(score), np.array(wrong, bool), np.array(video), rng=rng, **options)


def test_a_tie_counts_half_and_the_threshold_comes_from_the_other_video():
    """Right words: .5 .9, then .3 .8; wrong ones: .1 .5, then .2. Of 4 × 3 pairs the right is
    higher in 2+3+2+3 = 10 and equal to the wrong one in 1 (.5 and .5), lower in 1 (.3 and .5).

    The first video chooses .5 (F1 = 4/5): in the second that calls .3 and .2 wrong, one of them
    rightly. The second chooses .2 (F1 = 1): in the first that calls .1 wrong, rightly. So three are
    called wrong, two of them rightly, of three that are: F1 = 2 · 2 / (3 + 3).
    """
    score = [0.5, 0.9, 0.1, 0.5, 0.3, 0.8, 0.2]
    wrong = [0, 0, 1, 1, 0, 0, 1]
    found = found_in(score, wrong, [4, 4, 4, 4, 9, 9, 9])
    assert found.auc == pytest.approx(10.5 / 12)
    assert found.f1 == pytest.approx(2 / 3)
    assert found.f1_all == pytest.approx(2 * 3 / (7 + 3))
    assert (found.words, found.wrong, found.videos) == (7, 3, 2)
    # A draw is the first video twice, the second twice, or both: AUC 3.5/4, 2/2 and 10.5/12.
    assert (found.auc_low, found.auc_high) == pytest.approx((3.5 / 4, 1.0))


def test_what_is_not_defined_is_not_a_number():
    assert math.isnan(found_in([0.1, 0.2], [0, 0], [1, 2]).auc)
    alone = found_in([0.1, 0.2], [1, 0], [1, 1])
    assert alone.auc == 1.0
    assert math.isnan(alone.f1)  # no other video to choose a threshold
    assert "F1 needs two videos" in words_sentence("emscore", alone)
    nothing = found_in([], [], [])
    assert nothing.words == 0
    assert math.isnan(nothing.auc)


def test_chance_is_named_where_the_interval_holds_it():
    rng = np.random.default_rng(3)
    noise = found_in(rng.random(400), rng.random(400) < 0.3, np.arange(400) % 20)
    assert noise.auc_low < 0.5 < noise.auc_high
    assert "chance is not ruled out" in words_sentence("emscore", noise)
    clear = found_in([0.1, 0.9] * 20, [1, 0] * 20, np.arange(40) // 4)
    assert (clear.auc, clear.f1) == (1.0, 1.0)
    assert "not ruled out" not in words_sentence("emscore", clear)


def test_tokens_go_to_the_words_they_begin_in():
    tokens = [("a", 0.1), ("t", 0.2), ("-", 9.0), ("shirt", 0.4), (",", 9.0), ("it", 0.5)]
    assert scores_of_words("A t-shirt, it", tokens) == pytest.approx([0.1, 0.3, 0.5])
    cut = scores_of_words("a dog runs", [("a", 0.1), ("dog", 0.2)])
    assert cut[:2] == [0.1, 0.2]
    assert math.isnan(cut[2])  # the model did not read so far
    assert all(map(math.isnan, scores_of_words("a dog", [("a", 0.1), ("cat", 0.2)])))


def test_only_metrics_that_look_at_the_video_have_such_scores():
    assert token_metrics(["factvc", "emscore_text", "clipscore", "bleu4"]) == ["factvc"]
    assert judge_words({}, None, Scorer(["emscore"], ScoringContext()), EvaluationSettings()) == []


@pytest.fixture
def annotation(tmp_path):
    path = tmp_path / "factuality_annotation.json"
    path.write_text(json.dumps(MARKED, indent=1))
    return path


def test_marks_and_texts_are_read_with_the_scores_of_every_level(annotation):
    human = read_human(annotation)
    assert human.table.names == ["paragraph", "sentence", "word"]
    assert human.table.frame.loc["v1", "B"].tolist() == [2, 0.0, 0.5]
    assert human.marks["v1", "B"] == (False, True, True, False, False, True)
    assert human.texts.texts[:2] == ["a dog runs . it barks", "a red cat runs it sleeps ."]


def test_words_are_scored_as_the_model_matches_them(annotation, tmp_path, monkeypatch):
    """AUC is that of the similarities that the encoder's own vectors give."""
    human = read_human(annotation)
    videos = {
        name: VideoFile.of(make_clip(tmp_path / f"{name}.mp4", seconds=1)) for name in ("v1", "v2")
    }
    encoder = pretend_encoder(tmp_path / "store")
    texts = [text.replace(" .", "") for text in human.texts.texts]
    names = {token: word for text in texts for word, token in zip(
        text.split(), _tokens(text), strict=True)}  # fmt: skip
    monkeypatch.setattr(encoder, "token_text", lambda token: names.get(token, "[mark]"))
    captions = CaptionSet(human.texts.videos, human.texts.systems, texts, {}, files=videos)
    scorer = Scorer(
        ["emscore"],
        ScoringContext(opened={"image_text": encoder}),
        Settings(frames="uniform:4", idf="none"),
    )
    scorer.captions(captions)
    [judged] = judge_words(human.marks, captions, scorer, EvaluationSettings(draws=20))
    good, bad = [], []
    for video, system, text in zip(captions.videos, captions.systems, texts, strict=True):
        frames = encoder.frames("uniform:4")[videos[video]].vectors
        best = (encoder.texts[text].vectors @ frames.T).max(axis=1)[1:-1]
        for score, wrong in zip(best, human.marks[video, system], strict=True):
            (bad if wrong else good).append(score)
    pairs = [(a > b) + (a == b) / 2 for a in good for b in bad]
    assert judged.metric == "emscore"
    assert (judged.found.words, judged.found.wrong, judged.found.videos) == (17, 6, 2)
    assert judged.found.auc == pytest.approx(np.mean(pairs))


def _tokens(text):
    return [word_number(word) for word in text.split()]


@pytest.mark.skipif(find_spec("open_clip") is None, reason="needs open_clip")
def test_the_command_writes_them_from_the_annotation_and_the_videos_alone(annotation, tmp_path):
    clips = tmp_path / "clips"
    clips.mkdir()
    for name in MARKED:
        make_clip(clips / f"{name}.mp4", seconds=1)
    out = tmp_path / "out"
    call_command(
        "correlate", human=annotation, videos=clips, compute=["emscore"], model="demo", anyway=True,
        store=tmp_path / "store", robustness=[], out=out, stdout=io.StringIO(),
        stderr=io.StringIO(),
    )  # fmt: skip
    [row] = pd.read_csv(out / "words.csv").to_dict("records")
    assert row["metric"] == "emscore"
    assert row["words"] == 17
    assert 0 <= row["auc"] <= 1
    report = (out / "report.html").read_text()
    assert "Words that people marked" in report
    assert json.loads((out / "report.json").read_text())["words"][0]["wrong"] == 6
    for level in ("paragraph", "sentence", "word"):
        assert f"scores: {level}" in report
