"""What is doubtful about captions that people wrote (direct-assessment-2018, §3). Pure.

Nothing is dropped here: whoever organises the campaign reads what is listed, and decides.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hits.degradation.material import core

FEWEST_WORDS: Final = 3
"""Words that say something. "A man is talking" has two."""
# Words that join others, by language: they tell languages apart, and say nothing of a video.
_JOINING: Final = {
    "en": "a an the is are was and or of in on at to with his her its their it he she they by for "
    "from into while who that this there as up down over some one two three across along behind "
    "through near next front back",
    "de": "der die das ein eine einer einem einen und oder ist sind im in am an auf mit zu von vor "
    "bei für über unter während sich er sie es den dem des",
    "fr": "le la les un une des et ou est sont dans sur au aux avec de du en par pour qui que son "
    "sa ses il elle ils elles pendant se",
    "es": "el la los las un una unos unas y o es son está están en con de del al por para que su "
    "sus se mientras lo",
    "pt": "o a os as um uma uns umas e ou é são está estão em no na nos nas com de do da dos das "
    "ao por para que seu sua se enquanto",
    "hi": "है हैं और में पर से को का की के एक यह वह रहा रही रहे",
}
_SETS: Final = {language: frozenset(words.split()) for language, words in _JOINING.items()}
# Words that only one of the languages has.
_TELLING: Final = {
    language: words - frozenset().union(*(_SETS[other] for other in _SETS if other != language))
    for language, words in _SETS.items()
}
_EVERY: Final = frozenset(word for words in _SETS.values() for word in words)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Written:
    """One caption, by the video it is of and by who wrote it."""

    rating: int
    video: str
    annotator: str
    text: str


def doubts(captions: Sequence[Written], *, language: str = "") -> dict[int, list[str]]:
    """Why captions should be looked at, by their rating; those without a doubt are not named.

    Parameters
    ----------
    language
        In which captions should be; by default that of most of them.

    >>> found = [Written(1, "v1", "ann", "A man is talking."),
    ...          Written(2, "v2", "ben", "Two boys kick a ball across a wet field.")]
    >>> doubts(found)
    {1: ['2 words to say what happens']}
    """
    spoken = {caption.rating: likely_language(caption.text) for caption in captions}
    known = Counter(found for found in spoken.values() if found)
    wanted = language.partition("-")[0] or (known.most_common(1)[0][0] if known else "")
    alike: defaultdict[str, list[Written]] = defaultdict(list)
    for caption in captions:
        alike[_folded(caption.text)].append(caption)
    found = {
        caption.rating: [
            *_short(caption.text),
            *_repeated(caption, alike[_folded(caption.text)]),
            *_foreign(spoken[caption.rating], wanted),
        ]
        for caption in captions
    }
    return {rating: reasons for rating, reasons in found.items() if reasons}


def likely_language(text: str) -> str:
    """By its script or by the words that join others; empty where they do not tell.

    >>> likely_language("Ein Hund läuft über die Wiese."), likely_language("Ok")
    ('de', '')
    """
    if _HAN.search(text):
        return "zh"
    words = Counter(_words(text))
    hits = Counter({name: sum(words[word] for word in known) for name, known in _TELLING.items()})
    (first, most), (_, second) = hits.most_common(2)
    return first if most > second else ""


def _short(text: str) -> list[str]:
    characters = len(_HAN.findall(text))  # words of two characters each, on average
    telling = characters // 2 + sum(word not in _EVERY for word in _words(_HAN.sub(" ", text)))
    if telling >= FEWEST_WORDS:
        return []
    return [f"{telling or 'no'} word{'' if telling == 1 else 's'} to say what happens"]


def _repeated(caption: Written, alike: Sequence[Written]) -> list[str]:
    """Words of somebody else's for the same video, or one's own for several."""
    videos = {other.video for other in alike} - {caption.video}
    same = [other for other in alike if other.video == caption.video]
    reasons = []
    if {other.annotator for other in same} - {caption.annotator}:
        reasons.append("the same words as somebody else’s for this video")
    if videos:
        count = len(videos)
        reasons.append(f"written of {count} other video{'' if count == 1 else 's'} as well")
    return reasons


def _foreign(spoken: str, wanted: str) -> list[str]:
    return [f"looks like {spoken}, not {wanted}"] if spoken and wanted and spoken != wanted else []


def _words(text: str) -> list[str]:
    """Without the punctuation around them; numbers are none."""
    words = (core(word).casefold() for word in text.split())
    return [word for word in words if word and not word.isdecimal()]


def _folded(text: str) -> str:
    """Without case and punctuation, as far as there is anything else."""
    return " ".join(_words(text)) or text.strip()
