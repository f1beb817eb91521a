"""Metrics against the people of a campaign: requested by pages, computed by a worker, kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings as django_settings

from analysis.evaluation.captions import CaptionSet, without_references_as_systems
from analysis.evaluation.inputs import Inputs
from analysis.evaluation.pipeline import Evaluation, evaluate_metrics
from analysis.evaluation.points import POINTS, points_listing
from analysis.evaluation.reference_curve import unreferenced_metrics, why_no_curve, word_metrics
from analysis.evaluation.robustness.checks import (
    DRIFT,
    RECOMPUTED,
    Material,
    Robustness,
    check_references,
    check_robustness,
    check_unreferenced,
)
from analysis.evaluation.robustness.findings import Progress
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.set_inputs import ReadSets
from analysis.evaluation.sets import evaluate_sets
from analysis.evaluation.settings import Choices, Settings
from analysis.evaluation.storing import STORED, Evaluated, stored_shape, write_evaluated
from analysis.evaluation.words import WordDetection, judge_words, token_metrics
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.encoder import IMAGE_TEXT
from analysis.metrics.registry import MetricUnavailable, families_of, needs_of, with_mixed
from analysis.metrics.scoring import metric_of
from analysis.models import MetricEvaluation, MetricRun
from analysis.presenting.listings import write_listing
from analysis.results.folder import ResultFolder
from analysis.results.snapshot import Columns
from analysis.selectors.evaluations import (
    campaign_inputs,
    campaigns_of,
    evaluation_evidence,
    evaluation_folder,
    evaluation_has_points,
    marked_inputs,
    run_captions,
    sets_evidence,
)
from analysis.selectors.metric_scores import metric_sources
from analysis.selectors.ratings import notes_on
from analysis.services.embedding_store import learned_pull, store_pull
from analysis.services.metric_context import config_of, device_for, settings_of
from analysis.services.requests import choices_key, computed_request
from analysis.services.results import Numbers, computed_fail, computed_make
from analysis.services.snapshots import snapshot_refresh
from daplatform.jobs.services import job_progress
from hits.models import Campaign

DEFAULTS = Settings()
MOST_PLACEBOS = 5_000_000
"""Captions × metrics × draws: about a minute of one processor."""
FEWEST_PLACEBOS = 100
"""Fewer would not show where 95 % of them lie."""


def evaluation_key(choices: Choices) -> str:
    return choices_key(choices, stored_shape())


def evaluation_request(*, campaign: Campaign, choices: Choices) -> MetricEvaluation | None:
    """Of the ratings and scores of this moment; None without any ratings, or without any metric."""
    evidence = evaluation_evidence(campaign)
    if not evidence:
        return None
    if choices.sets:
        evidence = sets_evidence(campaign, choices.sets)
    found: MetricEvaluation | None = computed_request(
        MetricEvaluation.objects.all(),
        campaign=campaign,
        choices=choices,
        key=evaluation_key(choices),
        evidence=lambda _: evidence,
        has_files=evaluation_has_points,
    )
    return found


def evaluation_compute(row: MetricEvaluation) -> None:
    """Hold metrics against people."""
    computed_make(
        row,
        _compute_sets if row.choices.get("sets") else _compute,
        evidence=partial(sets_evidence, sets=row.choices.get("sets", ())),
        folder=evaluation_folder,
    )


def evaluation_fail(row: MetricEvaluation, problem: str) -> None:
    computed_fail(row, problem, sets_evidence(row.campaign, row.choices.get("sets", ())))


def _compute_sets(row: MetricEvaluation, columns: Columns) -> Numbers:
    """Metrics against the people of several campaigns, each by itself and all together."""
    choices, read = Choices(**row.choices), ReadSets()
    campaigns = campaigns_of(row.campaign, choices.sets)
    for one in campaigns:
        learned_pull(metric_of(name) for name in metric_sources(one))
        own = columns if one == row.campaign else snapshot_refresh(campaign=one).read()
        try:
            read.add(one.slug, campaign_inputs(one, own, **_whose(choices)), 0)
        except ValueError as error:
            raise ValueError(f"{one.name}: {error}") from error
    found = evaluate_sets(
        read.joined,
        Settings(alpha=choices.alpha),
        leave_out_of_mean=tuple(choices.left_out),
        facts=read.facts,
        notes=read.notes,
    )
    with ResultFolder(evaluation_folder(row)) as folder:
        write_evaluated(folder / STORED, found)
    return str(found.signature), {"notes": [note for one in campaigns for note in notes_on(one)]}


def _whose(choices: Choices) -> dict[str, Any]:
    """Whose ratings count."""
    names = ("annotators", "quality_alpha", "min_pairs")
    return {name: getattr(choices, name) for name in names}


def _compute(row: MetricEvaluation, columns: Columns) -> Numbers:
    campaign, choices = row.campaign, Choices(**row.choices)
    learned_pull(metric_of(name) for name in metric_sources(campaign))
    inputs = campaign_inputs(campaign, columns, **_whose(choices), learned=choices.learned)
    inputs = marked_inputs(campaign, inputs)
    evaluation = _with_words(campaign, inputs, _evaluate(choices, inputs))
    robustness = (
        _check_all(row, evaluation)
        if choices.checks
        else _robustness(evaluation, _reference_curve(campaign, evaluation, inputs.captions))
    )
    references = len(inputs.captions.sources) if inputs.captions else 0
    _write(row, Evaluated(evaluation, tuple(robustness), references))
    return str(evaluation.signature), {"notes": notes_on(campaign)}


def _evaluate(choices: Choices, inputs: Inputs) -> Evaluation:
    joined, alignment, shift = inputs.aligned(0)
    settings = Settings(
        alpha=choices.alpha,
        direction=choices.direction,
        placebo=affordable_placebos(joined.metrics.size),
    )
    return evaluate_metrics(
        joined,
        settings,
        alignment=alignment,
        reliability=inputs.human.reliability,
        facts=inputs.facts(shift),
    )


def _with_words(campaign: Campaign, inputs: Inputs, evaluation: Evaluation) -> Evaluation:
    """With what the token scores of each run say of the words that people marked."""
    found: list[WordDetection] = []
    if not inputs.human.marks:
        return evaluation
    sources = metric_sources(campaign)
    for run in dict.fromkeys(sources.values()):
        own = [metric_of(name) for name, source in sources.items() if source == run]
        if not token_metrics(own):
            continue
        try:
            material = _material(run, sources)
            scorer, settings = material.scorer, evaluation.settings
            found += judge_words(inputs.human.marks, material.captions, scorer, settings)
        except MetricUnavailable as error:
            note = f"marked words are not compared with token scores: {error}"
            evaluation = replace(evaluation, warnings=(*evaluation.warnings, note))
    return replace(evaluation, words=tuple(found))


def _robustness(evaluation: Evaluation, curve: list[Robustness]) -> list[Robustness]:
    """What scores alone tell, and what fewer references do."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    found = []
    for part in evaluation.parts:
        drift = check_robustness(joined, part.human, [DRIFT], seed=seed)
        more = [finding for one in curve if one.human == part.human for finding in one.findings]
        found.append(replace(drift, findings=(*drift.findings, *more)))
    return found


def _check_all(row: MetricEvaluation, evaluation: Evaluation) -> list[Robustness]:
    """Every check of every metric, each computed again as its run computed it."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    sources = metric_sources(row.campaign)
    materials = [_material(run, sources) for run in dict.fromkeys(sources.values())]
    found = []
    for part in evaluation.parts:
        human = part.human
        parts = [check_robustness(joined, human, [DRIFT], seed=seed)]
        parts += [
            check_robustness(
                joined, human, RECOMPUTED, material, seed=seed, progress=_telling(row, human)
            )
            for material in materials
        ]
        findings = tuple(finding for one in parts for finding in one.findings)
        notes = tuple(dict.fromkeys(note for one in parts for note in one.notes))
        found.append(Robustness(human, findings, notes))
    return found


def _material(run: MetricRun, sources: Mapping[str, MetricRun]) -> Material:
    """What a run's own metrics are computed again from: its captions, models and embeddings."""
    own = [metric_of(name) for name, source in sources.items() if source == run]
    settings, needs = settings_of(run), needs_of(own)
    context = config_of(run.choices, device_for(needs)).context()
    for model in context.embedders({IMAGE_TEXT.name} & needs).values():
        for family in families_of(with_mixed(own)):
            model.frames(family.frames(settings))
        store_pull(model.spaces)
    captions = without_references_as_systems(run_captions(run))
    return Material(captions, Scorer(own, context, settings, label=run.label))


def _telling(row: MetricEvaluation, human: str) -> Progress:
    tell = job_progress(row)
    return lambda check, done, total: tell(f"{check}, {human}", done, total)


def _reference_curve(
    campaign: Campaign, evaluation: Evaluation, captions: CaptionSet | None
) -> list[Robustness]:
    """Metrics of words scored again with fewer references, as each run scored them, if they can."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    metrics = word_metrics([str(name) for name in joined.metrics.columns])
    references = len(captions.sources) if captions else 0
    if captions is None or why_no_curve(metrics, len(joined), references):
        return []
    sources = metric_sources(campaign)
    free = unreferenced_metrics([str(name) for name in joined.metrics.columns])
    found = check_unreferenced(joined, free, references)
    for run in dict.fromkeys(sources[name] for name in metrics):
        own = [metric_of(name) for name in metrics if sources[name] == run]
        context = MetricConfig(store=django_settings.METRIC_STORE).context()
        scorer = Scorer(own, context, settings_of(run), label=run.label)
        material = Material(without_references_as_systems(captions), scorer)
        found += check_references(joined, material, seed=seed)
    return found


def affordable_placebos(values: int) -> int:
    """How many draws of the placebo so many values of metrics allow; 0 for none.

    >>> affordable_placebos(3_000), affordable_placebos(20_000), affordable_placebos(400_000)
    (1000, 250, 0)
    """
    draws = min(DEFAULTS.placebo, MOST_PLACEBOS // max(values, 1))
    return draws if draws >= FEWEST_PLACEBOS else 0


def _write(row: MetricEvaluation, evaluated: Evaluated) -> None:
    videos = dict(row.campaign.videos.values_list("name", "pk"))
    with ResultFolder(evaluation_folder(row)) as folder:
        write_evaluated(folder / STORED, evaluated)
        write_listing(folder / POINTS, points_listing(evaluated.evaluation, videos))
