"""What can be replaced in a control caption, and by what.

Words are what stands between spaces. A run of them is taken from inside a caption only if it has
neither the first nor the last word of a sentence in it, no quotation mark and no bracket, so that
it reads as part of whatever sentence it is put into.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer[Any]]

_SENTENCE_END = re.compile(r"[.!?…。！？]\W*$")
_QUOTE_OR_BRACKET = re.compile(r'["“”„«»()\[\]{}]')


@dataclass(frozen=True)
class Material:
    """The words of all captions, one after the other.

    Attributes
    ----------
    words
        As written.
    said
        A number for what each word says, whatever its case and punctuation.
    reach
        How many words from this one on can be put into another caption.
    begin, end
        For each caption its first word, and the first after it.
    first, length
        For each caption where the first run that may be replaced begins, and how long runs are.
    """

    words: list[str]
    said: IntArray
    reach: IntArray
    begin: IntArray
    end: IntArray
    first: IntArray
    length: IntArray

    def starts(self, caption: IntArray, length: IntArray) -> IntArray:
        """Count the runs that may be replaced: one in captions of one or two words."""
        inside = self.end[caption] - self.begin[caption] - 2
        return np.asarray(np.maximum(inside - length + 1, 1))


def words_to_replace(count: IntArray) -> IntArray:
    """Table 2, but no more words than there are between the first and the last.

    >>> words_to_replace(np.array([1, 2, 3, 4, 8, 9, 20, 21, 40])).tolist()
    [1, 1, 1, 2, 3, 4, 5, 5, 10]
    """
    table = np.searchsorted([1, 5, 8, 15], count) + 1
    return np.minimum(np.where(count > 20, count // 4, table), np.maximum(count - 2, 1))


def read_material(captions: Sequence[str]) -> Material:
    """Split captions into words and look at each different word once."""
    split = [caption.split() for caption in captions]
    count = np.array([len(words) for words in split])
    if not count.all():
        raise ValueError(f"captions must not be empty, number {np.argmin(count)} is")
    words = list(chain.from_iterable(split))
    end = np.cumsum(count)
    begin = end - count
    different = list(dict.fromkeys(words))
    word = _numbers(words, different)
    sayings = [core(spelling).casefold() for spelling in different]
    said = _numbers(sayings, sayings)[word]
    # The last of two words is replaced, but not if it is a full stop that stands alone.
    alone = (count == 2) & ~np.array([bool(saying) for saying in sayings])[word][end - 1]
    return Material(
        words=words,
        said=said,
        reach=_reach(different, word, begin, end),
        begin=begin,
        end=end,
        first=np.where((count == 1) | alone, begin, begin + 1),
        length=words_to_replace(count),
    )


def _numbers(values: Sequence[str], different: Sequence[str]) -> IntArray:
    number = {value: number for number, value in enumerate(different)}
    return np.fromiter((number[value] for value in values), dtype=np.int64, count=len(values))


def _reach(different: Sequence[str], word: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Count the words from each on that are inside a sentence and can be taken out of it."""
    ends_sentence = np.array([bool(_SENTENCE_END.search(word)) for word in different])[word]
    unfit = np.array([bool(_QUOTE_OR_BRACKET.search(w)) or not core(w) for w in different])[word]
    unfit |= ends_sentence
    unfit[1:] |= ends_sentence[:-1]
    unfit[begin] = unfit[end - 1] = True
    place = np.arange(len(word))
    next_unfit = np.minimum.accumulate(np.where(unfit, place, len(word))[::-1])[::-1]
    return np.asarray(next_unfit - place)


def core(word: str) -> str:
    """Return a word without the punctuation around it; nothing for a lone full stop.

    >>> core("“Don't!”"), core(".")
    ("Don't", '')
    """
    marks = "".join(sign for sign in word if unicodedata.category(sign)[0] in "PS")
    return word.strip(marks)


def longest_elsewhere(material: Material) -> IntArray:
    """Return the length of the longest run that there is outside each caption."""
    longest = np.maximum.reduceat(material.reach, material.begin)
    best = np.argmax(longest)
    elsewhere = np.full_like(longest, longest[best])
    elsewhere[best] = np.delete(longest, best).max(initial=0)
    return elsewhere


def splice(words: list[str], begin: int, end: int, start: int, donor: int, length: int) -> str:
    """Write the caption from ``begin`` to ``end`` with the run at ``donor`` in place of that at
    ``start``."""
    instead = words[donor : donor + length]
    if end - begin <= 2:
        instead = [_dress(core(instead[0]), words[start], opening=start == begin)]
    return " ".join(words[begin:start] + instead + words[start + length : end])


def _dress(word: str, replaced: str, *, opening: bool) -> str:
    """Give a word the punctuation of the one it replaces, and in the opening its case."""
    old = core(replaced)
    before, _, after = replaced.partition(old) if old else ("", "", replaced)
    if opening and old[:1].isupper():
        word = word[0].upper() + word[1:]
    elif opening and old[:1].islower():
        word = word[0].lower() + word[1:]
    return before + word + after
