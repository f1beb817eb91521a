"""Tokenise captions as the caption community does: Penn Treebank words, lower case, no punctuation.

The reference is Stanford's PTBTokenizer 3.4.1 (``-preserveLines -lowerCase``) as pycocoevalcap runs
it, followed by pycocoevalcap's list of punctuation to drop.  That tool is a Java program; this is
its behaviour on English captions without Java, written from observed output and compared with the
tool in the tests.  Its oddities are kept because every published number has them: brackets survive
as ``-lrb-`` (the list holds only the capital form), ``end.Next`` stays one word.  One is not kept:
the tool looks past the end of a line, so that "a." at the end of a caption depends on the caption
that happens to follow in the file; here every caption is tokenised alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

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
