"""The mix of metrics that several campaigns gave, as a metric that captions are scored with."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from analysis.evaluation.mixes import mix_json
from analysis.evaluation.set_fusion import OWN_UNITS, PUBLISHED, SetFusion
from analysis.evaluation.sets import SetEvaluation
from analysis.metrics.artifacts import CARD, CONFIG
from analysis.metrics.families.fusion import NAME
from analysis.metrics.registry import metric_names
from analysis.models import LearnedMetric, MetricEvaluation
from analysis.selectors.evaluations import set_numbers
from analysis.selectors.learned_metrics import learned_folder
from analysis.services.learned_metrics import name_free, name_refuse
from daplatform.errors import DomainError
from daplatform.shared_files import folder_share

GONE = "This result no longer exists. Open the page again."


def mix_keep(
    *, evaluation: MetricEvaluation, human: str, name: str, requested_by: User | None = None
) -> LearnedMetric:
    """Offer the mix of an evaluation over several campaigns under a name of its own.

    It is there at once: its numbers are in the evaluation, and nothing is trained.
    """
    name_refuse(name)
    found, mix = _mix(evaluation, human)
    strange = sorted(set(mix.metrics) - set(metric_names()))
    if strange:
        raise DomainError(
            f"The mix has {', '.join(strange)}, which no metric here is called: scores with a "
            "label, or of a metric that is gone, cannot be computed for other captions."
        )
    config, card = mix_json(found, mix, name=name), _card(found, mix, name)
    row = _row(evaluation, name, config.decode(), card, requested_by)
    folder = learned_folder(name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).write_text(card, encoding="utf-8")
    (folder / CONFIG).write_bytes(config)
    folder_share(folder)
    return row


def _mix(evaluation: MetricEvaluation, human: str) -> tuple[SetEvaluation, SetFusion]:
    try:
        found = set_numbers(evaluation)
    except (FileNotFoundError, ValueError) as error:
        raise DomainError(GONE) from error
    for mix in found.fusions:
        if mix.human == human:
            return found, mix
    raise DomainError("There is no mix for these scores.")


def _row(
    evaluation: MetricEvaluation, name: str, config: str, card: str, requested_by: User | None
) -> LearnedMetric:
    try:
        with transaction.atomic():
            name_free(name)
            return LearnedMetric.objects.create(
                campaign=evaluation.campaign,
                requested_by=requested_by,
                kind=LearnedMetric.Kind.FUSION,
                name=name,
                last_rating=evaluation.last_rating,
                scores_after=False,
                status=LearnedMetric.Status.DONE,
                finished_at=timezone.now(),
                config=config,
                card=card,
            )
    except IntegrityError:
        raise DomainError(f"There is a metric {name} already. Choose another name.") from None


def _card(found: SetEvaluation, mix: SetFusion, name: str) -> str:
    """What it was fitted on, its weights, and how it did on captions it had not seen."""
    weights = [f"| {row['metric']} | {row['coefficient']:.6g} |" for row in mix.coefficient_rows()]
    unseen = [
        f"| {row['set']} | {row['n']:,} | {row['pearson']:.3f} |"
        for row in mix.unseen
        if (row["split"], row["scale"], row["metric"]) == (PUBLISHED, OWN_UNITS, NAME)
    ]
    lines = [
        f"# {name}",
        "",
        f"Least squares on people's scores ({mix.human}) of {mix.captions:,} captions: 80 % of the "
        f"videos of {', '.join(found.joined)}.",
        "",
        *("| metric | coefficient |", "|---|---:|", *weights),
        "",
        *("| held out of | captions | r |", "|---|---:|---:|", *unseen),
        "",
        str(found.signature),
    ]
    return "\n".join([*lines, ""])
