"""HTML and SVG as trees of elements: text cannot become markup, whoever chose a system's name."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

Content = Element | str | None
Attribute = str | float | int | bool | None


def element(tag: str, *content: Content, **attributes: Attribute) -> Element:
    """An element with text and children; None leaves out, `class_` and `stroke_width` are mended.

    >>> markup(element("p", "a < ", element("b", "b"), class_="note", hidden=None))
    '<p class="note">a &lt; <b>b</b></p>'
    """
    made = Element(
        tag, {_name(key): _text(value) for key, value in attributes.items() if _set(value)}
    )
    last: Element | None = None
    for part in content:
        if isinstance(part, Element):
            made.append(part)
            last = part
        elif part is not None and last is None:
            made.text = (made.text or "") + part
        elif part is not None and last is not None:
            last.tail = (last.tail or "") + part
    return made


def markup(root: Element) -> str:
    return tostring(root, encoding="unicode", method="html")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _set(value: Attribute) -> bool:
    return value is not None and value is not False


def _text(value: Attribute) -> str:
    """Coordinates to a tenth of a pixel: finer cannot be seen, and a report holds thousands."""
    if value is True:
        return ""
    return f"{round(value, 1):g}" if isinstance(value, float) else str(value)
