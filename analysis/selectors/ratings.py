"""A campaign's ratings in the form the statistics want."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from analysis.results.snapshot import Columns, latest
from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings
from annotations.models import Annotator, Assignment
from crowds.selectors.counting import annotators_vouched_for, assignments_left_out
from hits.models import Campaign, Caption, Hit, System

FRESH = (0, 3)  # system captions and their repeats; control captions are never merged


def ratings_of(campaign: Campaign, columns: Columns) -> Ratings:
    """The last revision of every answer, under the names people know.

    Raises TableError, a ValueError, when there are none; ValueError where nobody rates.
    """
    if campaign.asked.writes:
        raise ValueError("people write captions in this campaign and do not rate any")
    answers = credited(campaign, latest(counted(campaign, columns)))
    names = _names(campaign)
    codes, labels = {}, {}
    for column, known in names.items():
        ids, codes[column] = np.unique(answers[column], return_inverse=True)
        labels[column] = [known[key] for key in ids.tolist()]
    if campaign.asked.whole_video:
        answers = answers | {"seconds": _shared_out(answers)}
    for column in ("kind", "score", "position", "seconds"):
        codes[column] = answers[column]
    codes["submitted_at"] = answers["submitted_at"].astype("datetime64[us]")
    if campaign.asks_fluency and (answers["fluency"] >= 0).all():
        codes["fluency"] = answers["fluency"]
    return Ratings.from_codes(codes, labels)


def _shared_out(answers: Columns) -> NDArray[np.float64]:
    """Time by caption, of pages that were open once for all captions of a video."""
    page = np.stack([answers["assignment"], answers["item"]])
    _, place, size = np.unique(page, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(answers["seconds"] / size[place.ravel()])


def counted(campaign: Campaign, columns: Columns) -> Columns:
    """Without the work that reviewing left out: unconfirmed, refused, forged, or by a person's
    word."""
    left_out = assignments_left_out(campaign)
    if not left_out:
        return columns
    kept = ~np.isin(columns["assignment"], left_out)
    return {name: values[kept] for name, values in columns.items()}


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
        notes.append("identical captions of one video were rated once and credited to each system")
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


def credited(campaign: Campaign, answers: Columns) -> Columns:
    """Every answer once for each system that wrote the caption, where identical ones were merged.

    To the statistics it is as if each of the systems had been asked and answered alike.
    """
    merged = Hit.objects.filter(batch__campaign=campaign, batch__merge_identical=True)
    shared = np.isin(answers["hit"], list(merged.values_list("pk", flat=True)))
    shared &= np.isin(answers["kind"], FRESH)
    if not shared.any():
        return answers
    rows, systems = _copies(campaign, answers, np.flatnonzero(shared))
    copies = {name: values[rows] for name, values in answers.items()} | {"system": systems}
    return {name: np.concatenate([answers[name], copies[name]]) for name in answers}


def _copies(
    campaign: Campaign, answers: Columns, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to be repeated, and the systems to repeat them for."""
    twins = same_captions(campaign)
    pairs = [
        (row, twin)
        for row, system, video in zip(
            rows.tolist(),
            answers["system"][rows].tolist(),
            answers["item"][rows].tolist(),
            strict=True,
        )
        for twin in twins[system, video]
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def same_captions(campaign: Campaign) -> dict[tuple[int, int], list[int]]:
    """For each system and video, the other systems with the same words for it."""
    ranked = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    ranked = ranked.exclude(system__role=System.Role.REFERENCE)
    same: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for system, video, text in ranked.values_list("system_id", "video_id", "text"):
        same[video, text].append(system)
    twins: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for (video, _), systems in same.items():
        for system in systems:
            twins[system, video] = [other for other in systems if other != system]
    return twins
