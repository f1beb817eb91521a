"""A whole HIT, by mouse, by keyboard alone, and by touch on a small screen."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.models import Assignment, Rating
from hits.services.composing import batch_compose
from tests.browser.annotator import Annotator
from tests.browser.material import clip_campaign
from tests.factories import make_hit


def scores():
    return list(Rating.objects.order_by("position").values_list("score", flat=True))


def test_a_hit_is_rated_by_mouse(annotator, campaign):
    annotator.begin(campaign)
    for number, score in enumerate([0, 12, 50, 77, 88, 100], start=1):
        annotator.expect_progress(f"{number} of 6")
        annotator.rate(score)
    annotator.page.get_by_label("Anything you want to tell us?").fill("Nice clips.")
    annotator.submit()
    assert scores() == [0, 12, 50, 77, 88, 100]
    assignment = Assignment.objects.get()
    assert (assignment.state, assignment.comment) == ("submitted", "Nice clips.")
    assert not Rating.objects.filter(is_unwatched=True).exists()


def test_a_hit_is_rated_by_keyboard_alone(annotator, campaign):
    keyboard, page = annotator.page.keyboard, annotator.page
    annotator.open(campaign)
    keyboard.press("Tab")
    keyboard.press("Enter")  # Start
    expect(page.get_by_role("heading", name="How to rate")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")  # Try one
    annotator.wait_for_caption()
    keyboard.press("ArrowLeft")
    keyboard.press("Enter")
    expect(page.get_by_role("heading", name="That is all there is to it")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")  # Start rating
    moves = [
        (["ArrowRight"], 51),
        (["PageUp", "ArrowUp"], 61),
        (["PageDown", "PageDown", "ArrowDown"], 29),
        (["Home"], 0),
        (["End", "ArrowLeft"], 99),
        (["End", "ArrowRight"], 100),
    ]
    for keys, _ in moves:
        annotator.wait_for_caption()
        expect(annotator.scale).to_be_focused()
        for key in keys:
            keyboard.press(key)
        keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All 6 captions are rated")).to_be_focused()
    for _ in range(3):  # comment, Back, Submit
        keyboard.press("Tab")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    assert scores() == [score for _, score in moves]


def test_a_hit_is_rated_by_touch_on_a_small_screen(site, browser, campaign):
    screen = {"width": 360, "height": 640}
    person = Annotator(site, browser, viewport=screen, has_touch=True, is_mobile=True)
    person.tap = True
    person.begin(campaign)
    for score in [0, 33, 50, 66, 90, 100]:
        person.rate(score)
    person.submit()
    assert all(abs(a - b) <= 1 for a, b in zip(scores(), [0, 33, 50, 66, 90, 100], strict=True))
    person.close()


def test_the_second_hit_needs_no_practice(annotator, campaign):
    make_hit(campaign)
    annotator.begin(campaign)
    for score in range(6):
        annotator.rate(score)
    annotator.submit()
    annotator.page.get_by_role("link", name="Take another task").click()
    annotator.page.get_by_role("button", name="Start").click()
    annotator.page.get_by_role("button", name="Start rating").click()
    annotator.rate(50)
    annotator.expect_progress("2 of 6")


def test_every_target_is_large_enough_for_a_finger(site, browser, campaign):
    person = Annotator(site, browser, viewport={"width": 360, "height": 640}, has_touch=True)
    person.begin(campaign)
    person.wait_for_caption()
    for control in [*person.page.get_by_role("button").all(), person.scale]:
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24, control
    for name in ("Next", "Back"):
        assert person.page.get_by_role("button", name=name).bounding_box()["height"] >= 44
    person.close()


def test_a_hundred_captions_are_rated_and_all_are_there(annotator):
    campaign = clip_campaign(videos=40, must_watch=False, compose=True)
    batch_compose(campaign=campaign)
    annotator.begin(campaign)
    keyboard = annotator.page.keyboard
    for position in range(100):
        annotator.expect_progress(f"{position + 1} of 100")
        keyboard.press("Home")
        keyboard.press("PageUp")
        keyboard.press("Enter")
    expect(annotator.page.get_by_role("heading", name="All 100 captions are rated")).to_be_visible()
    annotator.submit()
    assert scores() == [10] * 100
    assert Assignment.objects.get(state="submitted").ratings.count() == 100
