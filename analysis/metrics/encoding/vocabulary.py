"""The vocabulary of CLIP's tokenizer: its merges of letters into words, read without torch."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

Merge = tuple[str, str]
_MERGES_READ = 49152 - 256 - 2  # as many as CLIP's tokenizer reads
_END = "</w>"
START, STOP = "<start_of_text>", "<end_of_text>"


def clip_merges() -> Path | None:
    """The merges that come with open_clip, if that is installed; open_clip is not imported."""
    spec = importlib.util.find_spec("open_clip")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "bpe_simple_vocab_16e6.txt.gz"
        if path.is_file():
            return path
    return None


def read_merges(path: Path) -> list[Merge]:
    lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")[1 : _MERGES_READ + 1]
    return [(first, second) for first, _, second in (line.partition(" ") for line in lines)]


def write_merges(path: Path, merges: Iterable[Merge]) -> None:
    text = "\n".join(["#version: demo", *(f"{first} {second}" for first, second in merges)])
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


@cache
def token_texts(path: Path) -> tuple[str, ...]:
    """What each token number stands for, in the order of the tokenizer."""
    letters = _letters()
    merged = [first + second for first, second in read_merges(path)]
    return (*letters, *(letter + _END for letter in letters), *merged, START, STOP)


def spelled(tokens: Iterable[str]) -> str:
    """The text that tokens were cut from, as far as they tell: a blank after every word.

    >>> spelled([START, "caf", "Ã©</w>", "bar</w>", STOP])
    'café bar '
    """
    letters = "".join(token for token in tokens if token not in (START, STOP))
    words = letters.split(_END)
    return " ".join(_decoded(word) for word in words)


def readable(token: str) -> str:
    """One token for a person; a piece with which a word does not end says so.

    >>> readable("dog</w>"), readable("skate"), readable(STOP)
    ('dog', 'skate…', '[end]')
    """
    if token in (START, STOP):
        return "[start]" if token == START else "[end]"
    text = _decoded(token.removesuffix(_END))
    return text if token.endswith(_END) else f"{text}…"


def _decoded(letters: str) -> str:
    """Letters stand for bytes, and a character may be several of them."""
    byte_of = _bytes_by_letter()
    return bytes(byte_of[letter] for letter in letters).decode("utf-8", "replace")


@cache
def _bytes_by_letter() -> dict[str, int]:
    plain = _plain_bytes()
    others = [byte for byte in range(256) if byte not in plain]
    return dict(zip(_letters(), [*plain, *others], strict=True))


def needed_merges(words: Iterable[str], merges: Sequence[Merge]) -> list[Merge]:
    """Those merges that spell the given words: with them alone each is one token, as with all."""
    rank = {merge: place for place, merge in enumerate(merges)}
    used: set[Merge] = set()
    for word in words:
        pieces = [*word[:-1], word[-1] + _END]
        while pairs := [pair for pair in pairwise(pieces) if pair in rank]:
            best = min(pairs, key=rank.__getitem__)
            used.add(best)
            pieces = _join(pieces, best)
    return sorted(used, key=rank.__getitem__)


def _join(pieces: Sequence[str], pair: Merge) -> list[str]:
    joined: list[str] = []
    place = 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            joined.append("".join(pair))
            place += 2
        else:
            joined.append(pieces[place])
            place += 1
    return joined


def _letters() -> list[str]:
    """The signs that stand for the 256 bytes: printable ones for themselves, others moved up."""
    plain = _plain_bytes()
    return [chr(byte) for byte in plain] + [chr(256 + place) for place in range(256 - len(plain))]


def _plain_bytes() -> list[int]:
    return [
        *range(ord("!"), ord("~") + 1),
        *range(ord("¡"), ord("¬") + 1),
        *range(ord("®"), ord("ÿ") + 1),
    ]
