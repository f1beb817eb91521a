"""Folders of the TRECVID video-to-text task, as the BERTHA authors published them.

`ad-seg-scores-*.csv` holds the human scores (SYS, SID, RAW.SCR, Z.SCR, N), `systems/` the captions
of each system and `references/` the human ones, a line for each video, named `…en-en.SYSTEM`.
Lines are counted from 0 here, because SID 0 occurs; what SID counts from is for the alignment check
to find out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis.evaluation.captions import CaptionSet, without_references_as_systems
from analysis.evaluation.reading import read_scores
from analysis.evaluation.scores import ScoreTable

_SCORES = "ad-seg-scores-*.csv"

Lines = Mapping[str, Sequence[str]]


def is_trecvid(path: Path) -> bool:
    return path.is_dir() and any(path.glob(_SCORES)) and (path / "systems").is_dir()


def read_human(folder: Path) -> ScoreTable:
    """Raw and z scores by SID and system."""
    found = sorted(folder.glob(_SCORES))
    if len(found) != 1:
        raise ValueError(
            f"{folder.name}: There are {len(found)} files {_SCORES}. Leave the one to read."
        )
    return read_scores(found[0])


def rating_counts(folder: Path) -> dict[tuple[str, str], float]:
    """How many ratings each score is the mean of, by SID and system."""
    [path] = sorted(folder.glob(_SCORES))
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(row["SID"], row["SYS"]): float(row["N"]) for row in rows if row.get("N")}


def read_captions(folder: Path, whole: Path | None = None) -> CaptionSet:
    """Captions and references of a folder, videos named by line from 0.

    Parameters
    ----------
    whole
        A folder with the same systems in which no line is missing, where some are missing here and
        none among the references: lines are then matched by the systems' texts.

    Raises
    ------
    ValueError
        When files differ in their numbers of lines: these do not say what belongs together.
    """
    systems = _texts(folder / "systems")
    references = _texts(folder / "references")
    videos, referenced = _height(systems, folder), _height(references, folder)
    notes: tuple[str, ...] = ()
    if whole is not None and videos < referenced:
        kept = matching_lines(systems, _texts(whole / "systems"))
        references = {name: [lines[at] for at in kept] for name, lines in references.items()}
        notes = (
            f"{referenced - videos} lines of the references have no caption here and are left out; "
            "which ones, the texts of the systems tell",
        )
    elif videos != referenced:
        raise ValueError(
            f"{folder.name}: The systems have {videos:,} lines and the references {referenced:,}, "
            "so line numbers do not say which belong together. Name a folder of the same year "
            "whose systems are complete (--whole)."
        )
    return without_references_as_systems(_caption_set(systems, references, videos, notes))


def _caption_set(
    systems: Lines, references: Lines, videos: int, notes: tuple[str, ...]
) -> CaptionSet:
    names = [str(line) for line in range(videos)]
    return CaptionSet(
        videos=names * len(systems),
        systems=[name for name in systems for _ in names],
        texts=[text for lines in systems.values() for text in lines],
        references={
            video: {name: lines[at] for name, lines in references.items()}
            for at, video in enumerate(names)
        },
        notes=notes,
    )


def matching_lines(some: Lines, whole: Lines) -> list[int]:
    """For each line of files from which lines were taken, its number in the whole ones.

    >>> matching_lines({"A": ["x", "z"]}, {"A": ["x", "y", "z"]})
    [0, 2]
    """
    names = sorted(set(some) & set(whole))
    wanted = list(zip(*(some[name] for name in names), strict=True))
    found: list[int] = []
    for at, texts in enumerate(zip(*(whole[name] for name in names), strict=True)):
        if len(found) < len(wanted) and texts == wanted[len(found)]:
            found.append(at)
    if not wanted or len(found) < len(wanted):
        raise ValueError(
            "The folder of --whole does not hold the lines of these systems in their order. Name "
            "the one of the same year."
        )
    return found


def _texts(folder: Path) -> dict[str, list[str]]:
    if not folder.is_dir():
        raise ValueError(
            f"{folder.parent.name}: There is no folder {folder.name}. Copy it beside the scores."
        )
    return {_name(path): _lines(path) for path in sorted(folder.iterdir()) if path.is_file()}


def _name(path: Path) -> str:
    """
    >>> _name(Path("trecvid16-vtt.en-en.INF-coco")), _name(Path("trecvid16-vtt-enen-ref.en"))
    ('INF-coco', 'trecvid16-vtt-enen-ref.en')
    """
    return path.name.rpartition(".en-en.")[2]


def _lines(path: Path) -> list[str]:
    """Lines as an editor counts them: captions hold characters at which Python would cut, too."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _height(files: Lines, folder: Path) -> int:
    heights = {len(lines) for lines in files.values()}
    if len(heights) != 1:
        raise ValueError(
            f"{folder.name}: Files have different numbers of lines: {sorted(heights)}. Every file "
            "needs a line for each video."
        )
    return heights.pop()
