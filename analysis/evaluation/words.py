"""A metric that scores single words, judged on the words that people marked as wrong. Pure.

EMScore and FactVC match each token of a caption with the frame it is most like; that similarity is
what “Why this score” shows. A word's score is the mean of its tokens'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.settings import Settings
from analysis.metrics.batch import VideoFile, sentences_of
from analysis.metrics.encoding.encoder import IMAGE_TEXT, Encoder
from analysis.metrics.families.factvc import own_settings
from analysis.metrics.registry import Need, needs_of
from analysis.metrics.scoring import column
from analysis.reading.factuality import Paragraph
from analysis.stats.detection import Detection, detect
from hits.protocols.segments import segments

TOKEN_METRICS = ("emscore", "factvc")
Marks = Mapping[tuple[str, str], Sequence[bool]]
"""Of each video and system: whether each word is wrong."""


@dataclass(frozen=True, slots=True)
class WordDetection:
    """How well the token scores of a metric find the words that people marked."""

    metric: str
    found: Detection


def marks_in(paragraphs: Iterable[Paragraph]) -> dict[tuple[str, str], tuple[bool, ...]]:
    return {
        (each.video, each.system): tuple(chain(*(one.marks for one in each.sentences)))
        for each in paragraphs
    }


def judge_words(
    marks: Marks, captions: CaptionSet | None, scorer: Scorer, settings: Settings
) -> list[WordDetection]:
    """Every metric of the scorer that scores tokens; captions must be embedded already.

    Captions that were not judged, or not read by the model, are left out; so are words that the
    model did not read.
    """
    if not marks or captions is None:
        return []
    found = []
    for name in token_metrics(scorer.metrics):
        values, wrong, video = _words(marks, captions, scorer, is_factvc=name == "factvc")
        if len(values):
            told = detect(
                values,
                wrong,
                video,
                rng=np.random.default_rng([settings.seed, 19]),
                draws=settings.draws,
                confidence=settings.confidence,
            )
            found.append(WordDetection(column(name, scorer.label), told))
    return found


def token_metrics(metrics: Sequence[str]) -> list[str]:
    """Whose tokens are matched with frames when these are computed.

    >>> token_metrics(["cider", "emscore_p", "emscore", "factvc_text"])
    ['emscore']
    """
    looking = [name for name in metrics if Need.VIDEO in needs_of([name])]
    return [name for name in TOKEN_METRICS if any(one.startswith(name) for one in looking)]


def _words(
    marks: Marks, captions: CaptionSet, scorer: Scorer, *, is_factvc: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Scores, whether people found the word wrong, and the number of the video."""
    encoder: Encoder = scorer.context.resource(IMAGE_TEXT.name)
    chosen = own_settings(scorer.settings) if is_factvc else scorer.settings
    by_sentence = scorer.settings.paragraphs == "sentences"
    numbers = {name: at for at, name in enumerate(dict.fromkeys(captions.videos))}
    rows: list[tuple[float, bool, int]] = []
    for video, system, text in zip(captions.videos, captions.systems, captions.texts, strict=True):
        wrong, file = marks.get((video, system), ()), captions.files.get(video)
        parts = sentences_of(text) if by_sentence else [text]
        if not wrong or file is None:
            continue
        scores = word_scores(text, parts, file, encoder, chosen.frames)
        if len(scores) == len(wrong):
            told = zip(scores, wrong, strict=True)
            rows += [(score, bad, numbers[video]) for score, bad in told if not np.isnan(score)]
    return (
        np.array([score for score, _, _ in rows], np.float64),
        np.array([bad for _, bad, _ in rows], bool),
        np.array([owner for _, _, owner in rows], np.int64),
    )


def word_scores(
    text: str, parts: Sequence[str], video: VideoFile, encoder: Encoder, frames: str
) -> list[float]:
    """The score of each word of a text; NaN where the model did not read it.

    ``parts`` are what was embedded of it: the text, or its sentences.
    """
    embedded = encoder.frames(frames)
    if video not in embedded or any(part not in encoder.texts for part in parts):
        return []
    seen = np.asarray(embedded[video].vectors, np.float32)
    tokens: list[tuple[str, float]] = []
    for part in parts:
        read = encoder.texts[part]
        best = (np.asarray(read.vectors, np.float32) @ seen.T).max(axis=1)
        names = [encoder.token_text(int(token)) for token in read.marks]
        # The first and the last are the model's own marks of start and end.
        tokens += list(zip(names[1:-1], best[1:-1].tolist(), strict=True))
    return scores_of_words(text, tokens)


def scores_of_words(text: str, tokens: Sequence[tuple[str, float]]) -> list[float]:
    """The mean over the tokens that begin in a word, found by their letters and figures.

    >>> scores_of_words("A skateboard.", [("a", 0.2), ("skate…", 0.4), ("board", 0.6), (".", 0.9)])
    [0.2, 0.5]
    """
    words = segments(text, "word")
    owners = [at for at, (start, end) in enumerate(words) for _ in _letters(text[start:end])]
    whole = "".join(_letters(text[start:end]) for start, end in words)
    own: list[list[float]] = [[] for _ in words]
    place = 0
    for name, score in tokens:
        letters = _letters(name)
        if not whole.startswith(letters, place):
            return [float("nan")] * len(words)  # the model reads other letters than there are
        if letters:
            own[owners[place]].append(score)
        place += len(letters)
    return [float(np.mean(each)) if each else float("nan") for each in own]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
