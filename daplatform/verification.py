"""What must be true of rows and files, whatever died in between; `manage.py verify` looks.

Most of it the database refuses to break by itself (constraints and triggers). What spans tables is
looked for here, and mended where there is one right way to mend it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.utils import timezone

from analysis.services.snapshots import snapshot_holds, snapshot_of
from annotations.models import Assignment, Rating
from annotations.selectors.confirming import unconfirmed_sentences
from annotations.services.assignments import assignments_expire
from crowds.models import LedgerEntry, OutboxMessage, Publication, Submission
from crowds.selectors.money import campaign_sums, policy_of, sums_of
from crowds.services.money import reward_book
from crowds.services.outbox import CLAIM_LAPSES, claims_lapse
from crowds.services.restoring import restores_recognise, sending_is_known
from daplatform.models import SharedFile
from daplatform.shared_files import bucket_asked, files_share, place_of
from hits.models import Batch, Campaign, Hit, HitItem, Rendition, Video

# The sweeps run every minute: what is late by this much was not swept.
GRACE = dt.timedelta(minutes=10)
# No task takes longer than an hour to write anything.
HALF_WRITTEN = dt.timedelta(hours=2)
SHARED = ("results", "evaluations", "descriptions", "exports")
HANDED_IN = ("submitted", "approved", "rejected")


@dataclass(frozen=True)
class Invariant:
    """A sentence that is true, what contradicts it, and how to make it true again."""

    sentence: str
    broken: Callable[[], Iterable[object]]
    repair: Callable[[], object] | None = None


def hits_of_another_size() -> Iterable[Hit]:
    hits = Hit.objects.filter(batch__status=Batch.Status.DONE).select_related("batch__campaign")
    found = Count("items", ~Q(items__kind=HitItem.Kind.ATTENTION))
    return hits.annotate(found=found).exclude(found=F("batch__hit_size"))


def copies_of_another_hit() -> Iterable[HitItem]:
    return HitItem.objects.filter(original__isnull=False).exclude(original__hit=F("hit"))


def unanswered_work() -> Iterable[Assignment]:
    turns = Assignment.objects.filter(state__in=HANDED_IN)
    captions = ~Q(ratings__kind=HitItem.Kind.ATTENTION)
    answered = Count("ratings__position", captions, distinct=True)
    return turns.annotate(answered=answered).exclude(answered=F("hit__batch__hit_size"))


def gaps_between_revisions() -> Iterator[str]:
    answers = Rating.objects.order_by().values("assignment", "position")
    for row in answers.annotate(found=Count("pk"), last=Max("revision")).exclude(found=F("last")):
        yield f"assignment {row['assignment']}, position {row['position']}"


def ratings_of_something_else() -> Iterable[Rating]:
    return Rating.objects.exclude(
        item__hit=F("assignment__hit"),
        item__position=F("position"),
        item__caption=F("caption"),
        item__kind=F("kind"),
        assignment__annotator=F("annotator"),
        assignment__campaign=F("campaign"),
    )


def overdue_work() -> Iterable[Assignment]:
    late = timezone.now() - GRACE
    return Assignment.objects.filter(state=Assignment.State.ACTIVE, expires_at__lt=late)


def hits_short_of_a_slot() -> Iterable[Hit]:
    """Work that was given back must be offered again, or its captions are never rated."""
    kept = Q(assignments__slot__isnull=False) & ~Q(assignments__state__in=Assignment.GIVEN_UP)
    hits = Hit.objects.select_related("batch")
    hits = hits.annotate(slots=Max("assignments__slot"), kept=Count("assignments", kept))
    return hits.filter(slots__gt=F("kept")).exclude(batch__campaign__state="closed")


def slots_reopen() -> None:
    """Offer each lost slot again."""
    for hit in hits_short_of_a_slot():
        slots = hit.assignments.exclude(slot=None)
        kept = slots.exclude(state__in=Assignment.GIVEN_UP)
        lost = {row.slot or 0 for row in slots} - {row.slot or 0 for row in kept}
        Assignment.objects.bulk_create(
            Assignment(campaign_id=hit.batch.campaign_id, hit=hit, slot=slot)
            for slot in sorted(lost)
        )


def messages_left_behind() -> Iterable[OutboxMessage]:
    late = timezone.now() - CLAIM_LAPSES - GRACE
    return OutboxMessage.objects.filter(state=OutboxMessage.State.CLAIMED, claimed_at__lt=late)


def sendings_unknown() -> Iterator[str]:
    """What waits may have been sent already, by this database before it was put back."""
    if not sending_is_known():
        for message in OutboxMessage.objects.filter(
            state__in=[OutboxMessage.State.WAITING, OutboxMessage.State.CLAIMED]
        ):
            yield str(message)


def budgets_exceeded() -> Iterator[Campaign]:
    for campaign in Campaign.objects.filter(ledger__isnull=False).distinct():
        if campaign_sums(campaign).total > policy_of(campaign).budget:
            yield campaign


def publications_released_too_much() -> Iterator[Publication]:
    for publication in Publication.objects.all():
        if sums_of(LedgerEntry.objects.filter(publication=publication)).outstanding < 0:
            yield publication


def payments_not_in_the_ledger() -> Iterable[Submission]:
    """Approved at the crowd, and not booked: or somebody could be paid without our knowing."""
    booked = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.PAID, submission=OuterRef("pk"))
    approved = Submission.objects.filter(status=Submission.Status.APPROVED)
    unbooked = approved.filter(~Exists(booked), publication__unit_reward__gt=0)
    return unbooked.select_related("annotator", "publication__launch__batch__campaign")


def payments_book() -> None:
    for submission in payments_not_in_the_ledger():
        reward_book(submission=submission)


def publications_without_a_name() -> Iterable[Publication]:
    named = Q(external_ids__kind="publication")
    published = Publication.objects.exclude(status=Publication.Status.WAITING)
    return published.annotate(names=Count("external_ids", named)).filter(names=0)


def snapshots_that_differ() -> Iterator[Campaign]:
    for campaign in Campaign.objects.all():
        if not snapshot_holds(campaign):
            yield campaign


def discard_snapshots() -> None:
    for campaign in snapshots_that_differ():
        snapshot_of(campaign).discard()


def videos_without_their_file() -> Iterator[str]:
    """Only sizes are asked for, which is one request each in a bucket: read, they are gigabytes."""
    stored = Video.objects.exclude(file="").select_related("campaign")
    for video in stored.iterator(1_000):
        try:
            found = video.file.size
        except FileNotFoundError:
            found = 0
        if not found:
            yield f"{video} of {video.campaign} ({video.file.name})"


def copies_without_their_file() -> Iterator[Rendition]:
    for rendition in Rendition.objects.filter(status=Rendition.Status.DONE):
        if not default_storage.exists(rendition.file.name):
            yield rendition


def copies_again() -> None:
    """The sweep wakes workers for them."""
    for rendition in copies_without_their_file():
        Rendition.objects.filter(pk=rendition.pk).again(file="")


def shared_files_lost() -> Iterator[SharedFile]:
    """Rows of files that the bucket does not have: other machines could not fetch them."""
    if settings.MEDIA_BUCKET:
        with bucket_asked() as bucket:
            there = {each.key for each in bucket.objects.filter(Prefix="shared/")}
        yield from (file for file in SharedFile.objects.iterator() if file.key not in there)


def shared_files_again() -> None:
    """What this machine has is put there again; the rest is made again when it is asked for."""
    lost = list(shared_files_lost())
    SharedFile.objects.filter(pk__in=[file.pk for file in lost]).delete()
    files_share(path for file in lost if (path := place_of(file.path)).is_file())


def halves_left_behind() -> Iterator[Path]:
    """What a worker was writing when it was killed. Nothing reads it, and it takes up space."""
    data = settings.DATA_DIR
    late = (timezone.now() - HALF_WRITTEN).timestamp()
    for path in (
        *(path for path in data.glob("snapshots/*/*") if path.suffix != ".arrow"),
        *(path for kind in SHARED for path in data.glob(f"{kind}/*/.*")),
        *(path for kind in SHARED for path in data.glob(f"{kind}/*/*/*.part")),
        *settings.METRIC_STORE.glob("**/*.part"),
        *Path(settings.MEDIA_ROOT).glob(".part-*"),
    ):
        with contextlib.suppress(FileNotFoundError):  # finished, and moved to its place, meanwhile
            if path.stat().st_mtime < late:
                yield path


def halves_remove() -> None:
    for path in list(halves_left_behind()):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


# What is worth knowing and no fault: it does not change how `verify` ends.
NOTICES = [
    Invariant(
        "Work that no marketplace has confirmed is not counted and takes up no place.",
        unconfirmed_sentences,
    )
]
INVARIANTS = [
    Invariant("Every HIT has as many captions as its batch says.", hits_of_another_size),
    Invariant("Damaged and repeated captions copy one of their own HIT.", copies_of_another_hit),
    Invariant("Work that was handed in has an answer to every caption.", unanswered_work),
    Invariant("The revisions of an answer count up from one.", gaps_between_revisions),
    Invariant("Ratings agree with their item and assignment.", ratings_of_something_else),
    Invariant(
        "Work whose time has run out is given back.",
        overdue_work,
        lambda: assignments_expire(now=timezone.now()),
    ),
    Invariant("Work that was given back is offered again.", hits_short_of_a_slot, slots_reopen),
    Invariant("No message to a crowd was left unfinished.", messages_left_behind, claims_lapse),
    Invariant(
        "No waiting message was already sent before a restore.",
        sendings_unknown,
        restores_recognise,
    ),
    Invariant("No campaign costs more than its budget.", budgets_exceeded),
    Invariant("No more is released or paid than was committed.", publications_released_too_much),
    Invariant(
        "Everybody paid at a crowd is in the ledger.", payments_not_in_the_ledger, payments_book
    ),
    Invariant("Everything published has its crowd's id.", publications_without_a_name),
    Invariant("Snapshots hold the database's ratings.", snapshots_that_differ, discard_snapshots),
    Invariant("Every stored video is there, and is not empty.", videos_without_their_file),
    Invariant("Every converted copy of a video is there.", copies_without_their_file, copies_again),
    Invariant("The bucket has every file that is shared.", shared_files_lost, shared_files_again),
    Invariant("No file was left incomplete.", halves_left_behind, halves_remove),
]
