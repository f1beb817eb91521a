"""A whole HIT, by mouse, by keyboard alone, and by touch on a small screen."""

from __future__ import annotations

from annotations.models import Assignment, Rating


def test_a_hit_is_rated_by_mouse(annotator, campaign):
    annotator.begin(campaign)
    for number, score in enumerate([0, 12, 50, 77, 88, 100], start=1):
        annotator.expect_progress(f"{number} of 6")
        annotator.rate(score)
    annotator.page.get_by_label("Anything you want to tell us?").fill("Nice clips.")
    annotator.submit()
    scores = list(Rating.objects.order_by("position").values_list("score", flat=True))
    assert scores == [0, 12, 50, 77, 88, 100]
    assignment = Assignment.objects.get()
    assert (assignment.state, assignment.comment) == ("submitted", "Nice clips.")
    assert not Rating.objects.filter(is_unwatched=True).exists()
