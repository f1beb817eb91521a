"""Human scores of captions from whatever holds them, and how reliable they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation import evalset, trecvid
from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.reading import read_scores
from analysis.evaluation.scores import ScoreTable, score_table
from analysis.evaluation.words import Marks, marks_in
from analysis.metrics.judged import is_judged, read_judgements
from analysis.presenting.exports import Table
from analysis.reading import RatingsFile, appraise, authors, factuality, mturk, read_ratings
from analysis.reading.factuality import Paragraph
from analysis.reading.files import beginning, plain
from analysis.results.factuality import paragraph_scores
from analysis.results.marked import paragraphs
from analysis.results.pipeline import Analysis, analyse, answers, unchecked
from analysis.results.settings import Settings
from analysis.stats.agreement import shared_ratings
from analysis.stats.captions import score_captions
from analysis.stats.ratings import Ratings
from analysis.stats.reliability import SplitHalf, split_half
from analysis.stats.signature import cutoff
from daplatform.tables import Faults, FirstFault
from hits.protocols.direct_assessment import DIRECT

PASSED: Final = "passed"
ALL: Final = "all"
WHOSE: Final = {PASSED: "annotators who passed quality control", ALL: "all annotators"}
ANY_SCALE: Final = DIRECT.scale
"""Holds the scores of every protocol: correlations do not depend on where a scale ends."""
CAPTION_FILES: Final = ("captions.csv", "captions.parquet")
"""What `manage.py analyse` writes."""


@dataclass(frozen=True, eq=False)
class HumanScores:
    """Caption scores, whose they are, and the reliability of each column where ratings tell it."""

    table: ScoreTable
    annotators: str = "as in the file"
    reliability: Mapping[str, SplitHalf] = field(default_factory=dict)
    cutoff: str = ""
    """When the last of the ratings was given, where they say so."""
    marks: Marks = field(default_factory=dict)
    """Which words are wrong, where people marked them."""
    texts: CaptionSet | None = None
    """The captions, where the file of people's scores holds them."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Of quality control, where it decided whose ratings count."""


def read_human(
    path: Path,
    *,
    annotators: Sequence[str] = (PASSED,),
    seed: int = 7,
    pair: str | None = None,
    ratings: bool = False,
    rules: Settings | None = None,
) -> HumanScores:
    """Scores from a table, a file of ratings, a folder of `manage.py analyse` or a TRECVID one, or
    the judgements of captions of images.

    Parameters
    ----------
    annotators
        Whose ratings count, where the file holds ratings: "passed", "all", or names.
    pair
        The language pair, where there are several.
    ratings
        Every row of a table is one rating, and a caption may have several.
    rules
        Of quality control, where the file holds ratings.
    """
    if is_judged(path):
        return HumanScores(judged_scores(path))
    if trecvid.is_trecvid(path):
        return HumanScores(trecvid.read_human(path))
    if evalset.is_evalset(path):
        return HumanScores(evalset.read_human(path, pair))
    if path.is_dir():
        return HumanScores(read_scores(_caption_file(path)))
    if _holds_marks(path):
        return marked_scores(factuality.read(path, ANY_SCALE))
    if _holds_votes(path):
        return marked_scores(paragraphs(factuality.read_long(path, ANY_SCALE)))
    if not evalset.is_score_file(path) and _holds_ratings(path):
        rules = replace(rules or Settings(), seed=seed)
        return _of_ratings(read_ratings(path, pair=pair), annotators, rules)
    return HumanScores(read_scores(path, ratings=ratings))


def _of_ratings(file: RatingsFile, annotators: Sequence[str], settings: Settings) -> HumanScores:
    """Without a degraded caption nobody was checked: then everybody counts, and it is noted."""
    if tuple(annotators) == (PASSED,):
        file, settings = unchecked(file, settings)
        annotators = (ALL,) if settings.keep_all_annotators else annotators
    return human_scores(analyse_all(file.ratings, settings), annotators, notes=file.notes)


def judged_scores(path: Path) -> ScoreTable:
    """The judgements of a file, one row each; those without a number are left out, and counted."""
    faults = Faults()
    rows = read_judgements(path, faults)
    faults.refuse()
    told = [row for row in rows if not math.isnan(row.rating)]
    lost = len(rows) - len(told)
    if not told:
        raise ValueError(f"{path.name}: No caption has a rating: add numbers in the column rating.")
    said = "1 judgement has" if lost == 1 else f"{lost:,} judgements have"
    table = score_table(
        [row.video for row in told],
        [row.system for row in told],
        {"rating": [row.rating for row in told]},
        texts=[row.caption for row in told],
        notes=[f"{path.name}: {said} no number as rating; left out"] if lost else [],
        source=path.name,
        ratings=True,
    )
    return replace(table, unnamed=True)


def _holds_marks(path: Path) -> bool:
    with plain(path, FirstFault()) as source:
        return factuality.recognises(path, beginning(source))


def _holds_votes(path: Path) -> bool:
    with plain(path, FirstFault()) as source:
        return factuality.recognises_long(beginning(source))


def marked_scores(
    found: Sequence[Paragraph], with_more: Callable[[Table], Table] = lambda table: table
) -> HumanScores:
    """Paragraphs, sentences and words as columns; the marks, and the captions they stand in.

    ``with_more`` adds further columns of scores.
    """
    scores = with_more(paragraph_scores(found))
    videos, systems = ([str(one) for one in scores[name]] for name in ("video", "system"))
    texts = [" ".join(one.text for one in each.sentences) for each in found]
    names = [name for name in scores if name not in ("video", "system")]
    columns = {name: scores[name].astype(np.float64) for name in names}
    return HumanScores(
        score_table(videos, systems, columns),
        marks=marks_in(found),
        texts=CaptionSet(videos, systems, texts, {}) if any(map(str.strip, texts)) else None,
    )


def analyse_all(ratings: Ratings, settings: Settings) -> Analysis:
    """Everybody's scores with quality control beside them; nothing here is resampled."""
    return analyse(ratings, replace(settings, keep_all_annotators=True, draws=1))


def human_scores(
    analysis: Analysis, annotators: Sequence[str] = (PASSED,), *, notes: Sequence[str] = ()
) -> HumanScores:
    """Caption scores by the annotators who passed, by all, or by those named."""
    used, who = _chosen(analysis, annotators)
    return scores_by(analysis, used, who, notes=notes)


def scores_by(
    analysis: Analysis, used: NDArray[np.bool_], who: str, *, notes: Sequence[str] = ()
) -> HumanScores:
    """Caption scores by some of the annotators; ``who`` says by whom."""
    ratings = analysis.ratings
    raw, z = answers(ratings, analysis.standardised, analysis.settings)
    captions = score_captions(ratings, raw, z, used)
    if not len(captions.n):
        raise ValueError(f"No caption has a rating by {who}: choose others with --annotators.")
    table = score_table(
        np.array(ratings.items, dtype=object)[captions.item].tolist(),
        np.array(ratings.systems, dtype=object)[captions.system].tolist(),
        {"z": captions.z, "raw": captions.raw},
        notes=notes,
    )
    rng = np.random.default_rng([analysis.settings.seed, 17])
    reliability = {
        name: split_half(shared_ratings(ratings, values, used), rng=rng)
        for name, values in {"z": z, "raw": raw.astype(float)}.items()
    }
    return HumanScores(
        table, who, reliability, cutoff(ratings) or "", rules=_rules(analysis.settings, who)
    )


def _rules(settings: Settings, who: str) -> dict[str, str]:
    if who != WHOSE[PASSED]:
        return {}
    return {
        "quality_alpha": f"{settings.quality_alpha:g}",
        "minimum_pairs": str(settings.minimum_pairs),
    }


def _chosen(analysis: Analysis, annotators: Sequence[str]) -> tuple[NDArray[np.bool_], str]:
    names = analysis.ratings.annotators
    if tuple(annotators) == (ALL,):
        return np.ones(len(names), dtype=bool), WHOSE[ALL]
    if tuple(annotators) == (PASSED,):
        return analysis.quality.passed, WHOSE[PASSED]
    unknown = sorted(set(annotators) - set(names))
    if unknown:
        raise ValueError(
            f"There is no annotator {unknown[0]!r} in the ratings: --annotators takes passed, all, "
            "or names that are in the file."
        )
    return np.isin(names, list(annotators)), f"{len(set(annotators))} annotators named"


def _caption_file(folder: Path) -> Path:
    found = [folder / name for name in CAPTION_FILES if (folder / name).is_file()]
    if not found:
        raise ValueError(
            f"{folder.name}: There is no {CAPTION_FILES[0]}, as `manage.py analyse` writes it, and "
            "no TRECVID video-to-text data. Name a folder or a file that holds human scores."
        )
    return found[0]


def _holds_ratings(path: Path) -> bool:
    with plain(path, FirstFault()) as source:
        start = beginning(source)
        if start.is_parquet:
            import pyarrow.parquet as pq

            return "annotator" in pq.read_schema(source).names
    foreign = any(form.recognises(start) for form in (mturk, authors, appraise))
    return foreign or "annotator" in start.cells or '"annotator"' in start.line
