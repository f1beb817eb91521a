"""What a page says, without what is drawn by lot each time it is sent.

A page carries tokens: random letters and digits, in which any short word turns up sooner or later.
So tests ask `shown` for the words that a person reads and `markup` for elements and attributes;
both refuse to guess about short words. `body` gives the bytes of a file.
`tests/test_pages.py` keeps tests from looking into a response in any other way.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

UNSEEN = {"script", "style", "template", "head"}
# Elements inside a line: the words around them belong together.
INLINE = {
    *("a", "abbr", "b", "bdi", "code", "data", "em", "i", "kbd", "mark", "q", "small", "span"),
    *("strong", "sub", "sup", "time"),
}
TOKENS = re.compile(
    r'<input type="hidden" name="csrfmiddlewaretoken" value="[^"]*">|\snonce="[^"]*"'
)
SHORT = 6
"""Letters and digits fewer than these occur in tokens by chance."""
PUNCTUATION = ".,:;!?()[]“”‘’\"'"


def body(response: Any) -> bytes:
    """What was sent, to the last byte."""
    return response.getvalue() if response.streaming else response.content


class Shown(str):
    """Words of a page. A short word is found only where it stands by itself."""

    __slots__ = ()

    def __contains__(self, needle: object) -> bool:
        if is_short(needle):
            return needle in {word.strip(PUNCTUATION) for word in self.split()}
        return super().__contains__(needle)  # type: ignore[operator]


class Markup(str):
    """Elements of a page. A short word may be part of a token, so none is looked for."""

    __slots__ = ()

    def __contains__(self, needle: object) -> bool:
        if is_short(needle):
            raise ValueError(f"{needle!r} may stand in any token: look for more, or use `shown`")
        return super().__contains__(needle)  # type: ignore[operator]


def is_short(needle: object) -> bool:
    return len(str(needle)) < SHORT and re.fullmatch(r"[\w-]+", str(needle)) is not None


def shown(response: Any) -> Shown:
    """What a person reads: no scripts, attributes or hidden inputs, blanks as one blank."""
    return Shown(" ".join("".join(Reader(text_of(response)).words).split()))


def markup(response: Any) -> Markup:
    """The page as it was sent but for its tokens, blanks as one blank."""
    return Markup(" ".join(TOKENS.sub("", text_of(response)).split()))


def text_of(response: Any) -> str:
    """Of a response, or of a page that is text already."""
    return response if isinstance(response, str) else body(response).decode()


class Reader(HTMLParser):
    """Gathers words; elements that are no part of a line part them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self._unseen = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in UNSEEN
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in UNSEEN
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.words.append(data)

    def _part(self, tag: str) -> None:
        if tag not in INLINE:
            self.words.append(" ")
