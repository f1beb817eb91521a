"""What the results page shows, in JSON's own types: sentences, charts and tables. Pure."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis import charts, sentences
from analysis.exports import annotators_table, counts, records, significance_table, systems_table
from analysis.pipeline import Analysis
from analysis.trust import Trust

Section = dict[str, Any]


def results_page(analysis: Analysis, trust: Trust) -> dict[str, Any]:
    """Everything a page needs, so that showing it computes nothing."""
    drawn = {
        "ranking": charts.ranking_chart(analysis),
        "annotators": charts.annotators_chart(analysis),
        "distributions": charts.distributions_chart(analysis),
    }
    if trust.sensitivity is not None and not np.isnan(trust.sensitivity.tau).all():
        drawn["sensitivity"] = charts.sensitivity_chart(trust.sensitivity)
    decided, pairs = sentences.pairs_decided(analysis, trust)
    return {
        "enough": pairs > 0 and decided == pairs,  # ratings, by the stopping rule
        "lede": sentences.ranking_sentence(analysis),
        "missing": sentences.missing_sentence(analysis),
        "counts": counts(analysis),
        "sentences": {
            "quality": sentences.quality_sentence(analysis),
            "raw": sentences.raw_sentence(analysis),
            "agreement": sentences.agreement_sentence(trust),
            "effective": sentences.effective_sentence(analysis, trust),
            "replication": sentences.replication_sentence(trust),
            "sensitivity": sentences.sensitivity_sentence(trust),
            "separation": sentences.separation_sentence(analysis, trust),
            "stopping": sentences.stopping_sentence(analysis, trust),
            "mixed": sentences.mixed_sentence(analysis, trust),
        },
        "charts": {
            name: {
                "title": chart.title,
                "spec": chart.spec,
                "headings": chart.headings,
                "rows": chart.rows,
            }
            for name, chart in drawn.items()
            if chart.rows  # axes without anything on them say nothing
        },
        "systems": records(systems_table(analysis)),
        "significance": records(significance_table(analysis)),
        "annotators": records(annotators_table(analysis)),
    }
