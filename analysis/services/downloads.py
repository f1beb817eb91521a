"""Every list that pages show, as rows for a file: what decides them in, a `Download` out.

What decides them is plain enough to be kept in a row, so that a worker finds the same rows later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.evaluation.files import table
from analysis.evaluation.points import points_of
from analysis.models import MetricEvaluation, Result
from analysis.presenting import pairs, replications
from analysis.presenting.downloads import Download, one_piece
from analysis.presenting.exports import Table, ratings_table
from analysis.presenting.listings import CAPTIONS, arranged, as_table
from analysis.reading.answers import QUESTIONS
from analysis.results.comparing import TABLES
from analysis.results.factuality import paragraph_scores
from analysis.results.marked import long_table, paragraphs, with_mqm
from analysis.results.phrases import phrase_table
from analysis.selectors import annotators, captions, inspection, metric_scores
from analysis.selectors.attention import attention_by_person, checks_answered
from analysis.selectors.comparisons import results_compare
from analysis.selectors.evaluations import evaluation_points
from analysis.selectors.filled import FILLED, filled_rows
from analysis.selectors.marked import (
    answers_by_question,
    forms_answered,
    judged_paragraphs,
    phrases_marked,
)
from analysis.selectors.ratings import ratings_of
from analysis.selectors.results import (
    result_has_listings,
    result_listing,
    result_systems,
)
from analysis.selectors.written import references_written
from analysis.services.organiser_downloads import (
    hits_download,
    ledger_download,
    trail_download,
    videos_download,
)
from analysis.services.results import ratings_until
from analysis.services.snapshots import snapshot_refresh
from crowds.selectors.counting import ratings_confirmed
from daplatform.errors import DomainError
from hits.models import Campaign, Hit, HitItem

if TYPE_CHECKING:
    import pyarrow as pa

PIECE = 5_000
"""Rows that are in memory as texts at a time."""
MOST_TURNS = 1_000


class NothingToDownload(DomainError):
    """The rows asked for are not there, or not any more."""


def result_found(pk: int) -> Result:
    """A result whose rows can be listed; one that was replaced by newer ones is gone."""
    result: Result | None = Result.objects.select_related("campaign").filter(pk=pk).first()
    if result is None or not result.signature or not result_has_listings(result):
        raise NothingToDownload("This result no longer exists. Open the page again.")
    return result


def listed(title: str, rows: pa.Table, **more: Any) -> Download:
    """Rows of an Arrow table, which become texts and numbers piece by piece."""

    def pieces() -> Iterator[Table]:
        for start in range(0, max(rows.num_rows, 1), PIECE):
            yield as_table(rows.slice(start, PIECE))

    return Download(title, rows.num_rows, pieces, **more)


def annotators_download(
    campaign: Campaign, *, result: int, search: str, show: str, sort: str
) -> Download:
    import pyarrow as pa

    found = result_found(result)
    rows = annotators.annotators_listed(found, search=search, show=show, sort=sort)
    comments = annotators.comments_on(campaign)
    written = [" / ".join(comments.get(name, [])) for name in rows["annotator"].to_pylist()]
    attention = attention_by_person(campaign)
    for column in ("checks", "passed") if campaign.attention else ():
        counts = [getattr(attention.get(name), column, 0) for name in rows["annotator"].to_pylist()]
        rows = rows.append_column(f"attention_{column}", pa.array(counts, pa.int64()))
    return listed(
        f"Annotators of {campaign.name}",
        rows.append_column("comments", pa.array(written, pa.string())),
        signature=found.signature,
    )


def captions_download(
    campaign: Campaign, *, result: int, search: str, system: str, sort: str
) -> Download:
    found = result_found(result)
    rows = captions.captions_listed(found, search=search, system=system, sort=sort)
    return listed(
        f"Captions of {campaign.name}",
        rows.drop_columns(["caption", "video"]),
        signature=found.signature,
    )


def pair_download(
    campaign: Campaign, *, result: int, first: str, second: str, order: str
) -> Download:
    """Every video of which both systems' captions are scored."""
    found = result_found(result)
    rows = pairs.shared_videos(result_listing(found, CAPTIONS), first, second)
    rows = arranged(rows, order) if order else rows
    columns = [name for name in rows.column_names if name.split("_")[0] not in ("caption", "video")]
    return listed(
        f"{first} and {second} in {campaign.name}",
        rows.select(columns).rename_columns([_of_system(name, first, second) for name in columns]),
        signature=found.signature,
        sentences=(pairs.videos_sentence(rows["difference"].to_numpy(), first, second),),
    )


def _of_system(column: str, first: str, second: str) -> str:
    """``z_first`` under the system's own name."""
    name, _, side = column.partition("_")
    return f"{name}_{first if side == 'first' else second}" if side else name


def comparison_download(campaign: Campaign, *, result: int, other: int) -> Download:
    """The systems both campaigns have, with the scores of both."""
    first, second = result_found(result), result_found(other)
    rows = replications.shared_systems(result_systems(first), result_systems(second))
    if not rows:
        raise NothingToDownload("The two campaigns have no system in common.")
    return one_piece(
        f"{campaign.name} and {second.campaign.name}",
        replications.rows_table(rows),
        signature=first.signature,
        sentences=(f"The second is {second.campaign.name}: {second.signature}",),
    )


def comparison_table_download(
    campaign: Campaign, *, result: int, other: int, which: str
) -> Download:
    """How scores of two campaigns correlate, or which differences repeat."""
    first, second = result_found(result), result_found(other)
    try:
        found = results_compare(first, second)
    except ValueError as error:
        raise NothingToDownload("The two campaigns have no system in common.") from error
    return one_piece(
        f"{campaign.name} and {second.campaign.name}: {which}",
        table(getattr(found, which), TABLES[which]),
        signature=first.signature,
        sentences=(f"The second is {second.campaign.name}: {second.signature}",),
    )


def ratings_download(campaign: Campaign, *, last: int, decisions: str) -> Download:
    """Every answer that counts, up to the rating ``last``, under pseudonyms.

    ``decisions``, the fingerprint of the reviewers' decisions, only says which file is which.
    """
    rows = ratings_confirmed(campaign).filter(pk__lte=last).count()
    if not rows:
        raise NothingToDownload("Nobody has rated anything yet.")

    def pieces() -> Iterator[Table]:
        columns = ratings_until(snapshot_refresh(campaign=campaign).read(), last)
        ratings = ratings_of(campaign, columns)
        for start in range(0, len(ratings), PIECE):
            yield ratings_table(ratings, slice(start, start + PIECE))

    return Download(f"Ratings of {campaign.name}", rows, pieces)


def metrics_download(campaign: Campaign) -> Download:
    """The mean of every metric by system, as the page has them; signatures are in
    scores.csv.json."""
    found = metric_scores.metric_table(campaign)
    if found is None:
        raise NothingToDownload("Nothing has been scored yet.")
    rows = [
        {
            "metric": row.metric,
            "measures": row.summary,
            **{
                f"mean_{system}": cell.mean
                for system, cell in zip(found.systems, row.cells, strict=True)
            },
            "captions": row.captions,
        }
        for row in found.rows
    ]
    columns = ("metric", "measures", *(f"mean_{system}" for system in found.systems), "captions")
    return one_piece(f"Metrics of {campaign.name}", table(rows, columns))


def points_download(campaign: Campaign, *, evaluation: int, human: str, metric: str) -> Download:
    """Captions by people and one metric; those with a distance are the odd ones, oddest first."""
    found = MetricEvaluation.objects.filter(campaign=campaign, pk=evaluation).first()
    points = evaluation_points(found) if found else None
    if found is None or points is None:
        raise NothingToDownload("This result no longer exists. Open the page again.")
    return listed(
        f"{metric} against people in {campaign.name}",
        points_of(points, human, metric).drop_columns(["video"]),
        signature=found.signature,
    )


def hit_download(campaign: Campaign, *, hit: int) -> Download:
    """The captions of a HIT in order, with everybody's scores under their pseudonyms."""
    found = Hit.objects.select_related("batch").get(batch__campaign=campaign, pk=hit)
    turns = inspection.hit_turns(found, MOST_TURNS)
    rated = inspection.rated_items(found, turns)
    names = [f"{turn.annotator.pseudonym}" for turn in turns if turn.annotator]
    rows = [
        {
            "position": each.row.position,
            "kind": each.row.item.kind,
            "original": str(each.row.original or ""),
            "system": each.row.item.caption.system.name,
            "item": each.row.item.caption.video.name,
            "text": each.row.item.text,
            **dict(zip(names, each.scores, strict=True)),
            "mean": each.mean,
        }
        for each in rated
    ]
    columns = ("position", "kind", "original", "system", "item", "text", *names, "mean")
    title = f"HIT {found.number} of batch {found.batch.number}, {campaign.name}"
    return one_piece(title, table(rows, columns))


def answers_download(campaign: Campaign, *, annotator: str, last: int) -> Download:
    """One person's scores up to the rating ``last``, in the order they were given."""
    answers = _answers(campaign, annotator, last)
    items = HitItem.objects.select_related("hit__batch", "caption__video", "caption__system")
    found = items.in_bulk([answer.item for answer in answers])
    rows = [
        {
            "hit": f"{item.hit.batch.number}-{item.hit.number}",
            "position": item.position + 1,
            "kind": answer.kind,
            "system": item.caption.system.name,
            "item": item.caption.video.name,
            "score": answer.score,
            "seconds": answer.seconds,
            "text": item.text,
        }
        for answer in answers
        for item in [found[answer.item]]
    ]
    columns = ("hit", "position", "kind", "system", "item", "score", "seconds", "text")
    return one_piece(f"Scores by {annotator} in {campaign.name}", table(rows, columns))


def pairs_download(campaign: Campaign, *, annotator: str, last: int) -> Download:
    """One person's scores of degraded captions and of their originals, with both texts."""
    found = annotators.answer_pairs(_answers(campaign, annotator, last))
    rows = [
        {
            "hit": f"{row.item.hit.batch.number}-{row.item.hit.number}",
            "position": row.item.position + 1,
            "item": row.item.caption.video.name,
            "original": row.pair.original.score,
            "degraded": row.pair.degraded.score,
            "original_text": row.item.caption.text,
            "degraded_text": row.item.text,
        }
        for row in annotators.pair_rows(found)
    ]
    columns = (
        "hit", "position", "item", "original", "degraded", "original_text", "degraded_text",
    )  # fmt: skip
    return one_piece(f"Pairs of {annotator} in {campaign.name}", table(rows, columns))


def _answers(campaign: Campaign, pseudonym: str, last: int) -> list[annotators.Answer]:
    person = annotators.campaign_annotators(campaign).get(pseudonym=pseudonym)
    return annotators.annotator_answers(campaign, person, until=last)


def video_download(campaign: Campaign, *, video: int, result: int | None) -> Download:
    """Every system's caption of a video with what people and metrics say of it."""
    shown, found = campaign.videos.get(pk=video), result_found(result) if result else None
    sources = metric_scores.metric_sources(campaign)
    scores = ("z", "raw", "n", "disagreement")
    rows = [
        {"system": each.caption.system.name, "text": each.caption.text}
        | {name: each.score[name] if each.score else None for name in scores}
        | dict(zip(sources, each.metrics, strict=True))
        for each in captions.video_scored(shown, found, sources)
    ]
    return one_piece(
        f"Captions of {shown.name}",
        table(rows, ("system", "text", *scores, *sources)),
        signature=found.signature if found else "",
    )


def references_download(campaign: Campaign, *, last: int, removed: int) -> Download:
    """What people wrote, as the file `references` of the next campaign."""
    rows = references_written(campaign)
    columns = {
        "video": [row.video for row in rows],
        "source": [row.source for row in rows],
        "caption": [row.text for row in rows],
    }
    written = {name: np.array(values, dtype=object) for name, values in columns.items()}
    return one_piece(f"References written for {campaign.name}", written)


def human_download(campaign: Campaign, *, last: int, decisions: str) -> Download:
    """People's scores of every caption at three levels, as `correlate --human` takes them."""
    judged = judged_paragraphs(campaign)
    if not judged:
        raise NothingToDownload("Nobody has marked anything yet.")
    human = with_mqm(paragraph_scores(paragraphs(judged)), judged, campaign.asked.weights)
    return one_piece(f"Factuality of {campaign.name}", human)


def marks_download(campaign: Campaign, *, last: int, decisions: str) -> Download:
    return one_piece(f"Marks of {campaign.name}", long_table(judged_paragraphs(campaign)))


def questions_download(campaign: Campaign, *, last: int, decisions: str) -> Download:
    """Every answer to every question; a mark is a row, with where it stands and its label."""
    return one_piece(f"Answers of {campaign.name}", table(answers_by_question(campaign), QUESTIONS))


def attention_download(campaign: Campaign, *, last: int) -> Download:
    """Every attention check that was answered, by whom and whether as it says."""
    rows = [
        {
            "annotator": each.annotator,
            "hit": each.hit,
            "position": each.position,
            "text": each.text,
            "answer": each.answer,
            "passed": int(each.is_passed),
        }
        for each in checks_answered(campaign)
    ]
    columns = ("annotator", "hit", "position", "text", "answer", "passed")
    return one_piece(f"Attention checks of {campaign.name}", table(rows, columns))


def filled_download(campaign: Campaign, *, last: int, decisions: str) -> Download:
    """What became of every mark that was filled in, and what people added."""
    return one_piece(f"Filled-in marks of {campaign.name}", table(filled_rows(campaign), FILLED))


def form_download(campaign: Campaign, *, last: int, answered: int) -> Download:
    """What people said about themselves before the first caption, under pseudonyms."""
    names = ["annotator", *(asked["name"] for asked in campaign.form)]
    return one_piece(f"Form of {campaign.name}", table(forms_answered(campaign), names))


def phrases_download(campaign: Campaign, *, last: int, decisions: str, decided: str) -> Download:
    """What was marked more than once, and which kind of error it is."""
    found = phrases_marked(campaign, judged_paragraphs(campaign))
    return one_piece(f"Phrases marked in {campaign.name}", phrase_table(found))


DOWNLOADS: Mapping[str, Callable[..., Download]] = {
    "annotators": annotators_download,
    "answers": answers_download,
    "attention": attention_download,
    "captions": captions_download,
    "comparison": comparison_download,
    "correlations": partial(comparison_table_download, which="correlations"),
    "repeated": partial(comparison_table_download, which="pairs"),
    "filled": filled_download,
    "form": form_download,
    "hit": hit_download,
    "hits": hits_download,
    "human": human_download,
    "ledger": ledger_download,
    "marks": marks_download,
    "metrics": metrics_download,
    "pair": pair_download,
    "pairs": pairs_download,
    "phrases": phrases_download,
    "points": points_download,
    "questions": questions_download,
    "ratings": ratings_download,
    "references": references_download,
    "trail": trail_download,
    "video": video_download,
    "videos": videos_download,
}
"""Each list by its name; `analysis.views.downloads` turns an address into what it asks for."""
