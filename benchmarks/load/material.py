"""A campaign to rate, the links to it, and as many ratings in it from before as are wanted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hits.models import Campaign

VIDEOS, SYSTEMS, HIT_SIZE = 500, 18, 100
CLIP_BYTES = 300_000  # a few seconds of small video
BEFORE, HITS_OF_ONE_PERSON = "before", 10
# What refers to what is right by construction, and checking it takes minutes.
UNCHECKED, CHECKED = (f"SET session_replication_role = {role}" for role in ("replica", "origin"))
TAKEN = """
    UPDATE annotations_assignment a
    SET state = 'submitted', annotator_id = %(first)s + a.slot * %(blocks)s + h.number / %(block)s,
        claimed_at = now(), expires_at = now(), submitted_at = now()
    FROM hits_hit h
    WHERE h.id = a.hit_id AND a.id IN (
        SELECT id FROM annotations_assignment WHERE campaign_id = %(campaign)s AND state = 'open'
        ORDER BY hit_id DESC, slot DESC LIMIT %(count)s)
"""
# Better systems get more, damaged captions less, and people differ by chance.
RATED = """
    INSERT INTO annotations_rating (
        campaign_id, assignment_id, item_id, annotator_id, caption_id, kind, original_id,
        position, revision, key, score, served_at, created_at, is_unwatched,
        client_elapsed_ms, client_first_touch_ms, client_last_touch_ms, client_moves,
        client_plays, client_watched_ms, client_hidden_ms
    )
    SELECT a.campaign_id, a.id, i.id, a.annotator_id, i.caption_id, i.kind, i.original_id,
        i.position, 1, gen_random_uuid(),
        CASE i.kind WHEN 'degraded' THEN 10 ELSE 30 END + c.system_id %% 20 + floor(random() * 50),
        now() - interval '9 s', now(), false, 9000, 6000, 7000, 3, 1, 4000, 0
    FROM annotations_assignment a JOIN hits_hititem i ON i.hit_id = a.hit_id
    JOIN hits_caption c ON c.id = i.caption_id
    WHERE a.campaign_id = %(campaign)s AND a.state = 'submitted'
        AND NOT EXISTS (SELECT 1 FROM annotations_rating r WHERE r.assignment_id = a.id)
    ORDER BY a.id, i.position
"""


def make_campaign(*, people: int, hits_each: int = 1, existing: int = 0) -> Campaign:
    """HITs for everybody, and for so many ratings that are to be there before they come."""
    from annotations.services.assignments import batches_open
    from hits.services.composing import batch_compose
    from tests import factories

    campaign = factories.make_campaign(videos=VIDEOS, systems=SYSTEMS)
    store_clips(campaign)
    hits = batch_compose(campaign=campaign).hits.count()
    campaign.assignments = math.ceil((existing / HIT_SIZE + people * hits_each) / hits)
    campaign.save()
    batches_open(campaign=campaign)
    return campaign


def store_clips(campaign: Campaign) -> None:
    """All videos are the same file of this site: who fetches one does not look at it."""
    from django.conf import settings

    clip = settings.MEDIA_ROOT / "clip.mp4"
    clip.parent.mkdir(parents=True, exist_ok=True)
    clip.write_bytes(bytes(CLIP_BYTES))
    campaign.videos.update(url="", file=clip.name)


def invite(campaign: Campaign, people: int) -> list[str]:
    """A link for everybody."""
    from crowds.invite.invitations import annotators_simulate, invitation_entry
    from crowds.selectors.entry import entry_path

    names = [str(number) for number in range(people)]
    invitations = annotators_simulate(campaign=campaign, names=names)
    return [entry_path(invitation_entry(row)) for row in invitations]


def rate_before(campaign: Campaign, total: int) -> None:
    """Ratings of other people, until so many are there; the database settled again."""
    from django.db import connection

    from annotations.models import Annotator, Assignment
    from hits.models import Hit

    blocks = Hit.objects.filter(batch__campaign=campaign).count() // HITS_OF_ONE_PERSON + 1
    known = Assignment.objects.filter(campaign=campaign, state="submitted").count()
    people = Annotator.objects.bulk_create(
        Annotator(pseudonym=f"{BEFORE}-{total}-{number}", is_simulated=True)
        for number in range((campaign.assignments + 1) * blocks)
    )
    values = {
        "campaign": campaign.pk, "first": people[0].pk, "blocks": blocks,
        "block": HITS_OF_ONE_PERSON, "count": total // HIT_SIZE - known,
    }  # fmt: skip
    with connection.cursor() as cursor:
        for statement in (UNCHECKED, TAKEN, RATED, CHECKED, "VACUUM ANALYZE", "CHECKPOINT"):
            cursor.execute(statement, values)


def rows_saved() -> Iterator[tuple[str, int | None]]:
    """Key and score of every rating of those who came by our links."""
    from annotations.models import Rating

    ours = Rating.objects.exclude(annotator__pseudonym__startswith=BEFORE)
    return ((str(key), score) for key, score in ours.values_list("key", "score").iterator())
