"""The lists of an organiser's pages, as rows for files: HITs, videos, money, and who did what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet

from analysis.evaluation.files import table
from analysis.presenting.charts import Row
from analysis.presenting.downloads import Download
from analysis.presenting.exports import Table
from analysis.selectors.progress import hits_completion
from crowds.models import AuditEntry, LedgerEntry
from crowds.selectors.money import campaign_currency, entries_described
from hits.models import Campaign, Hit, Video
from hits.selectors import campaign_hits, campaign_videos

PIECE = 5_000
"""Rows that are read at a time."""
HITS = ("batch", "hit", "captions", "pairs", "repeats", "assignments", "done")
VIDEOS = ("item", "seconds", "codec", "captions", "address", "sha256")
LEDGER = ("when", "for", "kind", "amount", "currency")
TRAIL = ("when", "who", "what", "detail")


def in_pieces(
    title: str,
    found: QuerySet[Any],
    columns: Sequence[str],
    rows_of: Callable[[Sequence[Any]], list[Row]],
) -> Download:
    """What a query finds, described so many at a time."""
    count = found.count()

    def pieces() -> Iterator[Table]:
        for start in range(0, max(count, 1), PIECE):
            yield table(rows_of(list(found[start : start + PIECE])), columns)

    return Download(title, count, pieces)


def hits_download(campaign: Campaign, *, batch: int | None, turns: str) -> Download:
    """HITs and how many of their assignments are done.

    ``turns``, how many there are and are done, only says which file is which.
    """

    def rows_of(hits: Sequence[Hit]) -> list[Row]:
        known = {each.key: each for each in hits_completion(campaign, [hit.pk for hit in hits])}
        return [
            {
                "batch": hit.batch.number,
                "hit": hit.number,
                "captions": hit.batch.hit_size,
                "pairs": hit.batch.pairs,
                "repeats": hit.batch.repeats,
                "assignments": known[hit.pk].wanted if hit.pk in known else 0,
                "done": known[hit.pk].finished if hit.pk in known else 0,
            }
            for hit in hits
        ]

    return in_pieces(f"HITs of {campaign.name}", campaign_hits(campaign, batch), HITS, rows_of)


def videos_download(campaign: Campaign, *, search: str) -> Download:
    """Videos and how many captions each has; an address where the file is not ours."""
    current = Count("captions", filter=Q(captions__retired_at=None))
    found = campaign_videos(campaign, search).annotate(caption_count=current)

    def rows_of(videos: Sequence[Video]) -> list[Row]:
        return [
            {
                "item": video.name,
                "seconds": video.duration,
                "codec": video.codec,
                "captions": video.caption_count,  # type: ignore[attr-defined]
                "address": video.url,
                "sha256": video.sha256,
            }
            for video in videos
        ]

    return in_pieces(f"Videos of {campaign.name}", found, VIDEOS, rows_of)


def ledger_download(campaign: Campaign, *, last: int) -> Download:
    """Every movement of money up to the entry ``last``, newest first, as the page words it."""
    found = (
        campaign.ledger.filter(pk__lte=last).select_related("publication__launch").order_by("-pk")
    )
    usual = campaign_currency(campaign)

    def rows_of(entries: Sequence[LedgerEntry]) -> list[Row]:
        return [
            {
                "when": row.entry.created_at.isoformat(timespec="seconds"),
                "for": row.about,
                "kind": row.entry.get_kind_display(),
                "amount": float(row.entry.amount),
                "currency": row.entry.publication.launch.currency
                if row.entry.publication
                else usual,
            }
            for row in entries_described(entries)
        ]

    return in_pieces(f"Ledger of {campaign.name}", found, LEDGER, rows_of)


def trail_download(campaign: Campaign, *, last: int) -> Download:
    """Who did what with the campaign's crowd up to the entry ``last``, newest first."""
    found = campaign.trail.filter(pk__lte=last).select_related("person")

    def rows_of(entries: Sequence[AuditEntry]) -> list[Row]:
        return [
            {
                "when": entry.created_at.isoformat(timespec="seconds"),
                "who": entry.who or "automatic",
                "what": entry.action,
                "detail": entry.detail,
            }
            for entry in entries
        ]

    return in_pieces(f"Who did what with {campaign.name}", found, TRAIL, rows_of)
