"""Which work counts in results, by what crowds and reviewers say."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from annotations.models import Assignment, Rating
from crowds.models import Policy, Submission
from crowds.registry import marketplaces
from crowds.selectors.money import policy_of
from hits.models import Campaign, HitItem

# Assignments whose ratings do not count, by a person's word or because something is wrong.
LEFT_OUT = Q(submission__use=False) | Q(submission__isnull=False, submission__use=None) & (
    ~Q(submission__problem="")
    | Q(submission__pay=Submission.Pay.REFUSE)
    | Q(submission__status=Submission.Status.REJECTED)
)


def ratings_confirmed(campaign: Campaign) -> QuerySet[Rating]:
    """Ratings by people whose crowd knows them; which of these count is decided by reviewing.

    Answers to attention checks are about no caption.
    """
    ratings = ratings_by_the_known(campaign)
    return ratings.exclude(kind=HitItem.Kind.ATTENTION) if campaign.attention else ratings


def ratings_by_the_known(campaign: Campaign) -> QuerySet[Rating]:
    """The same with answers to attention checks."""
    strange = Assignment.objects.filter(campaign=campaign, slot=None)
    return Rating.objects.filter(campaign=campaign).exclude(assignment__in=strange.values("pk"))


def assignments_left_out(campaign: Campaign) -> list[int]:
    """Assignments whose ratings do not count, by a person's word or because something is wrong.

    Quality control is not asked here: the analysis has its own, of this very moment. Work that
    came by a marketplace counts once the marketplace confirms it, whatever its state.
    """
    mine = Assignment.objects.filter(campaign=campaign)
    return sorted(mine.filter(LEFT_OUT | Q(slot=None)).values_list("pk", flat=True))


def review_marks(campaign: Campaign) -> tuple[object, ...]:
    """What changes as soon as other ratings count than before; strangers' work does not.

    The last is the number of assignments that marketplaces have confirmed.
    """
    placed = Assignment.objects.filter(campaign=campaign, slot__isnull=False)
    named = Submission.objects.filter(assignment__in=placed, crowd__in=marketplaces())
    left_out = sorted(placed.filter(LEFT_OUT).values_list("pk", flat=True))
    return left_out, annotators_vouched_for(campaign), named.count()


def annotators_left_out(campaign: Campaign) -> dict[str, bool]:
    """People with work that does not count, by pseudonym; True where some of it was rejected."""
    turns = Assignment.objects.filter(LEFT_OUT, campaign=campaign).order_by()
    found: dict[str, bool] = {}
    for name, state in turns.values_list("annotator__pseudonym", "state"):
        found[name] = found.get(name, False) or state == Assignment.State.REJECTED
    return found


def annotators_vouched_for(campaign: Campaign) -> list[str]:
    """People whose ratings count whatever quality control says, because a person says so."""
    rows = Submission.objects.filter(assignment__campaign=campaign, use=True)
    return sorted(set(rows.values_list("annotator__pseudonym", flat=True)))


def uses_everybody(campaign: Campaign) -> bool:
    """Whether the campaign's rule uses everybody's ratings, whatever quality control says.

    Where words are marked and no damaged caption is hidden, nobody can pass: everybody is used.
    """
    if campaign.asked.marks and not campaign.pairs:
        return True
    return policy_of(campaign).use_rule == Policy.UseRule.EVERYONE
