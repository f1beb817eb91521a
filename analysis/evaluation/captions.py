"""Captions and their references: what metrics are computed of, and what the report quotes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.metrics import files
from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.batch import References as Texts
from analysis.metrics.files import as_texts
from daplatform.tables import Faults

if TYPE_CHECKING:
    import pandas as pd

References = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class CaptionSet:
    """Captions by video and system.

    Parameters
    ----------
    videos, systems, texts : one place per caption
    references : of each video, the caption of each source (a person, a set)
    notes : what was left out in reading, in sentences
    files : of each video that can be looked at
    corpus : where rare words are counted; without one in the references of all sources, however
        few of them captions are compared with
    """

    videos: Sequence[str]
    systems: Sequence[str]
    texts: Sequence[str]
    references: References
    notes: tuple[str, ...] = ()
    files: Mapping[str, VideoFile] = field(default_factory=dict)
    corpus: Texts = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def sources(self) -> list[str]:
        """Every source of references, in the order they first appear."""
        return list(dict.fromkeys(name for refs in self.references.values() for name in refs))

    def batch(self, sources: Collection[str] | None = None) -> Batch:
        """What metrics score, with the references of all sources or of some."""
        references = {
            video: [text for source, text in named.items() if sources is None or source in sources]
            for video, named in self.references.items()
        }
        there = {video: texts for video, texts in references.items() if texts}
        corpus = self.corpus or as_texts(self.references)
        return Batch(self.texts, self.videos, there, corpus, self.files)

    @property
    def keys(self) -> list[tuple[str, str]]:
        return list(zip(self.videos, self.systems, strict=True))

    def among_references(self) -> list[bool]:
        """Of each caption, whether a reference of its video says the same, word for word."""
        told = {
            video: {_plain(text) for text in named.values()}
            for video, named in self.references.items()
        }
        return [
            _plain(text) in told.get(video, ())
            for video, text in zip(self.videos, self.texts, strict=True)
        ]

    def with_texts(self, texts: Sequence[str]) -> CaptionSet:
        return replace(self, texts=texts)

    def text_series(self) -> pd.Series[str]:
        """The captions under an index of video and system."""
        import pandas as pd  # not on top: web processes import this module, and never call this

        index = pd.MultiIndex.from_arrays(
            [list(self.videos), list(self.systems)], names=["video", "system"]
        )
        return pd.Series(list(self.texts), index=index, dtype=object)

    def take(self, rows: Sequence[int]) -> CaptionSet:
        return replace(
            self,
            videos=[self.videos[row] for row in rows],
            systems=[self.systems[row] for row in rows],
            texts=[self.texts[row] for row in rows],
        )


def read_captions(captions: Sequence[Path], references: Path | None) -> CaptionSet:
    """Captions and their references, as `manage.py score` reads them.

    Raises
    ------
    TableError
        With every fault of every file.
    """
    faults = Faults()
    found = files.read_captions(captions, faults)
    told = files.read_references(references, faults) if references else {}
    faults.refuse()
    if found.are_parts:
        raise ValueError(
            "These captions come in parts (start, end, part): score them with `score` and pass "
            "the file it writes to --metrics."
        )
    return without_references_as_systems(
        CaptionSet(found.videos, found.systems, found.texts, told, faults.notes)
    )


def judged_captions(path: Path) -> CaptionSet:
    """The captions that people judged, with the references of their images."""
    faults = Faults()
    found = files.read_captions([path], faults)
    told = files.read_references(path, faults)
    faults.refuse()
    return CaptionSet(found.videos, found.systems, found.texts, told, faults.notes)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def without_references_as_systems(captions: CaptionSet) -> CaptionSet:
    """Leave out systems that are a set of references: they would be compared with themselves."""
    own: dict[str, list[bool]] = {}
    for video, system, text in zip(captions.videos, captions.systems, captions.texts, strict=True):
        own.setdefault(system, []).append(text in captions.references.get(video, {}).values())
    copies = sorted(system for system, same in own.items() if sum(same) > 0.9 * len(same))
    if not copies:
        return captions
    kept = [row for row, system in enumerate(captions.systems) if system not in copies]
    note = (
        f"{', '.join(copies)}: these captions are among the references and would be compared with "
        "themselves, so no metric is computed for them"
    )
    return replace(captions.take(kept), notes=(*captions.notes, note))
