"""What METEOR counts in the alignment of a caption with a reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from analysis.metrics.families.meteor.formula import STAGES
from analysis.metrics.families.meteor.texts import Relations, Text

BEAM: Final = 40
# Alignments are compared by matched words, then chunks, then distance: all in one number.
_MATCHED: Final = 1 << 60
_CHUNK: Final = 1 << 30
_NONE: Final = -1  # where the last match ended, when the word before is not matched

# The cost so far, the words that are used, where the last match ended in the caption, and the
# matches chosen: the last of them with those before it.
Path = tuple[int, int, int, Any]
_COST: Final = itemgetter(0)
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
Place = tuple[int, int, int, int, int]


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


def align(found: Sequence[Sequence[Match]], width: int) -> list[Match]:
    """One alignment in which no word is used twice.

    Parameters
    ----------
    found : for each word of the reference the matches that begin there, in the order to try them
    width : the number of words in the caption
    """
    once = twice = 0
    for options in found:
        for match in options:
            twice |= once & match.bits
            once |= match.bits
    certain = [match for options in found for match in options if not match.bits & twice]
    return _search(found, certain, width) if twice else certain


def _search(found: Sequence[Sequence[Match]], certain: Sequence[Match], width: int) -> list[Match]:
    """The best of the alignments that hold what is certain."""
    fixed = {match.begin: match for match in certain}
    paths: list[Path] = [(0, sum(match.bits for match in certain), _NONE, None)]
    for begin, options in enumerate(found):
        paths = _best(paths)
        bit = 1 << width + begin
        if begin in fixed:
            paths = [_follow(path, fixed[begin]) for path in paths]
        elif options:
            paths = _branch(paths, options, bit)
        else:
            paths = [path if path[1] & bit else _pass(path) for path in paths]
    return _unwind(min(map(_pass, _best(paths)), key=_COST)[3])


def _best(paths: list[Path]) -> list[Path]:
    """Of equals the first stay first: the program sorts like this, and its choice depends on it."""
    return sorted(paths, key=_COST)[:BEAM] if len(paths) > 1 else paths


def _follow(path: Path, match: Match) -> Path:
    cost, used, last, chosen = path
    cost += _price(match) + _distance(match) + (_CHUNK if last not in (_NONE, match.place) else 0)
    return cost, used, match.place_end, (match, chosen)


def _branch(paths: list[Path], options: Sequence[Match], bit: int) -> list[Path]:
    """Every alignment with each match that is still possible, and without any."""
    tries = [(m.bits, m.place, m.place_end, _price(m), _distance(m), m) for m in options]
    onward: list[Path] = []
    for path in paths:
        cost, used, last, chosen = path
        if used & bit:  # inside a paraphrase that began before
            onward.append(path)
            continue
        for bits, place, place_end, price, distance, match in tries:
            if not used & bits:
                apart = _CHUNK if last != _NONE and last != place else 0
                onward.append((cost + price + apart, used | bits, place_end, (match, chosen)))
                # A slip of the program: the distance counts for those that follow, not for it.
                cost += distance
        onward.append(_pass((cost, used, last, chosen)))
    return onward


def _pass(path: Path) -> Path:
    """Without a match at this word: what was matched before it is a chunk of its own."""
    cost, used, last, chosen = path
    return path if last == _NONE else (cost + _CHUNK, used, _NONE, chosen)


def _price(match: Match) -> int:
    """Equal words count in full, others half and rounded down: a single one not at all."""
    if match.stage == EXACT:
        return -2 * _MATCHED
    return -_MATCHED * ((match.end - match.begin) // 2 + (match.place_end - match.place) // 2)


def _distance(match: Match) -> int:
    return abs(match.begin - match.place)


def _unwind(chosen: Any) -> list[Match]:
    matches = []
    while chosen:
        match, chosen = chosen
        matches.append(match)
    return matches[::-1]


class Match(NamedTuple):
    """Words of the reference from ``begin`` to ``end`` and of the caption from ``place``.

    ``bits`` has a one for each word of the caption and, above those, of the reference.
    """

    begin: int
    end: int
    place: int
    place_end: int
    stage: int
    bits: int


def find_matches(caption: Text, reference: Text, relations: Relations) -> list[list[Match]]:
    """For each word of the reference the matches that begin there, in METEOR's order."""
    width = len(caption.words)
    found: list[list[Match]] = [[] for _ in reference.words]
    for begin, end, place, place_end, stage in _places(caption, reference, relations):
        bits = (1 << place_end) - (1 << place) | (1 << end) - (1 << begin) << width
        found[begin].append(Match(begin, end, place, place_end, stage, bits))
    return found


def _places(caption: Text, reference: Text, relations: Relations) -> Iterator[Place]:
    """Stage by stage; a reference that the caption repeats has equal words only."""
    for begin, word in enumerate(reference.words):
        for place in caption.places.get(word, ()):
            yield begin, begin + 1, place, place + 1, EXACT
    if caption.words != reference.words:
        yield from _words(caption, reference, relations.stems, STEM)
        yield from _words(caption, reference, relations.synonyms, SYNONYM)
        yield from _phrases(caption, reference, relations)


def _words(
    caption: Text, reference: Text, related: Mapping[str, set[str]], stage: int
) -> Iterator[Place]:
    for begin, word in enumerate(reference.words):
        near = related.get(word)
        if near and not near.isdisjoint(caption.places):
            for place in sorted(p for other in near for p in caption.places.get(other, ())):
                yield begin, begin + 1, place, place + 1, stage


def _phrases(caption: Text, reference: Text, relations: Relations) -> Iterator[Place]:
    """Paraphrases go one way in METEOR's table, and are looked for both ways."""
    for begin, end, phrase in reference.phrases:
        for place, place_end in _paraphrases(phrase, caption, relations):
            yield begin, end, place, place_end, PARAPHRASE
    for place, place_end, phrase in caption.phrases:
        for begin, end in _paraphrases(phrase, reference, relations):
            yield begin, end, place, place_end, PARAPHRASE


def _paraphrases(phrase: int, text: Text, relations: Relations) -> list[tuple[int, int]]:
    """Where the text has paraphrases of the phrase, in the order of METEOR's table."""
    near = relations.paraphrases[phrase]
    if near.keys().isdisjoint(text.spans):
        return []
    ranked = sorted(near.keys() & text.spans.keys(), key=near.__getitem__)
    return [span for paraphrase in ranked for span in text.spans[paraphrase]]
