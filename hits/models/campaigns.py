"""A campaign: one question put to a crowd, and how it is to be asked."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from daplatform.languages import LANGUAGES
from hits.protocols import AnnotationProtocol, protocol_named
from hits.protocols.filling import CONTROL


class Campaign(models.Model):
    """One question put to a crowd: videos, systems, captions, and how they are to be rated."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        LIVE = "live", "Live"
        CLOSED = "closed", "Closed"

    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="campaigns"
    )
    colleagues = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="shared_campaigns"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    source_digest = models.CharField(max_length=64, editable=False)
    is_demo = models.BooleanField(default=False, editable=False)

    # No choices: a protocol is a file of `hits.protocols`, and needs no migration.
    protocol = models.CharField(
        max_length=30,
        default="direct",
        help_text="What a page asks. Another protocol changes the sizes in the plan.",
    )
    hit_size = models.PositiveSmallIntegerField(default=100, help_text="Captions in a HIT.")
    pairs = models.PositiveSmallIntegerField(
        default=10, help_text="Control captions, and their damaged copies, in a HIT."
    )
    repeats = models.PositiveSmallIntegerField(default=10, help_text="Exact repeats in a HIT.")
    redundancy = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="HITs that hold each caption."
    )
    assignments = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="People per HIT."
    )
    seed = models.PositiveBigIntegerField(default=7)
    reward = models.DecimalField(
        max_digits=7,
        decimal_places=2,
        default=Decimal("0.99"),
        validators=[MinValueValidator(Decimal("0"))],
        help_text="Paid per finished HIT, in US dollars.",
    )
    merge_identical = models.BooleanField(
        default=False,
        help_text="Ask identical captions of one video once and credit every system that wrote it.",
    )

    asks_fluency = models.BooleanField(default=False, help_text="Ask a second, fluency question.")
    must_watch = models.BooleanField(
        default=True, help_text="Show caption and scale only after the video was played to its end."
    )
    shows_number = models.BooleanField(
        default=False, help_text="Show the chosen number beside the scale."
    )
    instructions = models.TextField(blank=True, help_text="Added to the standard instructions.")
    consent = models.TextField(
        blank=True, help_text="Shown first, to be agreed to, when not empty."
    )
    contact = models.CharField(
        max_length=200,
        blank=True,
        help_text="Whom annotators may ask: an address or a name. Shown before they begin.",
    )
    language = models.CharField(
        max_length=10,
        blank=True,
        choices=settings.LANGUAGES,
        help_text="Of the annotators’ pages. Empty: the one each browser asks for.",
    )
    translations = models.JSONField(
        default=dict,
        blank=True,
        help_text="Instructions and consent in other languages, by language.",
    )
    questions = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Kinds of errors, sliders and a remark of its own, as campaign.toml has them.",
    )
    offers_speed = models.BooleanField(
        default=False, help_text="Let annotators play videos at up to twice the speed."
    )
    minutes_allowed = models.PositiveSmallIntegerField(
        default=180, validators=[MinValueValidator(1)], help_text="Time to finish a HIT."
    )
    max_hits_per_annotator = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="Empty for no limit."
    )
    min_pairs = models.PositiveSmallIntegerField(
        default=0,
        help_text="Pairs needed before quality control decides about a person, "
        "if more than its test needs.",
    )
    assumed_pass_rate = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0.01), MaxValueValidator(1.0)],
        help_text="Share of people expected to pass quality control, for planning.",
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="campaign_name_per_owner"),
            models.UniqueConstraint(
                fields=["owner", "source_digest"], name="campaign_imported_once_per_owner"
            ),
            models.CheckConstraint(
                condition=Q(redundancy__gte=1, assignments__gte=1, minutes_allowed__gte=1),
                name="campaign_counts_positive",
            ),
            models.CheckConstraint(condition=Q(reward__gte=0), name="campaign_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(assumed_pass_rate__gt=0, assumed_pass_rate__lte=1),
                name="campaign_pass_rate_is_share",
            ),
            models.CheckConstraint(
                condition=Q(hit_size__gt=2 * F("pairs") + F("repeats")),
                name="campaign_hit_has_room_for_systems",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "live", "closed"]), name="campaign_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("hits:campaign-detail", args=[self.slug])

    @property
    def asked(self) -> AnnotationProtocol:
        """What people are asked."""
        own = json.dumps(self.questions) if self.questions else ""
        return protocol_named(self.protocol, fluency=self.asks_fluency, own=own)

    @property
    def form(self) -> list[dict[str, Any]]:
        """What people are asked about themselves before the first caption."""
        found: list[dict[str, Any]] = self.questions.get("form", [])
        return found

    @property
    def translated_to(self) -> list[str]:
        """Languages in which the campaign brings instructions or consent of its own, by name."""
        return [name for code, name in LANGUAGES if any(self.translations.get(code, {}).values())]

    @property
    def attention(self) -> list[dict[str, Any]]:
        """Checks among the captions of every HIT, each with its text and what is expected."""
        found: list[dict[str, Any]] = self.questions.get("attention", [])
        return found

    @property
    def tutorial(self) -> list[dict[str, Any]]:
        """Captions for practice of its own, each with what is expected and what is said of it."""
        found: list[dict[str, Any]] = self.questions.get("tutorial", [])
        return found

    @property
    def filling_control(self) -> float:
        """The share of people who get no marks filled in."""
        return float(self.questions.get("filling", {}).get("control", CONTROL))

    def text_in(self, language: str, name: str) -> str:
        """``instructions`` or ``consent`` in a language, where the campaign brings it in that."""
        return str(self.translations.get(language, {}).get(name) or getattr(self, name))
