"""A campaign's ratings in the form the statistics want."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from analysis.results.snapshot import Columns, latest
from analysis.selectors.credits import credited
from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings
from annotations.models import Annotator, Assignment
from annotations.selectors.confirming import ratings_confirmed
from crowds.selectors.reviews import (
    annotators_vouched_for,
    assignments_left_out,
    review_marks,
)
from hits.models import Campaign, Hit


def ratings_of(campaign: Campaign, columns: Columns) -> Ratings:
    """The last revision of every answer, under the names people know.

    Raises TableError, a ValueError, when there are none.
    """
    answers = credited(campaign, latest(counted(campaign, columns)))
    names = _names(campaign)
    codes, labels = {}, {}
    for column, known in names.items():
        ids, codes[column] = np.unique(answers[column], return_inverse=True)
        labels[column] = [known[key] for key in ids.tolist()]
    for column in ("kind", "score", "position", "seconds"):
        codes[column] = answers[column]
    codes["submitted_at"] = answers["submitted_at"].astype("datetime64[us]")
    if campaign.asks_fluency and (answers["fluency"] >= 0).all():
        codes["fluency"] = answers["fluency"]
    return Ratings.from_codes(codes, labels)


def counted(campaign: Campaign, columns: Columns) -> Columns:
    """Without the work that reviewing left out: unconfirmed, refused, forged, or by a person's
    word."""
    left_out = assignments_left_out(campaign)
    if not left_out:
        return columns
    kept = ~np.isin(columns["assignment"], left_out)
    return {name: values[kept] for name, values in columns.items()}


def last_rating(campaign: Campaign) -> int | None:
    """The last rating by somebody whose crowd knows them: the analysis reads up to there."""
    return ratings_confirmed(campaign).order_by("-pk").values_list("pk", flat=True).first()


def reviews_fingerprint(campaign: Campaign) -> str:
    """Of what crowds and reviewers said that changes a number; empty where there is nothing."""
    decisions = review_marks(campaign)
    return hashlib.sha256(repr(decisions).encode()).hexdigest()[:16] if any(decisions) else ""


def evidence_of(campaign: Campaign, columns: Columns) -> Evidence:
    """What the platform knows besides the ratings: unseen videos and earlier rejections.

    Whether a video could have been seen was settled when the rating came, by two clocks; who saw it
    the first time need not see it again to change their mind.
    """
    rejected = Assignment.objects.filter(campaign=campaign, state=Assignment.State.REJECTED)
    answers = latest(counted(campaign, columns))
    unwatched = np.unique(answers["annotator"][answers["unwatched"] == 1]).tolist()
    quick = Annotator.objects.filter(pk__in=unwatched)
    return Evidence(
        rejected=sorted(set(rejected.values_list("annotator__pseudonym", flat=True))),
        unwatched=sorted(quick.values_list("pseudonym", flat=True)),
        vouched=annotators_vouched_for(campaign),
    )


def notes_on(campaign: Campaign) -> list[str]:
    """What a reader of the results must know about where the ratings come from."""
    people = Annotator.objects.filter(ratings__campaign=campaign).distinct()
    simulated = people.filter(is_simulated=True).count()
    notes = []
    if simulated:
        notes.append(
            f"{simulated:,} of the annotators are simulated: these are not people's scores"
        )
    if campaign.batches.filter(merge_identical=True).exists():
        notes.append("identical captions of one video were asked once and credited to each system")
    return notes


def _names(campaign: Campaign) -> Mapping[str, Mapping[int, str]]:
    hits = Hit.objects.filter(batch__campaign=campaign).values_list("pk", "batch__number", "number")
    people = Annotator.objects.filter(assignments__campaign=campaign)
    return {
        "annotator": dict(people.values_list("pk", "pseudonym")),
        "hit": {pk: f"{batch}-{number}" for pk, batch, number in hits},
        "system": dict(campaign.systems.values_list("pk", "name")),
        "item": dict(campaign.videos.values_list("pk", "name")),
    }
