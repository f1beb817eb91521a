"""What people and metrics said about a campaign's captions, side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.files import evaluation_files
from analysis.evaluation.human import ALL, PASSED, WHOSE, HumanScores, marked_scores, scores_by
from analysis.evaluation.inputs import Inputs, unseen
from analysis.evaluation.points import POINTS
from analysis.evaluation.scores import ScoreTable, beside_each_other, table_of_rows
from analysis.evaluation.set_files import set_files
from analysis.evaluation.sets import SetEvaluation
from analysis.evaluation.settings import UNSEEN
from analysis.evaluation.storing import STORED, Evaluated, read_evaluated, read_stored
from analysis.metrics.learned.training_list import TrainingList, trained_on
from analysis.metrics.scoring import column, metric_of
from analysis.models import MetricEvaluation, MetricRun, MetricScore
from analysis.presenting.listings import read_listing
from analysis.results.files import Maker
from analysis.results.marked import paragraphs, with_mqm
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.results.snapshot import Columns
from analysis.selectors.marked import judged_paragraphs
from analysis.selectors.metric_material import run_material
from analysis.selectors.metric_scores import metric_signatures, metric_sources, run_notes
from analysis.selectors.ratings import evidence_of, ratings_of
from analysis.selectors.results import last_rating, reviews_fingerprint
from daplatform.shared_files import is_shared, shared_path
from hits.models import Campaign

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULTS = Settings()


def campaign_inputs(
    campaign: Campaign,
    columns: Columns,
    *,
    annotators: str = PASSED,
    learned: str = "",
    seed: int = 7,
    quality_alpha: float = DEFAULTS.quality_alpha,
    min_pairs: int | None = None,
) -> Inputs:
    """Caption scores by the annotators wanted, and the last scores of every metric.

    A metric is never held against captions it learned from: it is left out, or with ``learned``
    UNSEEN those captions are, for every metric.

    `Inputs.aligned(0)` joins them, `evaluate_metrics` does the rest: on the platform rows carry
    the names of videos and systems, so nothing has to be lined up.

    Raises ValueError when there are no ratings, or no metric was scored.
    """
    sources = metric_sources(campaign)
    metrics = metric_values(sources)  # first: without any there is no use for people's scores
    captions = _captions(sources)
    lists = _training_lists(sources)
    pupils, notes = _pupils(captions, lists)
    if learned == UNSEEN:
        captions = unseen(captions, {name: lists[name] for name in sorted(pupils)})
        metrics, notes = _of_captions(metrics, captions), list(captions.notes)
    elif pupils:
        others = [name for name in metrics.names if name not in pupils]
        if not others:
            raise ValueError("every scored metric was trained on these captions")
        metrics = metrics.only(others)
    return Inputs(
        people_scores(
            campaign,
            columns,
            annotators=annotators,
            seed=seed,
            quality_alpha=quality_alpha,
            min_pairs=min_pairs,
        ),
        replace(metrics, notes=(*metrics.notes, *notes)),
        captions,
        {
            name: signature
            for name, signature in sorted(metric_signatures(sources).items())
            if name in metrics.names
        },
    )


def marked_inputs(campaign: Campaign, inputs: Inputs) -> Inputs:
    """With the words that people marked, and the scores that follow from them: of paragraphs,
    sentences and words, and the MQM score where marks have weights."""
    judged = judged_paragraphs(campaign)
    if not judged:
        return inputs
    weights = campaign.asked.weights
    marked = marked_scores(paragraphs(judged), lambda table: with_mqm(table, judged, weights))
    table = beside_each_other([inputs.human.table, marked.table])
    return replace(inputs, human=replace(inputs.human, table=table, marks=marked.marks))


def _training_lists(sources: Mapping[str, MetricRun]) -> dict[str, TrainingList]:
    """By column, what a metric was trained on, or the image–text model it was scored with."""
    found = {}
    for name, run in sources.items():
        for own in trained_on([metric_of(name)], str(run.choices.get("model", ""))).values():
            found[name] = own
    return found


def _pupils(captions: CaptionSet, lists: Mapping[str, TrainingList]) -> tuple[set[str], list[str]]:
    """The columns of metrics that learned from some of these captions, and a note for each."""
    batch = captions.batch()
    found, notes = set(), []
    for name, own in lists.items():
        seen = int(own.seen(batch).sum())
        if seen:
            found.add(name)
            notes.append(
                f"{name} learned from {seen:,} of these {len(captions):,} captions or from their "
                "videos, and is left out; its card compares it with the others"
            )
    return found, notes


def _of_captions(table: ScoreTable, captions: CaptionSet) -> ScoreTable:
    keys = set(zip(captions.videos, captions.systems, strict=True))
    kept = [key in keys for key in table.frame.index]
    return replace(table, frame=table.frame[kept])


def people_scores(
    campaign: Campaign,
    columns: Columns,
    *,
    annotators: str,
    seed: int,
    quality_alpha: float = DEFAULTS.quality_alpha,
    min_pairs: int | None = None,
) -> HumanScores:
    """Scores by those whose ratings make the ranking, or by all; nothing here is resampled."""
    wanted = Settings(
        keep_all_annotators=annotators == ALL,
        quality_alpha=quality_alpha,
        minimum_pairs=campaign.min_pairs if min_pairs is None else min_pairs,
        draws=1,
        seed=seed,
    )
    analysis = analyse(ratings_of(campaign, columns), wanted, evidence_of(campaign, columns))
    return scores_by(analysis, analysis.used, WHOSE[annotators])


def metric_values(sources: Mapping[str, MetricRun]) -> ScoreTable:
    """Every metric by video and system, each from its own run, in the order of the files."""
    runs = set(sources.values())
    rows = MetricScore.objects.filter(run__in=runs).values_list(
        "caption__video__name", "caption__system__name", "metric", "value", "run_id", "run__label"
    )
    found = [
        (video, system, name, value)
        for video, system, metric, value, run, label in rows
        if (name := column(metric, label)) in sources and sources[name].pk == run
    ]
    if not found:
        raise ValueError("no metric of this campaign has been scored")
    videos, systems, metrics, values = zip(*sorted(found), strict=True)
    table = table_of_rows(videos, systems, metrics, values, source="the campaign's metrics")
    chosen = table.only([name for name in sources if name in table.names])
    return replace(chosen, notes=(*chosen.notes, *run_notes(runs)))


def _captions(sources: Mapping[str, MetricRun]) -> CaptionSet:
    """The words of captions, for the list of odd ones, and of their references, to score again."""
    return run_captions(max(sources.values(), key=lambda run: run.pk))


def run_captions(run: MetricRun) -> CaptionSet:
    """All that a run's metrics were computed of; references are named as in the campaign's own
    file of them."""
    material = run_material(run)
    captions = material.captions
    references = {
        video: {f"reference-{number}": text for number, text in enumerate(texts, start=1)}
        for video, texts in material.batch.references.items()
    }
    return CaptionSet(
        captions.videos,
        captions.systems,
        captions.texts,
        references,
        files=material.batch.files,
        corpus=run.corpus.references if run.corpus else {},
    )


def evaluation_evidence(campaign: Campaign) -> str:
    """Fingerprint of all but the ratings that decides how metrics and people agree.

    Empty where no metric was scored.
    """
    sources = metric_sources(campaign)
    if not sources:
        return ""
    # A run that is tried again keeps its id, but ends later.
    runs = sorted((name, run.pk, str(run.finished_at)) for name, run in sources.items())
    said = repr((runs, reviews_fingerprint(campaign), campaign.min_pairs))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def campaigns_of(campaign: Campaign, sets: Sequence[str]) -> list[Campaign]:
    """A campaign and the further ones of an evaluation over several, by slug."""
    return [
        campaign,
        *Campaign.objects.filter(slug__in=sets).exclude(pk=campaign.pk).order_by("slug"),
    ]


def sets_evidence(campaign: Campaign, sets: Sequence[str]) -> str:
    """`evaluation_evidence` of a campaign and of further ones."""
    if not sets:
        return evaluation_evidence(campaign)
    campaigns = campaigns_of(campaign, sets)
    said = repr([(one.slug, last_rating(one), evaluation_evidence(one)) for one in campaigns])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def evaluation_latest(campaign: Campaign, choices_key: str) -> MetricEvaluation | None:
    """The one that was finished last with these choices, however old."""
    same = MetricEvaluation.objects.shown().filter(campaign=campaign, choices_key=choices_key)
    last: MetricEvaluation | None = same.select_related("campaign").order_by("-finished_at").first()
    return last


def evaluation_under_way(campaign: Campaign, choices_key: str) -> MetricEvaluation | None:
    """The one that is being made with these choices, and how far it is."""
    waiting = campaign.evaluations.filter(
        choices_key=choices_key, status__in=MetricEvaluation.ACTIVE
    )
    return waiting.order_by("-pk").first()


def evaluation_folder(row: MetricEvaluation) -> Path:
    """Where its files are. Not media: they are made anew when they are lost."""
    folder: Path = settings.DATA_DIR / "evaluations" / str(row.campaign_id) / str(row.pk)
    return folder


def evaluation_numbers(row: MetricEvaluation) -> Evaluated:
    """Its numbers. Raises FileNotFoundError where they are not on this machine, and ValueError
    where they were stored before a statistic came or went."""
    path = shared_path(evaluation_folder(row) / STORED)
    return _evaluated(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _evaluated(path: Path, changed: int) -> Evaluated:
    """People look at the same evaluation several times."""
    return read_evaluated(path)


def set_numbers(row: MetricEvaluation) -> SetEvaluation:
    """The same of an evaluation over several campaigns."""
    path = shared_path(evaluation_folder(row) / STORED)
    return _set_evaluation(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _set_evaluation(path: Path, changed: int) -> SetEvaluation:
    return read_stored(path, SetEvaluation)


def evaluation_makers(row: MetricEvaluation) -> dict[str, Maker]:
    """What makes each of its files."""
    if row.choices.get("sets"):
        return set_files(set_numbers(row))
    found = evaluation_numbers(row)
    return evaluation_files(found.evaluation, robustness=found.robustness, source=row.campaign.name)


def evaluation_points(row: MetricEvaluation) -> pa.Table | None:
    """The rows of `analysis.evaluation.points`, where there are any."""
    if not evaluation_has_points(row):
        return None
    return read_listing(shared_path(evaluation_folder(row) / POINTS))


def evaluation_has_points(row: MetricEvaluation) -> bool:
    names = (STORED,) if row.choices.get("sets") else (POINTS, STORED)
    return is_shared(*(evaluation_folder(row) / name for name in names))
