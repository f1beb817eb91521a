"""The kinds of jobs of the analysis."""

from __future__ import annotations

from analysis.models import (
    Description,
    Export,
    LearnedMetric,
    MetricChunk,
    MetricEvaluation,
    MetricRun,
    Result,
)
from analysis.services.descriptions import description_compute, description_fail
from analysis.services.evaluations import evaluation_compute, evaluation_fail
from analysis.services.exports import export_make, exports_prune
from analysis.services.learned_metrics import learned_metric_train
from analysis.services.metric_chunks import (
    metric_chunk_fail,
    metric_chunk_work,
    metric_run_begin,
    run_suits,
)
from analysis.services.results import result_compute, result_fail
from daplatform.jobs.services import JobKind

KINDS = (
    JobKind("results", Result, result_compute, fail=result_fail),
    JobKind("evaluations", MetricEvaluation, evaluation_compute, fail=evaluation_fail),
    JobKind("descriptions", Description, description_compute, fail=description_fail),
    JobKind("exports", Export, export_make, prune=exports_prune),
    JobKind("metrics", MetricRun, metric_run_begin),
    # Fine-tuning goes on from its last checkpoint, the rest takes minutes.
    JobKind("learned metrics", LearnedMetric, learned_metric_train, resumes=True),
    # Woken for by their run: whoever comes takes the next chunk that is due.
    JobKind(
        "metric chunks", MetricChunk, metric_chunk_work,
        fail=metric_chunk_fail, attempts=3, by="run_id", suits=run_suits,
    ),
)  # fmt: skip
