"""What METEOR counts in the alignment of a caption with a reference."""

from __future__ import annotations

from analysis.metrics.families.meteor.formula import STAGES
from analysis.metrics.families.meteor.matches import Match, find_matches
from analysis.metrics.families.meteor.search import align
from analysis.metrics.families.meteor.texts import Relations, Text


def count(caption: Text, reference: Text, relations: Relations) -> list[int]:
    """The numbers of the formula, in the order of the program's own answers.

    Words and function words of both; for each stage the content words matched in both and the
    function words matched in both; chunks; words matched in both.
    """
    width = len(caption.words)
    matches = align(find_matches(caption, reference, relations), width)
    stages = [0] * len(STAGES)
    for match in matches:
        stages[match.stage] |= match.bits
    function = caption.function | reference.function << width
    row = [width, len(reference.words)]
    row += [caption.function.bit_count(), reference.function.bit_count()]
    for bits in stages:
        row += [*_both(bits & ~function, width), *_both(bits & function, width)]
    return [*row, _chunks(matches), *_both(sum(stages), width)]


def _both(bits: int, width: int) -> tuple[int, int]:
    """How many words of the caption and of the reference."""
    return (bits & (1 << width) - 1).bit_count(), (bits >> width).bit_count()


def _chunks(matches: list[Match]) -> int:
    """Runs of matches that follow each other in both texts."""
    chunks, end, place_end = 0, -1, -1
    for match in matches:
        chunks += match.begin != end or match.place != place_end
        end, place_end = match.end, match.place_end
    return chunks
