"""HITs as a table, straight from a campaign's files: what `manage.py compose` writes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hits.composition.by_video import compose
from hits.composition.campaign import Captions, Composition
from hits.composition.shape import DEGRADED, KINDS, REFERENCE, IntArray, hit_shape
from hits.importing.reading import Reading
from hits.importing.roles import Role
from hits.misfits import material_misfit

COLUMNS = ("hit", "position", "kind", "video", "system", "caption", "original")
# Between the names of systems whose identical captions are asked once and credited to each.
CREDITED = "|"
Row = tuple[int, int, str, str, str, str, int | str]


def hit_sheet(reading: Reading, *, seed: int | None = None, merge: bool = False) -> Iterator[Row]:
    """Rows of `COLUMNS` in the order of HIT and position; the same files and seed, the same rows.

    Raises ValueError when no HITs can be made of the campaign.
    """
    hits = reading.settings.hits
    ranked, control = _masks(reading)
    video = _by_name([video.name for video in reading.videos])[reading.video]
    system = _by_name([system.name for system in reading.systems])[reading.system[ranked]]
    system = np.unique(system, return_inverse=True)[1]  # the references left out leave no gap
    texts = np.array([caption.text for caption in reading.captions()], dtype=object)
    wording = np.unique(texts[ranked], return_inverse=True)[1] if merge else None
    whole_video = reading.settings.asked.whole_video
    controls = np.flatnonzero(control)[np.argsort(video[control])]
    controls = np.flatnonzero(ranked) if whole_video else controls
    captions = Captions(video[ranked], system, wording)
    shape = hit_shape(
        whole_video=whole_video, size=hits.size, pairs=hits.pairs, repeats=hits.repeats
    )
    misfit = material_misfit(
        shape,
        captions,
        len(controls),
        min_pairs=hits.min_pairs,
        most_hits=hits.max_hits_per_annotator,
    )
    if misfit:
        raise ValueError(str(misfit))
    composition = compose(
        captions,
        video[controls],
        texts[controls].tolist(),
        rng=np.random.default_rng(hits.seed if seed is None else seed),
        shape=shape,
        redundancy=hits.redundancy,
        damage=bool(reading.settings.asked.marks),
        attention=[check["text"] for check in reading.settings.questions.get("attention", ())],
        human=dict(zip(video[control].tolist(), texts[control].tolist(), strict=True)),
    )
    return _rows(reading, composition, np.flatnonzero(ranked), controls, texts)


def _masks(reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    is_ranked = np.array([system.role != Role.REFERENCE for system in reading.systems], dtype=bool)
    is_control = np.array([system.is_control for system in reading.systems], dtype=bool)
    return is_ranked[reading.system], is_control[reading.system]


def _by_name(names: list[str]) -> IntArray:
    """The place of each name in the order of names, so that the order of rows says nothing."""
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return place


def _rows(
    reading: Reading,
    composition: Composition,
    ranked: IntArray,
    controls: IntArray,
    texts: np.ndarray,
) -> Iterator[Row]:
    layout = composition.layout
    credited = _credited(reading, layout.asked, ranked)
    columns = (layout.hit, layout.position, layout.kind, layout.caption, layout.original)
    rows = zip(*(column.tolist() for column in columns), composition.own_texts(), strict=True)
    for hit, position, kind, number, original, (text, _) in rows:
        is_control = kind in (REFERENCE, DEGRADED)
        caption = controls[number] if is_control else ranked[number]
        yield (
            hit,
            position,
            KINDS[kind],
            reading.videos[reading.video[caption]].name,
            reading.systems[reading.system[caption]].name if is_control else credited[number],
            text or texts[caption],
            "" if original < 0 else original,
        )


def _credited(reading: Reading, asked: IntArray, ranked: IntArray) -> list[str]:
    """For each ranked caption, the systems it counts for: its own, and those merged with it."""
    names = [reading.systems[number].name for number in reading.system[ranked].tolist()]
    credited = list(names)
    for caption in np.flatnonzero(asked != np.arange(len(asked))).tolist():
        credited[asked[caption]] += CREDITED + names[caption]
    return credited
