"""From checked files to a campaign's rows: all of them, or none; and captions corrected later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from statistics import fmean

from django.contrib.auth.models import User
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from daplatform.disk import NO_SPACE, is_full
from daplatform.errors import DomainError
from daplatform.tables import Faults, Where
from hits.bulk import rows_write
from hits.importing.conversion import copies_needed
from hits.importing.limits import LIMITS
from hits.importing.reading import FileChanged, Reading
from hits.importing.roles import Role
from hits.importing.sandbox import Prober, UnreadableVideo
from hits.importing.settings import Settings
from hits.importing.texts import check_caption
from hits.models import Campaign, Caption, Clip, Rendition, System, Video
from hits.planning import expected_minutes, fair_reward
from hits.services.filling import marks_fill

Progress = Callable[[str, int, int], None]
REPORT_EVERY = 10_000
# What was checked can be gone, or be something else, by the time it is copied.
UNREADABLE = (FileChanged, UnreadableVideo, OSError)


def campaign_import(
    *,
    reading: Reading,
    owner: User,
    is_demo: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> Campaign:
    """Write a campaign; the same files twice give the campaign that is already there."""
    if not reading.is_sound:
        raise DomainError("The campaign has errors; nothing was saved.")
    try:
        return _existing(reading, owner) or _create(reading, owner, is_demo, progress)
    except IntegrityError:
        # Another import was quicker: with the same files, or with this name or address.
        if existing := _existing(reading, owner):
            return existing
        raise DomainError("Another campaign was imported at the same moment. Try again.") from None
    except UNREADABLE as error:
        reason = NO_SPACE if is_full(error) else error
        raise DomainError(f"Nothing was saved: {reason}.") from error


def _existing(reading: Reading, owner: User) -> Campaign | None:
    """The campaign made of these files; one of that name made of others is in the way."""
    named = Q(name=reading.settings.name) | Q(source_digest=reading.digest)
    found = {campaign.source_digest: campaign for campaign in owner.campaigns.filter(named)}
    if found and reading.digest not in found:
        raise DomainError(
            f"You already have a campaign called “{reading.settings.name}” made from other files. "
            "Give this one another name in campaign.toml."
        )
    return found.get(reading.digest)


def _create(reading: Reading, owner: User, is_demo: bool, progress: Progress) -> Campaign:
    stored: list[str] = []
    try:
        videos = _videos_store(reading, stored, progress)
        return _rows_create(reading, owner, videos, is_demo, progress)
    except BaseException:
        for name in stored:
            default_storage.delete(name)
        raise


def _videos_store(reading: Reading, stored: list[str], progress: Progress) -> list[Video]:
    """Copy video files and their posters into our media, before any row is written.

    The names of what was copied go into `stored`, so that it can be taken away again.
    """
    videos: list[Video] = []
    kept: dict[str, Video] = {}  # clips of a file share it
    with Prober() as prober:
        for number, found in enumerate(reading.videos, start=1):
            video = Video(name=found.name, url=found.url, sha256=found.sha256)
            if found.clip and found.file in kept:
                video.file.name = kept[found.file].file.name
                video.poster.name = kept[found.file].poster.name
            elif found.file and found.facts:
                path = reading.root / found.file
                folder = f"campaigns/{reading.digest[:32]}/{found.sha256[:32]}"
                with path.open("rb") as stream:
                    # Named after what is in it, whatever it was called: so it will be handed out.
                    name = f"{folder}.{found.facts.container}"
                    video.file.name = _keep(File(stream), name, stored)
                poster = ContentFile(prober.poster(path))
                video.poster.name = _keep(poster, f"{folder}.jpg", stored)
                kept[found.file] = video
            if found.facts:
                for fact in ("width", "height", "codec"):
                    setattr(video, fact, getattr(found.facts, fact))
            video.duration = found.seconds
            videos.append(video)
            progress("Storing videos", number, len(reading.videos))
    return videos


def _keep(content: File[bytes], name: str, stored: list[str]) -> str:
    kept = default_storage.save(name, content)
    stored.append(kept)
    return kept


@transaction.atomic
def _rows_create(
    reading: Reading,
    owner: User,
    videos: list[Video],
    is_demo: bool,
    progress: Progress,
) -> Campaign:
    campaign = Campaign.objects.create(
        name=reading.settings.name,
        slug=free_slug(reading.settings.name),
        owner=owner,
        source_digest=reading.digest,
        is_demo=is_demo,
        **_settings(reading.settings),
        reward=reward_of(reading),
    )
    for video in videos:
        video.campaign = campaign
    Video.objects.bulk_create(videos, batch_size=1_000)
    Clip.objects.bulk_create(_clips(reading, videos), batch_size=1_000)
    Rendition.objects.bulk_create(_renditions(reading, videos), batch_size=1_000)
    System.objects.bulk_create(
        System(
            campaign=campaign,
            name=found.name,
            role=found.role,
            is_control=found.is_control,
            team=found.team,
            is_primary=found.is_primary,
            is_rated=found.is_rated,
        )
        for found in reading.systems
    )
    rows_write(Caption, ["video_id", "system_id", "text"], _captions(campaign, reading, progress))
    if reading.marks:
        marks_fill(campaign=campaign, marks=reading.marks)
    return campaign


def _clips(reading: Reading, videos: list[Video]) -> Iterator[Clip]:
    """Of those videos that are some seconds of another."""
    for found, video in zip(reading.videos, videos, strict=True):
        if clip := found.clip:
            yield Clip(
                video=video, whole=clip.whole, part=clip.part, start=clip.start, end=clip.end
            )


def _renditions(reading: Reading, videos: list[Video]) -> Iterator[Rendition]:
    """The copies that workers are to make of the stored files."""
    files: set[str] = set()
    for found, video in zip(reading.videos, videos, strict=True):
        if found.file and found.facts and str(video.file.name) not in files:
            files.add(str(video.file.name))
            size = (reading.root / found.file).stat().st_size
            for kind in copies_needed(found.facts, size):
                yield Rendition(source=str(video.file.name), kind=kind)


def reward_of(reading: Reading) -> Decimal:
    """What the files say a HIT is paid or, where they do not, fair pay for the time it takes."""
    hits = reading.settings.hits
    if hits.reward is not None:
        return hits.reward
    return fair_reward(minutes_of(reading))


def minutes_of(reading: Reading) -> int:
    """How long a HIT of these files takes; a page of all captions is watched once for all."""
    seconds = [each for video in reading.videos if (each := video.seconds) is not None]
    mean = fmean(seconds) if seconds else 0
    if reading.settings.asked.whole_video:
        mean /= max(1, sum(each.role != Role.REFERENCE for each in reading.systems))
    return expected_minutes(reading.settings.hits.size, mean)


def _settings(settings: Settings) -> dict[str, object]:
    hits = settings.hits
    return {
        "hit_size": hits.size,
        "pairs": hits.pairs,
        "repeats": hits.repeats,
        "redundancy": hits.redundancy,
        "assignments": hits.assignments,
        "seed": hits.seed,
        "merge_identical": hits.merge,
        "minutes_allowed": hits.minutes_allowed,
        "max_hits_per_annotator": hits.max_hits_per_annotator,
        "min_pairs": hits.min_pairs,
        "protocol": settings.protocol,
        "asks_fluency": settings.fluency,
        "must_watch": settings.must_watch,
        "shows_number": settings.shows_number,
        "instructions": settings.instructions,
        "consent": settings.consent,
        "contact": settings.contact,
        "language": settings.language,
        "translations": settings.translations,
        "questions": settings.questions,
        "offers_speed": settings.offers_speed,
    }


def _captions(
    campaign: Campaign, reading: Reading, progress: Progress
) -> Iterator[tuple[int, int, str]]:
    videos = dict(campaign.videos.values_list("name", "pk"))
    systems = dict(campaign.systems.values_list("name", "pk"))
    total = len(reading.video)
    for number, caption in enumerate(reading.captions(), start=1):
        yield videos[caption.video], systems[caption.system], caption.text
        if number % REPORT_EVERY == 0 or number == total:
            progress("Writing captions", number, total)


def free_slug(name: str) -> str:
    """A short address for the campaign that neither another campaign nor a page of ours has."""
    stem = slugify(name)[:60] or "campaign"
    taken = {
        "import",
        *Campaign.objects.filter(slug__startswith=stem).values_list("slug", flat=True),
    }
    candidates = (
        stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2)
    )
    return next(slug for slug in candidates if slug not in taken)


@transaction.atomic
def caption_correct(*, caption: Caption, text: str) -> Caption:
    """Put right what a caption says: the old row is kept, retired, and a new one takes its place.

    HITs composed earlier keep showing the old text, and their ratings stay with it.
    """
    text = " ".join(text.split())
    faults = Faults()
    check_caption(text, LIMITS.caption_characters, Where(), faults)
    if faults.errors:
        raise DomainError(" ".join(str(fault) for fault in faults))
    if text == caption.text:
        raise DomainError("The caption already has this text.")
    if caption.system.campaign.state == Campaign.State.CLOSED:
        raise DomainError("This campaign is closed.")
    retired = Caption.objects.filter(pk=caption.pk, retired_at=None).update(
        retired_at=timezone.now()
    )
    if not retired:
        raise DomainError("This caption has already been corrected.")
    return Caption.objects.create(video=caption.video, system=caption.system, text=text)
