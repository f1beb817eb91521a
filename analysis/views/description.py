"""What a paper says of its data, of one campaign."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analysis.evaluation.description_charts import OF_REFERENCES, description_charts
from analysis.models import Description
from analysis.selectors.descriptions import (
    description_folder,
    description_is_here,
    description_latest,
    description_makers,
    description_tables,
)
from analysis.services.descriptions import description_request
from analysis.views.evaluation import news
from analysis.views.latest import made_file
from daplatform.jobs.tasks import job_wake
from hits.models import Campaign
from hits.views.access import MemberRequest, for_campaign

PARTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "texts": (
        "Captions",
        "Words per caption, different words, and how often a text was repeated.",
        {"source": "Source", "role": "Role", "captions": "Captions", "words_mean": "Words, mean",
         "words_sd": "sd", "words_min": "least", "words_median": "median", "words_max": "most",
         "vocabulary": "Different words", "duplicates": "Said again"},
    ),
    "generic": (
        "Very short or generic captions",
        "Fewer than three content words, or the same text for more than five videos of one source. "
        "They are listed for you to check; nothing is removed.",
        {"text": "Caption", "source": "Source", "role": "Role", "video": "Video",
         "reason": "Reason"},
    ),
    "similarity": (
        "How similar systems and references are",
        "ROUGE-L of two sources on each video they share, averaged over both directions; “all” is "
        "the mean over all others.",
        {"first": "Source", "second": "and", "role": "Role", "n": "n", "mean": "Mean",
         "median": "Median"},
    ),
    "similarity_curves": ("From most to least similar", "Video by video.", {}),
    "distribution": (
        "Distribution of caption scores",
        "z scores of captions, all systems together; the file has them by system.",
        {"system": "System", "from": "z from", "to": "to", "captions": "Captions",
         "share": "Share"},
    ),
    "stability": (
        "How many ratings a caption needs",
        "Correlation of the mean of a given number of ratings with the mean of the rest, over 100 "
        "draws; the band contains 95 % of them. Where the curve is flat, more ratings hardly "
        "help.",
        {"level": "Level", "ratings": "Ratings", "units": "n", "with_rest": "r with the rest",
         "with_rest_low": "from", "with_rest_high": "to", "with_all": "r with all"},
    ),
    "people": (
        "Time by annotator",
        "Seconds per caption; and whether repeated captions got the same scores.",
        {"annotator": "Annotator", "ratings": "Ratings", "passed": "Quality control",
         "repeat_p": "p of repeats", "seconds_per_caption": "Seconds per caption",
         "hours": "Hours"},
    ),
    "levels": (
        "Levels of quality",
        "Captions of each level, and how many a quality-drift set keeps.",
        {"drift_set": "Set", "level": "Level", "captions": "Captions", "expected": "Kept"},
    ),
    "cost": (
        "Cost",
        "Planned and spent, in total and for each system.",
        {"what": "Of it", "total": "In all", "systems": "Systems", "per_system": "Per system",
         "currency": "Currency"},
    ),
    "summary": (
        "Everything in one line",
        "Captions of systems and references with their words, and the z scores of captions.",
        {"systems": "Systems", "captions": "Captions", "words_mean": "Words, mean",
         "reference_sets": "Sets of references", "reference_words_mean": "Words, mean",
         "annotators": "Annotators", "ratings": "Ratings", "scores": "Captions with a score",
         "mean_z": "z, mean", "sd_z": "sd"},
    ),
}  # fmt: skip


@require_safe
@for_campaign()
def description(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What was made last; something newer is being made while this is shown."""
    wanted = description_request(campaign=campaign)
    is_waiting = wanted is not None and wanted.is_active
    if wanted is not None and is_waiting and not request.htmx:  # htmx: a page looks again
        job_wake(wanted)
    shown = description_latest(campaign) if is_waiting else wanted
    context: dict[str, Any] = {"campaign": campaign, "result": shown, "is_waiting": is_waiting}
    if request.htmx:
        return news(request, context)
    if shown is not None and shown.signature:
        context |= tables_context(shown)
    return render(request, "analysis/description.html", context)


def tables_context(shown: Description) -> dict[str, Any]:
    if not description_is_here(shown):
        return {"is_lost": True}
    found = description_tables(shown)
    charts = description_charts(found)
    parts = [
        {"name": name, "title": title, "text": text, "headings": headings,
         "rows": found[name] if headings else [],
         "pictures": [(f"{key}-spec", charts[key])
                      for key in (name, OF_REFERENCES.format(name)) if key in charts]}
        for name, (title, text, headings) in PARTS.items()
        if found[name]
    ]  # fmt: skip
    return {"parts": parts}


@require_safe
@for_campaign()
def description_file(
    request: MemberRequest, campaign: Campaign, pk: int, name: str
) -> HttpResponseBase:
    """One of its tables, as the command line would have written it."""
    made = Description.objects.filter(status=Description.Status.DONE)
    found = get_object_or_404(made, campaign=campaign, pk=pk)
    if not description_is_here(found):
        raise Http404("This result no longer exists. Open the page again.")
    filename = f"{campaign.slug}-description-{name}"
    folder, makers = description_folder(found), description_makers(found)
    return made_file(request, found, folder, name, makers, filename)
