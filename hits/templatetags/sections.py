"""The sections of a campaign: a tab each, and the pages that belong to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django import template

register = template.Library()


@dataclass(frozen=True)
class Section:
    label: str
    page: str  # its own; `pages` are the beginnings of other pages' names
    pages: tuple[str, ...] = ()
    is_organisers: bool = False
    writes: bool | None = None  # for campaigns whose people write captions, rate them, or for both
    marks: bool = False  # only for campaigns whose people mark words
    is_here: bool = False

    def holds(self, name: str) -> bool:
        return name == self.page or (bool(self.pages) and name.startswith(self.pages))


OVERVIEW = Section("Overview", "hits:campaign-detail")
SECTIONS = (
    OVERVIEW,
    Section("Videos", "hits:video-list", ("hits:video", "hits:caption")),
    Section("Plan", "hits:campaign-plan"),
    Section("Settings", "hits:campaign-settings", ("crowds:campaign-",), is_organisers=True),
    Section("HITs", "hits:hit-list", ("analysis:hit-",)),
    Section("Links", "crowds:link-list", ("crowds:link-", "crowds:group-"), is_organisers=True),
    Section(
        "Crowd",
        "crowds:crowd",
        ("crowds:launch-", "crowds:review", "crowds:outbox-", "crowds:policy-"),
        is_organisers=True,
    ),
    Section("Written captions", "analysis:written", writes=True),
    Section("Factuality", "analysis:factuality", ("analysis:factuality-",), marks=True),
    Section("Annotators", "analysis:annotator-list", ("analysis:annotator",), writes=False),
    Section(
        "Ranking",
        "analysis:ranking",
        ("analysis:pair", "analysis:comparison", "analysis:result-"),
        writes=False,
    ),
    Section("Data", "analysis:description", ("analysis:description-",), writes=False),
    Section("Captions", "analysis:caption-list", ("analysis:video-", "analysis:why"), writes=False),
    Section("Metrics", "analysis:metrics", ("analysis:metric-", "analysis:learned"), writes=False),
    Section(
        "Metrics against people",
        "analysis:evaluation",
        ("analysis:evaluation-", "analysis:sets"),
        writes=False,
    ),
)


@register.simple_tag(takes_context=True)
def sections(context: dict[str, Any]) -> list[Section]:
    """Those this person has, one of them open; pages of no other belong to the overview."""
    name = context["request"].resolver_match.view_name
    may_change = context["perms"]["hits"]["change_campaign"]
    asked = context["campaign"].asked
    had = [
        section
        for section in SECTIONS
        if (may_change or not section.is_organisers)
        and section.writes in (None, asked.writes)
        and (asked.marks or not section.marks)
    ]
    open_one = next((section for section in had if section.holds(name)), OVERVIEW)
    return [replace(section, is_here=section is open_one) for section in had]
