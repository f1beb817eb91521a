"""Questions of a campaign's own: kinds of errors, sliders, a remark. Pure.

campaign.toml says them, the campaign keeps them as they were written there:

    together = true                     # all captions of a video on one page, side by side
    comment = true
    [errors]
    categories = ["object", "action"]
    severities = { minor = 1, major = 5 }
    [[sliders]]
    name = "detail"
    text = "How much does it tell?"
    low = 0
    high = 100
    step = 1
    ends = ["nothing", "everything"]    # or levels = ["nothing", "some", "most", "all"]

Whose marks count, where words are marked, may depend on their work:

    [counting]
    complete = true                     # handed in, and nothing sent back that is still open
    recall = 0.5                        # of the damaged words of hidden controls, at least
    precision = 0.3

Where marks are filled in beforehand (marks.csv), some people get none:

    [filling]
    control = 0.5

The form is about the person, and is asked once, before the first caption:

    [[form]]
    name = "english"
    text = "How well do you speak English?"
    kind = "choice"                     # or "text"
    choices = ["it is my first language", "well", "a little"]

Attention checks and the tutorial are in `hits.protocols.expected`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from hits.protocols.direct_assessment import SCALE
from hits.protocols.expected import attention_faults, tutorial_faults
from hits.protocols.values import (
    AnnotationProtocol,
    Marks,
    Objection,
    Question,
    Scale,
    Slider,
    Text,
    gettext_noop,
    is_one_line,
)

KEYS: Final = (
    "together",
    "comment",
    "errors",
    "sliders",
    "form",
    "counting",
    "filling",
    "attention",
    "tutorial",
)
COMMENT: Final = Text(
    "comment", gettext_noop("Anything to add about this caption? (optional)"), is_optional=True
)
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,29}")
_LABEL: Final = 30  # characters of a category or severity
_TEXT: Final = 200
_MOST: Final = 8  # sliders
_ASKED: Final = 12  # questions of a form
_TAKEN: Final = frozenset({"caption", "comment", "fluency", "marks"})
_SLIDER: Final = frozenset({"name", "text", "low", "high", "step", "ends", "levels"})


def with_own(protocol: AnnotationProtocol, own: Mapping[str, Any]) -> AnnotationProtocol:
    """The protocol with a campaign's own questions; those that do not fit it are left out.

    A slider called ``score`` takes the place of the protocol's.

    >>> from hits.protocols import protocol_named
    >>> asked = with_own(protocol_named("direct"), {"comment": True, "sliders": [
    ...     {"name": "detail", "text": "How much?", "ends": ["none", "all"]}]})
    >>> [question.name for question in asked.questions]
    ['score', 'detail', 'comment']
    """
    if protocol.writes or not own:
        return protocol
    sliders = {each["name"]: _slider(each) for each in own.get("sliders", ())}
    asked = tuple(_changed(question, own, sliders) for question in protocol.questions)
    names = {question.name for question in asked}
    asked += tuple(slider for name, slider in sliders.items() if name not in names)
    asked += (COMMENT,) if own.get("comment") else ()
    made = replace(protocol, questions=asked, has_own=asked != protocol.questions)
    return side_by_side(made) if own.get("together") else made


def side_by_side(protocol: AnnotationProtocol) -> AnnotationProtocol:
    """With all captions of a video on one page. None comes a second time, so there are no repeats.

    >>> from hits.protocols import protocol_named
    >>> side_by_side(protocol_named("direct")).hits
    HitDefaults(size=100, pairs=10, repeats=0, assignments=1)
    """
    hits = replace(protocol.hits, repeats=0)
    return replace(protocol, whole_video=True, is_side_by_side=True, hits=hits)


def _changed(question: Question, own: Mapping[str, Any], sliders: dict[str, Slider]) -> Question:
    if isinstance(question, Slider) and question.name in sliders:
        return sliders.pop(question.name)
    errors = own.get("errors", {})
    if not isinstance(question, Marks) or not question.severities:
        return question
    if "severities" in errors:
        # By weight: PostgreSQL keeps the keys of an object in an order of its own.
        weights = ((name, float(weight)) for name, weight in errors["severities"].items())
        ordered = tuple(sorted(weights, key=lambda each: (each[1], each[0])))
        question = replace(question, severities=ordered)
    if "categories" in errors and question.categories:
        question = replace(question, categories=tuple(errors["categories"]))
    return question


def _slider(said: Mapping[str, Any]) -> Slider:
    levels = tuple(said.get("levels", ()))
    first, last = said.get("ends") or (levels[0], levels[-1])
    scale = Scale(said.get("low", SCALE.low), said.get("high", SCALE.high))
    return Slider(said["name"], said["text"], scale, (first, last), said.get("step", 1), levels)


def own_clashes(protocol: AnnotationProtocol, own: Mapping[str, Any]) -> list[str]:
    """Names of sliders that the protocol uses for questions of another kind.

    >>> from hits.protocols import protocol_named
    >>> own_clashes(protocol_named("factuality"), {"sliders": [{"name": "score"}]})
    ['score']
    """
    taken = {each.name for each in protocol.questions if not isinstance(each, Slider)}
    return [each["name"] for each in own.get("sliders", ()) if each["name"] in taken]


def own_faults(own: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What cannot be asked: the key, and what should stand there.

    >>> list(own_faults({"comment": "yes"}))
    [('comment', 'true or false')]
    """
    for key in ("together", "comment"):
        if not isinstance(own.get(key, False), bool):
            yield key, "true or false"
    errors = own.get("errors", {})
    if not isinstance(errors, dict) or errors.keys() - {"categories", "severities"}:
        yield "errors", "a table with categories, severities or both"
    else:
        if "categories" in errors and not _are_labels(errors["categories"], 20):
            yield "categories", "up to 20 different words, each of 30 characters at most"
        if "severities" in errors and not _are_weights(errors["severities"]):
            yield "severities", "a weight of 0 to 1,000 for each of up to 8 names"
    yield from _form_faults(own.get("form", []))
    yield from _counting_faults(own.get("counting", {}))
    yield from (("attention", wanted) for wanted in attention_faults(own.get("attention", [])))
    yield from (("tutorial", wanted) for wanted in tutorial_faults(own.get("tutorial", [])))
    yield from _filling_faults(own.get("filling", {}))
    sliders = own.get("sliders", [])
    if not isinstance(sliders, list) or not 0 <= len(sliders) <= _MOST:
        yield "sliders", f"at most {_MOST} tables, each below a line [[sliders]]"
        return
    names = []
    for slider in sliders:
        wanted = _wanted(slider)
        if not wanted and slider["name"] in names:
            wanted = f"a name for each; {slider['name']} occurs twice"
        names.append(slider.get("name") if isinstance(slider, dict) else None)
        if wanted:
            yield "sliders", wanted


def _counting_faults(rule: object) -> Iterator[tuple[str, str]]:
    if not isinstance(rule, dict) or rule.keys() - {"complete", "recall", "precision"}:
        yield "counting", "a table with complete, recall, precision or some of them"
        return
    if not isinstance(rule.get("complete", False), bool):
        yield "complete", "true or false"
    for name in ("recall", "precision"):
        if not _is_share(rule.get(name, 0)):
            yield name, "a share from 0 to 1"


def _filling_faults(rule: object) -> Iterator[tuple[str, str]]:
    if not isinstance(rule, dict) or rule.keys() - {"control"}:
        yield "filling", "a table with control"
    elif not _is_share(rule.get("control", 0)):
        yield "control", "a share of people from 0 to 1"


def _is_share(value: Any) -> bool:
    return type(value) in (int, float, Decimal) and 0 <= value <= 1


def _form_faults(form: object) -> Iterator[tuple[str, str]]:
    if not isinstance(form, list) or len(form) > _ASKED:
        yield "form", f"at most {_ASKED} tables, each below a line [[form]]"
        return
    names = [each.get("name") if isinstance(each, dict) else None for each in form]
    for each in form:
        wanted = _wanted_field(each)
        if not wanted and names.count(each["name"]) > 1:
            wanted = f"a name for each; {each['name']} occurs twice"
        if wanted:
            yield "form", wanted


def _wanted_field(asked: object) -> str:
    if not isinstance(asked, dict) or asked.keys() - {"name", "text", "kind", "choices"}:
        return "tables with the keys name, text, kind, choices"
    name, kind = asked.get("name"), asked.get("kind", "text")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "a name of small letters, digits and _"
    if not _is_text(asked.get("text")):
        return f"a text of up to {_TEXT} characters for {name}"
    if kind not in ("choice", "text"):
        return f"choice or text as the kind of {name}"
    choices = asked.get("choices", [])
    if kind == "text":
        return f"no choices for {name}, which is a text" if choices else ""
    if (
        not isinstance(choices, list)
        or not 2 <= len(choices) <= 20
        or not all(map(_is_text, choices))
    ):
        return f"two to twenty texts as the choices of {name}"
    return "" if len(set(choices)) == len(choices) else f"different choices for {name}"


def form_objection(form: Sequence[Mapping[str, Any]], given: Mapping[str, str]) -> Objection | None:
    """Why these are not the answers to a campaign's form; nothing if they are.

    >>> asked = [{"name": "age", "text": "Your age?", "kind": "choice", "choices": ["18", "19"]}]
    >>> form_objection(asked, {"age": "18"}) is None, form_objection(asked, {"age": "7"}).sentence
    (True, 'Choose one of the answers to “{question}”.')
    """
    for asked in form:
        answer, values = given.get(asked["name"], "").strip(), {"question": asked["text"]}
        if asked.get("kind", "text") == "choice":
            if answer not in asked["choices"]:
                return Objection(gettext_noop("Choose one of the answers to “{question}”."), values)
        elif not _is_text(answer):
            sentence = gettext_noop("Answer “{question}” in one line of up to 200 characters.")
            return Objection(sentence, values)
    return None


def _are_labels(value: object, most: int) -> bool:
    return (
        isinstance(value, list)
        and 1 <= len(value) <= most
        and all(map(_is_label, value))
        and len(set(value)) == len(value)
    )


def _is_label(value: object) -> bool:
    return _is_text(value, _LABEL) and "/" not in str(value)


def _is_text(value: object, most: int = _TEXT) -> bool:
    return isinstance(value, str) and is_one_line(value) and len(value) <= most


def _are_weights(value: object) -> bool:
    if not isinstance(value, dict) or not _are_labels(list(value), 8):
        return False
    numbers = [weight for weight in value.values() if not isinstance(weight, bool)]
    return len(numbers) == len(value) and all(
        isinstance(weight, int | float | Decimal) and 0 <= weight <= 1000 for weight in numbers
    )


def _wanted(slider: object) -> str:
    """What a slider should have been; nothing when it is right."""
    if not isinstance(slider, dict) or slider.keys() - _SLIDER:
        return f"tables with the keys {', '.join(sorted(_SLIDER))}"
    name = slider.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in _TAKEN:
        return f"a name of small letters, digits and _, but none of {', '.join(sorted(_TAKEN))}"
    if not _is_text(slider.get("text")):
        return f"a text of up to {_TEXT} characters for {name}"
    low, high, step = (slider.get(key, usual) for key, usual in _RANGE)
    if not all(type(each) is int for each in (low, high, step)) or not 0 <= low < high <= 1000:
        return f"whole numbers for {name}, with low below high, from 0 to 1,000"
    if step < 1 or (high - low) % step:
        return f"a step for {name} that leads from low to high"
    if name == "score" and (low, high) != (SCALE.low, SCALE.high):
        return f"{SCALE.low} to {SCALE.high} for the slider score, which ranks systems"
    return _wanted_words(name, slider)


_RANGE: Final = (("low", SCALE.low), ("high", SCALE.high), ("step", 1))


def _wanted_words(name: str, slider: Mapping[str, Any]) -> str:
    ends, levels = slider.get("ends"), slider.get("levels")
    if ends is None and levels is None:
        return f"two ends or several levels for {name}"
    if ends is not None and not (
        isinstance(ends, list) and len(ends) == 2 and all(map(_is_text, ends))
    ):
        return f"two texts as the ends of {name}"
    if levels is not None and not (
        isinstance(levels, list) and 2 <= len(levels) <= 7 and all(map(_is_text, levels))
    ):
        return f"two to seven texts as the levels of {name}"
    return ""
