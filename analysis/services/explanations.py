"""Explaining a caption's score from the store of embeddings; nothing is embedded for it."""

from __future__ import annotations

import io
import json
from collections.abc import Collection
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from analysis.metrics.batch import VideoFile
from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.encoder import IMAGE_TEXT, Encoder
from analysis.metrics.encoding.frames import UnreadableVideo, read_frames
from analysis.metrics.encoding.sampling import Sampling
from analysis.metrics.explanations import Explanation, explain, without_unmatched_frames
from analysis.metrics.families.factvc import own_settings
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.settings import Settings
from analysis.metrics.vision import token_weights
from analysis.models import MetricChunk, MetricFault, MetricRun
from analysis.selectors.explanations import explanation_name, explanation_of, frame_name
from analysis.services.embedding_store import store_pull
from analysis.services.metric_chunks import videos_at_hand
from analysis.services.metric_context import Job, config_of, device, job_of
from hits.models import Caption, Video

MOST_FRAMES = 48
"""More of them are no picture any more: then only those are kept that a word matched."""
PICTURE_SIZE = (320, 320)
NO_FILE = "the file of this video is not stored here"
NO_FRAMES = "the embeddings of this video’s frames are no longer in the store"
NO_TEXT = "the embedding of this caption is not in the store"


def explanation_make(*, run: int, caption: int) -> None:
    """Explain one caption as a run scored it, and keep that. Safe twice: what could not be
    explained is tried again, what could stays."""
    scored = MetricRun.objects.get(pk=run)
    said = Caption.objects.select_related("video").get(pk=caption)
    known = explanation_of(scored, said)
    if known is not None and not known["problem"]:
        return
    try:
        content = _explained(scored, said)
    except (MetricUnavailable, FileNotFoundError) as error:
        _context.cache_clear()  # next time a model or a store may be there that is not now
        pruned = isinstance(error, FileNotFoundError)  # since this worker first looked
        content = {"problem": NO_FRAMES if pruned else str(error)}
    name = explanation_name(scored, said)
    default_storage.delete(name)
    default_storage.save(name, ContentFile(json.dumps(content).encode()))


def scoring_of(run: MetricRun) -> tuple[Job, ScoringContext, Settings]:
    """What a run worked on and with, to read again what it left in the store."""
    job = job_of(run)
    return job, _context(config_of(run.choices, _device(run))), _settings(job)


def _explained(run: MetricRun, caption: Caption) -> dict[str, Any]:
    job, context, settings = scoring_of(run)
    encoder: Encoder = context.resource(IMAGE_TEXT.name)
    encoder.frames(settings.frames)
    store_pull(encoder.spaces)
    video = _embedded(run, job, settings.frames, encoder, caption)
    weights = context.remember(token_weights, job.material.batch, settings)
    whole = explain(caption.text, video, encoder, settings.frames, weights)
    shown = without_unmatched_frames(whole) if len(whole.frames) > MOST_FRAMES else whole
    return asdict(shown) | {
        "problem": "",
        "frames_matched": len(whole.frames),
        "has_pictures": _pictures_keep(job, settings.frames, caption.video, shown),
        "model": encoder.signature,
        "sampling": settings.frames,
        "idf": settings.idf,
    }


def _settings(job: Job) -> Settings:
    """EMScore's weights and frames; where the run had FactVC alone, FactVC's."""
    seen = any(name.startswith("emscore") for name in job.metrics)
    return job.settings if seen else own_settings(job.settings)


@lru_cache(maxsize=1)
def _context(config: MetricConfig) -> ScoringContext:
    return config.context()


def _device(run: MetricRun) -> str:
    """The kind of device whose embeddings the run used, which need not be one this worker has."""
    return {"half": "cuda", "full": "cpu"}.get(run.precision) or device()


def _embedded(
    run: MetricRun, job: Job, frames: str, encoder: Encoder, caption: Caption
) -> VideoFile:
    """The video, if all that is needed of it and of the caption is in the store."""
    video = job.material.batch.files.get(caption.video.name)
    if video is None:
        raise MetricUnavailable(NO_FILE)
    if encoder.frames(frames).missing([video]):
        raise MetricUnavailable(_fault(run, caption.video) or NO_FRAMES)
    if encoder.texts.missing([caption.text]):
        raise MetricUnavailable(NO_TEXT)
    return video


def _fault(run: MetricRun, video: Video) -> str:
    """Why the video could not be embedded, if it was tried."""
    videos = MetricFault.objects.filter(chunk__kind=MetricChunk.Kind.VIDEOS)
    fault = videos.filter(chunk__run=run, video=video).first()
    return f"this video could not be read: {fault.message}" if fault else ""


def _pictures_keep(job: Job, frames: str, video: Video, shown: Explanation) -> bool:
    """Small pictures of the frames, once for all captions; whether they are there."""
    wanted = {time for time in shown.times if not default_storage.exists(frame_name(video, time))}
    if not wanted:
        return True
    with videos_at_hand(job, [video.pk]) as files:
        try:
            _pictures_save(video, files[video.name], frames, wanted)
        except UnreadableVideo:
            return False
    return True


def _pictures_save(video: Video, file: VideoFile, frames: str, wanted: Collection[int]) -> None:
    for frame in read_frames(file.path, Sampling.parse(frames)):
        time = round(frame.seconds * 1000)
        if time in wanted:
            default_storage.save(frame_name(video, time), ContentFile(_picture(frame.image)))


def _picture(image: Image.Image) -> bytes:
    small = image.convert("RGB")
    small.thumbnail(PICTURE_SIZE)
    content = io.BytesIO()
    small.save(content, "JPEG", quality=80)
    return content.getvalue()
