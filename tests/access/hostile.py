"""A database in which every text that anybody may choose is out to do harm.

Text fields are found by asking Django: a new one is hostile from its first day. Only what the
platform itself writes is left out, and has to be listed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

# Ends attributes, tags and scripts; brings an element, an attribute and a template's expression of
# its own; turns the direction of what follows. The first twenty characters do most of it. The
# colon is what parts a campaign from a name in the identity of somebody invited.
HARM = ":'\"><xss-da onxss=1></script><xss-da>{{7191*7193}}{% now 'Y' %}=1+1\u202e\u200f"
PRODUCT = str(7191 * 7193)
LONG = 1_000
TEXT = HARM + "x" * LONG
LINK = "javascript:onxss()//" + HARM
# Looked at when it comes in: what is no http address is refused.
CHECKED = {"hits.Video.url": "https://videos.example/" + HARM}

# Written by the platform alone, in a form that it chose.
OURS = {
    "auth.User.password",
    "hits.Campaign.slug",
    "hits.Campaign.protocol",  # one of ours, or it is refused
    "hits.Campaign.source_digest",
    "hits.Video.sha256",
    "crowds.Launch.currency",
    "crowds.OutboxMessage.key",
    "crowds.OutboxMessage.occasion",
    "crowds.LedgerEntry.occasion",
    "annotations.Annotator.pseudonym",
    "annotations.Rating.answers",  # never changed; test_written_page.py writes a hostile one
    "analysis.Result.summary",  # made of names and captions that are hostile
    "analysis.Description.evidence",
    "analysis.Description.summary",
    "analysis.MetricEvaluation.evidence",
    "analysis.MetricEvaluation.summary",
    "analysis.ApiKey.digest",
    "analysis.MetricRun.metrics",
    "analysis.MetricRun.precision",
    "analysis.LearnedMetric.name",  # letters, digits and few signs, or it is refused
    "analysis.LearnedMetric.config",
    "analysis.LearnedMetric.summary",
    "analysis.MetricCorpus.digest",
    "analysis.MetricChunk.items",
    "analysis.MetricChunk.signatures",
    "analysis.MetricScore.metric",
    "analysis.MetricFault.metrics",
}
# Keys of our own tables, wherever they stand.
OUR_NAMES = {"crowd", "choices", "choices_key", "format", "claimed_by", "progress"}
JSON: dict[str, Any] = {
    "crowds.Launch.differences": [TEXT],
    "crowds.OutboxMessage.payload": {"reason": TEXT, "message": TEXT},
    "hits.Campaign.questions": {
        "form": [
            {"name": "town", "text": TEXT, "kind": "text"},
            {"name": "english", "text": TEXT, "kind": "choice", "choices": [TEXT, "none"]},
        ],
        "attention": [{"text": TEXT, "expect": {"score": 1}}],
        "tutorial": [{"caption": TEXT, "expect": {"score": 1}, "feedback": TEXT}],
    },
    "hits.Caption.filled": [[0, 1, TEXT]],
    "annotations.FormAnswers.answers": {"town": TEXT, "english": TEXT},
    "hits.Campaign.translations": {"de": {"instructions": TEXT, "consent": TEXT}},
    "hits.Upload.report": {
        "name": TEXT,
        "systems": [{"name": TEXT, "role": TEXT, "captions": 1}],
        "faults": [
            dict.fromkeys(("kind", "file", "line", "column", "message", "remedy"), TEXT)
            | {"is_error": True}
        ],
        "error_count": 1,
        "warning_count": 1,
    },
    "analysis.MetricChunk.notes": [TEXT],
    "analysis.MetricCorpus.references": {TEXT: [TEXT]},
    "analysis.MetricWorker.unavailable": {"bleu4": TEXT},
}
# What cannot change any more once a campaign is live.
MATERIAL = ("hits.Campaign", "hits.Video", "hits.System", "hits.Caption", "hits.HitItem")
# What is only ever added to.
APPENDED = ("crowds.LedgerEntry", "crowds.AuditEntry", "annotations.Mark")


def all_models() -> list[type[models.Model]]:
    own = [
        apps.get_app_config(app).get_models()
        for app in ("hits", "annotations", "crowds", "analysis")
    ]
    return [model for found in own for model in found] + [User]


def text_fields(model: type[models.Model]) -> Iterator[models.Field]:
    """Fields somebody may write words into."""
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, (models.CharField, models.TextField, models.JSONField))
        is_ours = field.choices or field.name in OUR_NAMES or label(field) in OURS
        if is_text and not is_ours:
            yield field


def label(field: models.Field) -> str:
    return f"{field.model._meta.label}.{field.name}"


def poison(model: type[models.Model]) -> None:
    """Fill the texts of all rows; where a text is in some rows only, of those."""
    for field in text_fields(model):
        rows = model._base_manager.all()
        filled = rows.exclude(**{field.name: field.get_default()})
        for row in filled if filled.exists() else rows:
            model._base_manager.filter(pk=row.pk).update(**{field.name: hostile(field, row.pk)})


def hostile(field: models.Field, number: int) -> Any:
    """As bad a text as fits into the field, unlike those of other rows."""
    if isinstance(field, models.JSONField):
        return JSON[label(field)]
    text = LINK if isinstance(field, models.URLField) else HARM
    text = CHECKED.get(label(field), text)
    if field.max_length is None:
        return f"{text}{number}" + "x" * LONG
    room = field.max_length - len(str(number))
    return text[:room].ljust(room, "x") + str(number)


def make_missing() -> None:
    """A row of each kind of which there is none, or whose rows never change."""
    for model in all_models():
        if model._meta.label in APPENDED or not model._base_manager.exists():
            make_row(model)


def make_row(model: type[models.Model]) -> models.Model:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    needed = [field for field in fields if not field.null and not field.has_default()]
    return model._base_manager.create(**{field.name: value_for(field) for field in needed})


def value_for(field: models.Field) -> Any:
    if field.related_model is not None:
        taken = field.model._base_manager.values(field.attname) if field.unique else []
        free = field.related_model._base_manager.exclude(pk__in=taken)
        return free.first() or make_row(field.related_model)
    if field.choices:
        return field.choices[0][0]
    if field in text_fields(field.model):
        return hostile(field, 0)
    own = {"claimed_by": "", "end": 2}  # a job that no worker has; a mark of characters
    if field.name in own:
        return own[field.name]
    if isinstance(field, (models.CharField, models.TextField, models.FileField)):
        return "mturk" if field.name == "crowd" else "any"
    plain = {models.DateTimeField: timezone.now(), models.UUIDField: uuid.uuid4()}
    return plain.get(type(field), {} if isinstance(field, models.JSONField) else 1)


class Watcher(HTMLParser):
    """What in a page came out of a text, or could run one."""

    ADDRESSES = ("href", "src", "action", "formaction", "poster", "data", "hx-get", "hx-post")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.harm: list[str] = []
        self.feed(page)
        self.close()
        if PRODUCT in page:
            self.harm.append("a template in a text was rendered")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "xss-da" or any(name.startswith("on") for name in given):
            self.harm.append(self.get_starttag_text() or tag)
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.harm.append("an inline script")
        if any(given.get(name, "").strip().startswith("javascript:") for name in self.ADDRESSES):
            self.harm.append(self.get_starttag_text() or tag)
