"""The words of a batch, counted once for all metrics that match n-grams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from analysis.metrics.batch import Batch
from analysis.metrics.ngrams import Counts, Integers, count_ngrams

ORDERS = 4
PUNCTUATION: Final = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."]
)

_L = r"(?:[^\W\d_²³¹¼½¾]|[\u0300-\u036f\u00ad])"  # a letter of any script
_LD = rf"(?:{_L}|\d)"
_A = "['’]"
_WORD = rf"{_L}{_LD}*(?:[.!?]{_L}{_LD}*)*"
_CLITIC = rf"(?:'(?i:[sdm]|ll|re|ve)(?!{_L})|’(?i:[sdm]|ll|re|ve))"
_NUMBER = r"(?:\d*(?:[.:,]\d+)+|\d+)"
_ATTRIBUTE = r"""\s+[\w:-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>]+))?"""
_ADDRESS = r'[^\s"<>|()]'
_ADDRESS_END = r'[^\s"<>|.!?(){},-]'


def tokenize_all(texts: Sequence[str], how: str) -> list[str]:
    """Each text as words separated by blanks; every different text is tokenised once."""
    if how == "none":
        return [" ".join(text.split()) for text in texts]
    tokens = {text: ptb_tokenize(text) for text in dict.fromkeys(texts)}
    return [tokens[text] for text in texts]


@dataclass(frozen=True)
class Sentences:
    """Tokenised sentences and the document (video) each belongs to, documents numbered from 0."""

    texts: list[str]
    document: Integers
    documents: int

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]], how: str) -> Sentences:
        texts = [text for references in documents.values() for text in references]
        sizes = [len(references) for references in documents.values()]
        return cls(
            tokenize_all(texts, how), np.repeat(np.arange(len(sizes)), sizes), len(documents)
        )


@dataclass(frozen=True)
class Words:
    """Captions, references and corpus of a batch, tokenised."""

    batch: Batch
    how: str

    @cached_property
    def captions(self) -> list[str]:
        return tokenize_all(self.batch.captions, self.how)

    @cached_property
    def references(self) -> Sentences:
        return Sentences.of(self.batch.references, self.how)

    @cached_property
    def corpus(self) -> Sentences:
        if self.batch.corpus is self.batch.references:
            return self.references
        return Sentences.of(self.batch.corpus, self.how)

    @cached_property
    def references_by_video(self) -> dict[str, list[str]]:
        remaining = iter(self.references.texts)
        return {
            video: [next(remaining) for _ in references]
            for video, references in self.batch.references.items()
        }

    @cached_property
    def document(self) -> Integers:
        """The document among the references that belongs to each caption's video."""
        number = {video: index for index, video in enumerate(self.batch.references)}
        return np.array([number[video] for video in self.batch.videos], dtype=np.int64)

    @cached_property
    def counts(self) -> list[Ngrams]:
        """The n-grams of order 1…4, numbered in common."""
        parts = [self.captions, self.references.texts]
        if self.corpus is not self.references:
            parts.append(self.corpus.texts)
        ends = np.cumsum([0, *map(len, parts)]).tolist()
        every = count_ngrams([text.split() for part in parts for text in part], ORDERS)
        return [Ngrams(*map(counts.part, ends[:-1], ends[1:])) for counts in every]


class Ngrams(NamedTuple):
    """The n-grams of one order in each part of a batch."""

    captions: Counts
    references: Counts
    own_corpus: Counts | None = None

    @property
    def corpus(self) -> Counts:
        return self.references if self.own_corpus is None else self.own_corpus


def lengths(texts: Sequence[str]) -> Integers:
    return np.array([len(text.split()) for text in texts], dtype=np.int64)


def _any_of(words: str) -> str:
    return f"(?i:{'|'.join(words.split())})"


_ABBREVIATION = _any_of("""
    adj adm adv al ala alex apr ariz assn assoc asst attys? aug ave bancorp bhd bldg blvd brig bros
    calif capt cf cie cmdr co col colo conn corp cos cpl ct dak dec dept det drs? elec ens esq est
    etc ext feb fla fri ft ga gen govs? hon inc ind insp intl invt jan jos jr jul jun kans? ky
    lieut lt ltd maj mar md messrs mfg mich minn mlle mme mo mon mont mrs? ms msgr mt mtg natl neb
    nev nov oct okla penn pfc ph plc ppte ppty pres profs? ptes? ptys? pvt rd reps? rev rt sens?
    sept? seq sfc sgt spc sq sr st ste supts? sys tel tenn thu thurs treas tues? univ va vs vt wed
    wisc? wm wyo""")
_NUMBERED = _any_of("art ca figs? nos? op pp prop")
_STARTER = "(?=[A-Z])" + _any_of("""
    a about according additionally after an as at but earlier he her here however if in it last many
    more now once one other our she since so some such that the their then there these they this we
    what when while yet you mr\\. ms\\.""")
_APOSTROPHE_WORD = _any_of(
    f"c{_A}mon e{_A}er s{_A}mores ev{_A}ry li{_A}l nat{_A}l cap{_A}n somethin{_A}"
)

# The longest match wins, the earlier rule on a tie, as in the generated lexer this follows.  What
# a rule holds after its group is trailing context: it counts for the length and is read again.
_RULES: Final = tuple(
    re.compile(rule)
    for rule in (
        rf"({_L}*(?![nN]){_L})[nN]{_A}[tT]",  # do|n't
        rf"([nN]{_A}[tT]{_L}*)",
        rf"({_L}{_LD}*){_CLITIC}",  # dog|'s
        rf"({_CLITIC})",
        rf"(?i:(can)not|(gim)me|(gon)na|(got)ta|(lem)me|(wan)na)(?!{_LD})",
        rf"({_A}[tT])(?i:is|was)(?!{_LD})",
        rf"({_WORD})",
        rf"([-+]?{_NUMBER})",
        rf"(\d+{_LD}*)",
        # Words that keep their apostrophe: 'n', 'em, 'til, '90s, y'all, O'Brien, ma'am, c'mon.
        rf"({_A}n(?:{_A}|(?!{_L}))|{_A}[eE]m|{_A}till?(?!{_L})|{_A}cause|ol{_A})",
        rf"({_A}[2-9]0s|{_A}\d\d(?=\s|$))",
        rf"([lLdDjJyY]{_A}(?={_L}))",
        rf"((?:[dDoOlL]|[A-HJ-XZn]){_A}{_L}{_L}{_LD}*)",
        rf"({_L}+[aeiouyAEIOUY]{_A}[aeiouA-Z]{_L}*)",
        rf"({_APOSTROPHE_WORD})",
        # Full stops that belong to the word.
        rf"({_ABBREVIATION}\.)",
        rf"([A-Za-z](?:\.[A-Za-z])*\.)(?!{_L})",
        rf"([A-Za-z])\.\s+{_STARTER}(?=\s|$)",
        rf"({_NUMBERED}\.)(?=\s+\d)",
        rf"(\d+\.|{_WORD}\.)[,;:]",
        # Compounds: x-ray, U.S.-made, and/or, snake_case, AT&T, C++, 1/2, 12/25/2016.
        rf"({_LD}(?:{_LD}|[.,])*(?:-(?:{_LD}+|{_L}(?:\.{_L})+\.))+)",
        r"([A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2})",
        rf"({_LD}+(?:[_-]{_LD}+)+)",
        r"([A-Z]+(?:[+&][A-Z]+)+|[A-Za-z]\+\+|[CcFf]#)",
        r"(\d+(?:/\d+)+|\d+[ -]\d+/\d+)",
        # Tags, hashtags, handles, addresses, smileys.
        rf"(</?[A-Za-z]\w*(?:{_ATTRIBUTE})*\s*/?>|<[!?][^<>]*>)",
        rf"(#{_L}+|@[A-Za-z_]\w*)",
        rf"((?:https?://|www\.){_ADDRESS}+{_ADDRESS_END})",
        r'([A-Za-z0-9][^\s"<>|(){}]*@[^\s"<>|().{}]+(?:\.[^\s"<>|().{}]+)*)',
        r"([<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]])(?![A-Za-z0-9])",
        r"(\.{3,}|\.(?: \.){2,}|[?!]+|-{5}|-{1,4}|\*+|_+|#+|<<|>>|``|''|&(?:amp|lt|gt);|[A-Z]+\$)",
        r"(\S)",
    )
)
_SPELLED: Final = {
    "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    "&amp;": "&", "&lt;": "<", "&gt;": ">",
    "£": "#", "€": "$", "¤": "$", "¢": "cents", "½": "1/2", "¼": "1/4", "¾": "3/4",
}  # fmt: skip
# Quotes, dashes and dots the tool writes as tokens of PUNCTUATION, and what it cannot read.
_NOTHING: Final = re.compile(
    '[.\u00a0]+|-{1,4}|["“”„‘’‚‹›«»…]|[\u2012-\u2015]|[\u0080-\u009f\u00ad\u200b-\u200f\ufe0f]'
    "|[\U00010000-\U0010ffff]"
)
# What can only be tokenised with the words around it: a tag, a fraction, "no. 5", "a. The", ". . ."
_CROSSING: Final = re.compile(r"<|\d\s+\d|\.\s+[\dA-Z.]")
_PLAIN: Final = re.compile(
    rf"(?!(?i:cannot|gimme|gonna|gotta|lemme|wanna)[.,]?$|{_ABBREVIATION}\.$)"
    r"(?:[A-Za-z]+,?|[A-Za-z]{2,}\.)"
)


def ptb_tokenize(text: str) -> str:
    """The tokens of one caption, separated by single blanks.

    >>> ptb_tokenize("A man doesn't ride his dog's T-shirt.")
    "a man does n't ride his dog 's t-shirt"
    """
    text = text.replace("\n", " ")
    if _CROSSING.search(text):
        return " ".join(_tokens(text))
    return " ".join(token for chunk in text.split() for token in _chunk_tokens(chunk))


@lru_cache(maxsize=1 << 17)
def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    if _PLAIN.fullmatch(chunk):  # most chunks; a short cut, the rules say the same
        return (chunk.rstrip(".,").lower(),)
    return tuple(_tokens(chunk))


def _tokens(text: str) -> Iterator[str]:
    for lexeme in _lexemes(text):
        token = _spell(lexeme)
        if token not in PUNCTUATION and not _NOTHING.fullmatch(token):
            yield token


def _lexemes(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        matches = (rule.match(text, position) for rule in _RULES)
        longest = max((match for match in matches if match), key=re.Match.end)
        end = longest.end(longest.lastindex or 0)
        yield text[position:end]
        position = end


def _spell(lexeme: str) -> str:
    token = _SPELLED.get(lexeme, lexeme).lower().replace(" ", "\u00a0").replace("\u00ad", "")
    if re.fullmatch("n?’[a-z]{1,2}", token):
        return token.replace("’", "'")
    if re.fullmatch(r"[^\w]{1,4}", token):  # a bracket, alone or as the mouth of a smiley
        return token.replace("(", "-lrb-").replace(")", "-rrb-")
    return token
