"""Metrics against the people of a campaign: asked for by pages, computed by a worker, kept."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from django.conf import settings as django_settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from analysis.exports import FORMATS
from analysis.listings import write_listing
from analysis.meta.captions import CaptionSet, without_references_as_systems
from analysis.meta.files import evaluation_files
from analysis.meta.human import PASSED
from analysis.meta.inputs import Inputs
from analysis.meta.page import agreement_page
from analysis.meta.pipeline import Evaluation, evaluate_metrics
from analysis.meta.points import POINTS, points_listing
from analysis.meta.reference_curve import why_no_curve, word_metrics
from analysis.meta.robustness.checks import (
    DRIFT,
    RECOMPUTED,
    Material,
    Robustness,
    check_references,
    check_robustness,
)
from analysis.meta.robustness.findings import Progress
from analysis.meta.scoring import Scorer
from analysis.meta.settings import Settings
from analysis.metrics.registry import families_of
from analysis.metrics.scoring import metric_of
from analysis.metrics.workbench import Workbench
from analysis.models import Agreement, MetricRun
from analysis.results import ResultFolder, write_files
from analysis.selectors.metric_agreement import (
    agreement_evidence,
    agreement_folder,
    agreement_has_points,
    campaign_inputs,
    run_captions,
)
from analysis.selectors.metric_scores import metric_sources
from analysis.selectors.ratings import last_rating, notes_on
from analysis.services.embedding_store import store_pull
from analysis.services.metric_bench import MODELS, device, equipment_of, needs_of, settings_of
from analysis.services.results import make_again, ratings_until
from analysis.services.snapshots import snapshot_refresh
from analysis.services.waiting import signs_of_life, waiting_for_space
from analysis.snapshot import Columns
from analysis.stats.outliers import Direction
from hits.models import Campaign

DEFAULTS = Settings()
KEPT = 3
LAYOUT = 4
"""Of what is stored: rows of an older layout are not found, but made anew."""
MOST_PLACEBOS = 5_000_000
"""Captions × metrics × draws: about a minute of one processor."""
FEWEST_PLACEBOS = 100
"""Fewer would not show where 95 % of them lie."""
State = Agreement.State


@dataclass(frozen=True)
class Choices:
    """What an analyst may choose; the rest is as `manage.py correlate` has it."""

    annotators: str = PASSED
    alpha: float = DEFAULTS.alpha
    direction: Direction = DEFAULTS.direction
    checks: str = ""
    """``all``: metrics are computed again from shuffled captions, fewer references and foils."""


def agreement_request(*, campaign: Campaign, choices: Choices) -> Agreement | None:
    """The row for the ratings and scores of this moment, made if it is new.

    None without any ratings, or without any metric. Whoever gets a waiting row wakes a worker for
    it; twice does no harm.
    """
    last = last_rating(campaign)
    evidence = agreement_evidence(campaign)
    if last is None or not evidence:
        return None
    agreement, _ = Agreement.objects.get_or_create(
        campaign=campaign,
        choices_key=choices_key(choices),
        last_rating=last,
        evidence=evidence,
        defaults={"choices": asdict(choices)},
    )
    agreement.campaign = campaign  # known already, not to be fetched again
    if agreement.state == State.READY and not agreement_has_points(agreement):
        make_again(agreement)
    return agreement


def choices_key(choices: Choices) -> str:
    text = json.dumps(asdict(choices) | {"layout": LAYOUT}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def agreements_left_behind() -> QuerySet[Agreement]:
    """Rows that a worker should be busy with, and none is."""
    return Agreement.objects.left_behind()


def agreement_compute(*, pk: int) -> None:
    """Hold metrics against people and keep what comes out. Safe twice."""
    if Agreement.objects.claim(pk):
        own = Agreement.objects.filter(pk=pk)
        with waiting_for_space(own), signs_of_life(own):
            _make(Agreement.objects.select_related("campaign").get(pk=pk))


def _make(agreement: Agreement) -> None:
    if agreement.evidence != agreement_evidence(agreement.campaign):
        agreement.delete()  # overtaken: whoever looks next asks for another
        return
    columns = snapshot_refresh(campaign=agreement.campaign).read()
    try:
        _compute(agreement, ratings_until(columns, agreement.last_rating))
    except ValueError as error:
        agreement.state, agreement.problem = State.FAILED, str(error)[:500]
    agreement.finished_at = timezone.now()
    agreement.save()
    _prune(agreement)


def _compute(agreement: Agreement, columns: Columns) -> None:
    campaign, choices = agreement.campaign, Choices(**agreement.choices)
    inputs = campaign_inputs(campaign, columns, annotators=choices.annotators)
    evaluation = _evaluate(choices, inputs)
    if choices.checks:
        robustness, no_curve = _check_all(agreement, evaluation), ""
    else:
        curve, no_curve = _reference_curve(campaign, evaluation, inputs.captions)
        robustness = _robustness(evaluation, curve)
    _write(agreement, evaluation, robustness)
    said = {"notes": notes_on(campaign), "no_curve": no_curve}
    agreement.page = agreement_page(evaluation, robustness) | said
    agreement.signature = str(evaluation.signature)
    agreement.state, agreement.problem = State.READY, ""


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


def _robustness(evaluation: Evaluation, curve: list[Robustness]) -> list[Robustness]:
    """What scores alone tell, and what fewer references do."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    found = []
    for part in evaluation.parts:
        drift = check_robustness(joined, part.human, [DRIFT], seed=seed)
        more = [finding for one in curve if one.human == part.human for finding in one.findings]
        found.append(replace(drift, findings=(*drift.findings, *more)))
    return found


def _check_all(agreement: Agreement, evaluation: Evaluation) -> list[Robustness]:
    """Every check of every metric, each computed again as its run computed it."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    sources = metric_sources(agreement.campaign)
    materials = [_material(run, sources) for run in dict.fromkeys(sources.values())]
    found = []
    for part in evaluation.parts:
        human = part.human
        parts = [check_robustness(joined, human, [DRIFT], seed=seed)]
        parts += [
            check_robustness(
                joined, human, RECOMPUTED, material, seed=seed, progress=_telling(agreement, human)
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
    bench = equipment_of(run.choices, device() if needs & MODELS else "cpu").workbench(needs)
    if bench.image_text:
        for family in families_of(own):
            bench.image_text.frames(family.frames(settings))
        store_pull(bench.image_text.spaces)
    captions = without_references_as_systems(run_captions(run))
    return Material(captions, Scorer(own, bench, settings, label=run.label))


def _telling(agreement: Agreement, human: str) -> Progress:
    def told(check: str, done: int, total: int) -> None:
        row = Agreement.objects.filter(pk=agreement.pk)
        row.update(doing=f"{check}, {human}"[:40], done=done, total=total)

    return told


def _reference_curve(
    campaign: Campaign, evaluation: Evaluation, captions: CaptionSet | None
) -> tuple[list[Robustness], str]:
    """Metrics of words scored again with fewer references, as each run scored them; or why not."""
    joined, seed = evaluation.joined, evaluation.settings.seed
    metrics = word_metrics([str(name) for name in joined.metrics.columns])
    references = len(captions.sources) if captions else 0
    reason = why_no_curve(metrics, len(joined), references)
    if captions is None or reason:
        return [], reason
    sources = metric_sources(campaign)
    found: list[Robustness] = []
    for run in dict.fromkeys(sources[name] for name in metrics):
        own = [metric_of(name) for name in metrics if sources[name] == run]
        bench = Workbench(store=django_settings.METRIC_STORE)
        scorer = Scorer(own, bench, settings_of(run), label=run.label)
        material = Material(without_references_as_systems(captions), scorer)
        found += check_references(joined, material, seed=seed)
    return found, ""


def affordable_placebos(values: int) -> int:
    """How many draws of the placebo so many values of metrics allow; 0 for none.

    >>> affordable_placebos(3_000), affordable_placebos(20_000), affordable_placebos(400_000)
    (1000, 250, 0)
    """
    draws = min(DEFAULTS.placebo, MOST_PLACEBOS // max(values, 1))
    return draws if draws >= FEWEST_PLACEBOS else 0


def _write(agreement: Agreement, evaluation: Evaluation, robustness: list[Robustness]) -> None:
    videos = dict(agreement.campaign.videos.values_list("name", "pk"))
    with ResultFolder(agreement_folder(agreement)) as folder:
        for name in FORMATS:
            write_files(
                folder,
                evaluation_files(evaluation, format=name, latex=True, robustness=robustness),
            )
        write_listing(folder / POINTS, points_listing(evaluation, videos))


@transaction.atomic
def _prune(agreement: Agreement) -> None:
    """Of those with the same choices, only the latest are worth their space."""
    same = Agreement.objects.filter(
        campaign=agreement.campaign, choices_key=agreement.choices_key
    ).exclude(state=State.WAITING)
    for old in same.order_by("-finished_at")[KEPT:]:
        shutil.rmtree(agreement_folder(old), ignore_errors=True)
        old.delete()
