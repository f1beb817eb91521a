"""A campaign of any size on PostgreSQL, rated, launched, scored and analysed, for measuring pages.

HITs are composed as always. What people and metrics would have said of them is made up by the
database itself, which takes seconds for a million ratings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.stats.ratings import SYSTEM
from benchmarks.crowd import HIT_SIZE, PER_HIT

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from crowds.models import Launch, Publication
    from hits.models import Campaign

SYSTEMS, MOST_VIDEOS, HITS_EACH = 20, 5_000, 5
METRICS = 6

# Annotators differ in mean, systems in quality; every eighth annotator answers at random.
RATINGS = """
INSERT INTO annotations_rating (
    campaign_id, assignment_id, item_id, annotator_id, caption_id, kind, original_id, position,
    revision, key, score, fluency, served_at, created_at, is_unwatched, client_elapsed_ms,
    client_first_touch_ms, client_last_touch_ms, client_moves, client_plays, client_watched_ms,
    client_hidden_ms)
SELECT a.campaign_id, a.id, i.id, a.annotator_id, i.caption_id, i.kind, i.original_id, i.position,
    1, gen_random_uuid(),
    CASE WHEN a.annotator_id %% 8 = 0 THEN floor(random() * 101) ELSE
        greatest(0, least(100, 40 + a.annotator_id %% 20 + c.system_id %% 20 + random() * 30
            - CASE i.kind WHEN 'degraded' THEN 30 ELSE 0 END)) END,
    NULL, a.claimed_at + (i.position - 1) * interval '8 s', a.claimed_at + i.position * interval
    '8 s', false, 8000, 6000, 7000, 2, 1, 4000, 0
FROM annotations_assignment a JOIN hits_hititem i ON i.hit_id = a.hit_id
JOIN hits_caption c ON c.id = i.caption_id WHERE a.campaign_id = %s ORDER BY a.id, i.position
"""
SCORES = """
INSERT INTO analysis_metricscore (run_id, caption_id, metric, value)
SELECT %s, c.id, m, random() + c.system_id %% 20 / 20.0
FROM unnest(%s) m, hits_caption c JOIN hits_system s ON s.id = c.system_id
WHERE s.campaign_id = %s AND s.role <> 'reference'
"""


def large_campaign(owner: User, ratings: int) -> Campaign:
    """With at least that many ratings, each annotator having done a few HITs."""
    from django.db import connection, transaction

    from hits.services.composing import batch_compose

    campaign = unrated_campaign(owner, ratings)
    with transaction.atomic():
        batch_compose(campaign=campaign)
        take(campaign)
    with connection.cursor() as cursor:
        cursor.execute(RATINGS, [campaign.pk])
        launch_all(campaign)
        score(campaign)
        cursor.execute("ANALYZE")
    analyse(campaign)
    return campaign


def unrated_campaign(owner: User, ratings: int) -> Campaign:
    """Videos, systems and captions, each caption as often in HITs as it takes."""
    from django.db import transaction

    from hits.bulk import rows_write
    from hits.models import Campaign, Caption, System, Video

    asked = ratings // HIT_SIZE * PER_HIT[SYSTEM]
    videos = min(MOST_VIDEOS, max(1, asked // SYSTEMS))
    campaign = Campaign.objects.create(
        owner=owner, name=f"{ratings:,} ratings", slug="large", source_digest="large",
        state="live", redundancy=max(1, round(asked / SYSTEMS / videos)),
    )  # fmt: skip
    System.objects.create(campaign=campaign, name="human", role="reference", is_control=True)
    for number in range(SYSTEMS):
        System.objects.create(campaign=campaign, name=f"system-{number:02}", role="candidate")
    Video.objects.bulk_create(
        Video(campaign=campaign, name=f"clip{number:05}", duration=4.0, codec="h264",
              url=f"https://videos.example/{number}.mp4")
        for number in range(videos)
    )  # fmt: skip
    words = "A {} caption with words about what people do in {} on a sunny afternoon."
    with transaction.atomic():
        rows_write(
            Caption,
            ["video_id", "system_id", "text"],
            [
                (video.pk, system.pk, words.format(system.name, video.name))
                for system in campaign.systems.all()
                for video in campaign.videos.all()
            ],
        )
    return campaign


def take(campaign: Campaign) -> None:
    """Every HIT was taken by somebody and handed in."""
    from datetime import timedelta

    from django.utils import timezone

    from annotations.models import Annotator, Assignment
    from hits.models import Hit

    hits = list(Hit.objects.filter(batch__campaign=campaign))
    people = Annotator.objects.bulk_create(
        Annotator(pseudonym=f"large{number:05}") for number in range(-(-len(hits) // HITS_EACH))
    )
    begun, hour = timezone.now() - timedelta(days=3), timedelta(hours=1)
    Assignment.objects.bulk_create(
        Assignment(campaign=campaign, hit=hit, annotator=people[number // HITS_EACH], slot=1,
                   state="submitted", claimed_at=begun, expires_at=begun + 3 * hour,
                   submitted_at=begun + hour, comment="" if number % 50 else "Some were odd.")
        for number, hit in enumerate(hits)
    )  # fmt: skip


def launch_all(campaign: Campaign) -> None:
    """The work came by a marketplace, a publication for each HIT, and is half paid."""
    from decimal import Decimal

    from django.utils import timezone

    from crowds.models import Launch, Policy, Publication, Submission

    Policy.objects.create(campaign=campaign, budget=Decimal("20000"))
    launch = Launch.objects.create(
        batch=campaign.batches.get(), crowd="mturk", title="Rate captions", description="Rate.",
        reward=Decimal("0.99"), currency="USD", people=1, minutes_expected=20,
        launched_by=campaign.owner,
    )  # fmt: skip
    turns = list(campaign.turns.select_related("annotator").order_by("pk"))
    publications = Publication.objects.bulk_create(
        Publication(launch=launch, reference=f"large-{turn.hit_id}", status="open",
                unit_reward=Decimal("0.99"), fee=Decimal("0.20"), priced_people=1)
        for turn in turns
    )  # fmt: skip
    now = timezone.now()
    Submission.objects.bulk_create(
        Submission(crowd="mturk", external_id=f"large-{turn.pk}", publication=publication,
                   annotator=turn.annotator, assignment=turn, status="submitted",
                   submitted_at=turn.submitted_at, pay="pay" if turn.pk % 2 else "",
                   decided_at=now)
        for turn, publication in zip(turns, publications, strict=True)
    )  # fmt: skip
    record(launch, publications)


def record(launch: Launch, publications: list[Publication]) -> None:
    """What publishing and paying wrote down."""
    from decimal import Decimal

    from django.utils import timezone

    from crowds.models import AuditEntry, LedgerEntry, OutboxMessage

    campaign, now = launch.batch.campaign, timezone.now()
    common = {"campaign": campaign, "crowd": "mturk", "state": "done", "ended_at": now}
    OutboxMessage.objects.bulk_create(
        OutboxMessage(publication=publication, kind=kind, **common)
        for publication in publications
        for kind in ("publish", "approve")
    )
    LedgerEntry.objects.bulk_create(
        LedgerEntry(campaign=campaign, publication=publication, kind=kind, amount=Decimal("0.99"),
                    reason="offer")
        for publication in publications
        for kind in ("committed", "paid", "released")
    )  # fmt: skip
    AuditEntry.objects.bulk_create(
        AuditEntry(campaign=campaign, person=campaign.owner, action="paid") for _ in range(200)
    )


def score(campaign: Campaign) -> None:
    """Some metrics of every caption, from one run."""
    from django.db import connection
    from django.utils import timezone

    from analysis.metrics.registry import metric_names
    from analysis.models import MetricChunk, MetricRun
    from hits.models import Caption

    names = metric_names()[:METRICS]
    run = MetricRun.objects.create(
        campaign=campaign, requested_by=campaign.owner, metrics=names, choices={}, status="done",
        last_caption=Caption.objects.latest("pk").pk, finished_at=timezone.now(),
    )  # fmt: skip
    MetricChunk.objects.create(
        run=run, number=1, kind="scores", items=names, size=len(names), status="done",
        seconds=1.0, signatures={name: f"{name}|made up" for name in names},
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(SCORES, [run.pk, names, campaign.pk])


def analyse(campaign: Campaign) -> None:
    """The result and the evaluation that pages ask for first, as a worker makes them."""
    from analysis.results.settings import Settings
    from analysis.services.evaluations import Choices, evaluation_request
    from analysis.services.requests import result_request
    from daplatform.jobs.services import job_run

    choices = Settings(minimum_pairs=campaign.min_pairs)
    result = result_request(campaign=campaign, choices=choices)
    evaluation = evaluation_request(campaign=campaign, choices=Choices())
    if result is None or evaluation is None:
        raise RuntimeError("there are no ratings or no metrics")
    job_run(result)
    job_run(evaluation)
