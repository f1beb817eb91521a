"""What people answered: annotators, the work they took, and every rating they gave."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from hits.models import Campaign, Caption, Hit, HitItem, Video
from hits.protocols import protocols

# The highest answer that any protocol takes: a rating is checked against its own when it is saved.
HIGHEST = max(each.scale.high for each in protocols().values() if not each.writes)


class Annotator(models.Model):
    """A person who rates, known to the rest of the platform by a pseudonym only."""

    pseudonym = models.CharField(max_length=20, unique=True)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pseudonym"]

    def __str__(self) -> str:
        return self.pseudonym


class AnnotatorIdentity(models.Model):
    """Who an annotator is to a crowd. Apart from the ratings, so that it can be erased."""

    annotator = models.OneToOneField(Annotator, on_delete=models.CASCADE, related_name="identity")
    crowd = models.CharField(max_length=20)
    external_id = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "annotator identities"
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "external_id"], name="one_annotator_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.crowd} identity of {self.annotator}"


class Assignment(models.Model):
    """One person's turn at one HIT. Given back, it keeps its ratings, and a new row replaces it.

    On a marketplace a turn begins without a slot, unconfirmed: anybody could have made up the name
    in the address. It holds no place, and its ratings count nowhere, until the marketplace itself
    names the person. Then it takes an open slot of its HIT.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        ACTIVE = "active", "In progress"
        SUBMITTED = "submitted", "Submitted"
        APPROVED = "approved", "Paid"
        REJECTED = "rejected", "Not paid"
        RETURNED = "returned", "Given back"
        EXPIRED = "expired", "Ran out of time"

    # Given up by the person who had it: the slot has, or gets, another row.
    GIVEN_UP = (State.RETURNED, State.EXPIRED)
    FINISHED = (State.SUBMITTED, State.APPROVED, State.REJECTED)

    # The HIT's own campaign, repeated so that taking and saving work need not look it up.
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="turns")
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(
        Annotator, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    slot = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Which of the HIT's assignments; none while it is unconfirmed.",
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    comment = models.TextField(blank=True)
    sees_filled = models.BooleanField(
        null=True,
        editable=False,
        help_text="Whether its annotator finds marks filled in; unknown where there are none.",
    )

    class Meta:
        ordering = ["hit", "slot", "pk"]
        indexes = [
            models.Index(
                fields=["expires_at"], condition=Q(state="active"), name="assignment_running_out"
            ),
            models.Index(
                fields=["campaign", "hit", "slot"],
                condition=Q(state="open"),
                name="assignment_to_be_taken",
            ),
            models.Index(
                fields=["campaign", "hit"],
                condition=Q(slot=None),
                name="assignment_unconfirmed",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "slot"],
                condition=~Q(state__in=["returned", "expired"]),
                name="one_assignment_per_slot",
            ),
            # Unconfirmed, it may be somebody else who uses the person's name.
            models.UniqueConstraint(
                fields=["hit", "annotator"],
                condition=Q(slot__isnull=False),
                name="one_turn_per_person_and_hit",
            ),
            models.CheckConstraint(
                condition=~Q(state="open") | Q(slot__isnull=False), name="open_assignment_is_a_slot"
            ),
            models.CheckConstraint(
                condition=Q(state="open", annotator=None, claimed_at=None, expires_at=None)
                | (
                    ~Q(state="open")
                    & Q(annotator__isnull=False, claimed_at__isnull=False, expires_at__isnull=False)
                ),
                name="assignment_taken_by_someone",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["submitted", "approved", "rejected"], submitted_at__isnull=False
                )
                | Q(state__in=["open", "active", "returned", "expired"], submitted_at=None),
                name="assignment_submission_dated",
            ),
        ]

    def __str__(self) -> str:
        which = (
            f"unconfirmed assignment {self.pk}" if self.slot is None else f"assignment {self.slot}"
        )
        return f"{self.hit}, {which}"


class FormAnswers(models.Model):
    """What a person said about themselves before their first caption of a campaign.

    Apart from the ratings: it is deleted when the person is erased.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="form_answers"
    )
    answers = models.JSONField()

    class Meta:
        verbose_name_plural = "form answers"

    def __str__(self) -> str:
        return f"About {self.assignment.annotator}"


class TutorialPass(models.Model):
    """Somebody answered a campaign's tutorial as expected, and need not do it again.

    Apart from the ratings: it is deleted when the person is erased.
    """

    annotator = models.ForeignKey(
        Annotator, on_delete=models.CASCADE, related_name="tutorials_passed"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    passed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "tutorial passes"
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "campaign"], name="tutorial_passed_once_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} passed the tutorial of {self.campaign}"


class Rating(models.Model):
    """One answer. Rows are only ever added: a change of mind is a new revision, the last counts.

    Campaign, annotator, caption, kind and original repeat what assignment and item know, so that
    reading a million ratings for analysis joins nothing.
    """

    # Read by campaign in order of arrival, by assignment and position; indexes below.
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    item = models.ForeignKey(
        HitItem, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="ratings")
    caption = models.ForeignKey(Caption, on_delete=models.PROTECT, related_name="ratings")
    kind = models.CharField(max_length=10, choices=HitItem.Kind.choices)
    original = models.ForeignKey(
        HitItem, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    revision = models.PositiveSmallIntegerField()
    key = models.UUIDField(help_text="Chosen by the browser; a repeated post is known by it.")
    # Numbers have columns, which analysis reads by the million. A protocol that asks for anything
    # else has all its answers in `answers`.
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    fluency = models.PositiveSmallIntegerField(null=True, blank=True)
    answers = models.JSONField(null=True, blank=True)

    # Evidence by the server's clock: when the item was handed out and when its rating arrived.
    served_at = models.DateTimeField()
    created_at = models.DateTimeField()
    is_unwatched = models.BooleanField(
        help_text="Given sooner than the video could have been watched."
    )
    # Evidence only the browser can give. Times count from the moment the caption's page was shown.
    client_elapsed_ms = models.PositiveIntegerField()
    client_first_touch_ms = models.PositiveIntegerField()
    client_last_touch_ms = models.PositiveIntegerField()
    client_moves = models.PositiveIntegerField()
    client_plays = models.PositiveIntegerField()
    client_watched_ms = models.PositiveIntegerField()
    client_hidden_ms = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["campaign", "id"], name="rating_by_campaign")]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "position", "revision"], name="one_rating_per_revision"
            ),
            models.UniqueConstraint(fields=["assignment", "key"], name="one_rating_per_post"),
            models.CheckConstraint(
                condition=Q(score__isnull=False, score__lte=HIGHEST)
                | Q(score=None, answers__isnull=False),
                name="score_0_to_100",
            ),
            models.CheckConstraint(
                condition=Q(fluency=None) | Q(fluency__lte=HIGHEST), name="fluency_0_to_100"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="revision_from_1"),
            models.CheckConstraint(
                condition=Q(kind__in=["system", "reference", "attention"], original=None)
                | Q(kind__in=["degraded", "repeat"], original__isnull=False),
                name="rated_copies_have_an_original",
            ),
        ]

    def __str__(self) -> str:
        return f"{'An answer' if self.score is None else self.score} for {self.item}"


class Mark(models.Model):
    """Words that an answer marks, in characters of the caption as it was shown."""

    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="marks")
    question = models.CharField(max_length=30)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    label = models.CharField(max_length=70)

    class Meta:
        ordering = ["rating", "start"]
        constraints = [
            models.UniqueConstraint(
                fields=["rating", "question", "start"], name="one_mark_per_place"
            ),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="mark_holds_characters"),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.start} to {self.end} of {self.rating}"


class Correction(models.Model):
    """A video that an organiser sent back to one person, with a remark: open until it is handed in.

    The assignment stays as it is, and the answers of before count until there are newer ones.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="corrections")
    video = models.ForeignKey(Video, on_delete=models.PROTECT, related_name="corrections")
    remark = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "video"],
                condition=Q(done_at=None),
                name="one_open_correction_per_video",
            )
        ]

    def __str__(self) -> str:
        return f"{self.video}, sent back to {self.assignment.annotator}"


class Removal(models.Model):
    """An answer that a person took out of the result. The answer stays, and can be put back."""

    rating = models.OneToOneField(Rating, on_delete=models.CASCADE, related_name="removal")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.rating}, removed"


class VideoProblem(models.Model):
    """A video that did not play as it should, as an annotator reported it."""

    class Kind(models.TextChoices):
        NO_PICTURE = "no-picture", _("It does not play")
        STOPS = "stops", _("It stops or jerks")
        NO_SOUND = "no-sound", _("The sound is missing")
        DISTURBING = "disturbing", _("It is offensive or disturbing")
        OTHER = "other", _("Something else")

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="video_problems"
    )
    video = models.ForeignKey(Video, on_delete=models.PROTECT, related_name="problems")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    remark = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "video", "kind"], name="one_report_of_a_kind_per_turn"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.video}"
