"""Error spans in a real browser: a kind is chosen, words get it, and every question is answered."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Rating
from hits.services.composing import batch_compose
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.test_marking import words
from tests.browser.test_whole_videos import (  # noqa: F401 - someone is a fixture
    DESKTOP,
    PHONE,
    go_on,
    someone,
)

OWN = {
    "comment": True,
    "sliders": [
        {
            "name": "detail",
            "text": "How much does it tell?",
            "high": 20,
            "step": 10,
            "levels": ["nothing at all", "some of what happens", "everything"],
        }
    ],
}


def made(protocol, **fields):
    sizes = {"videos": 10, "systems": 1, "hit_size": 10, "pairs": 1, "repeats": 1}
    campaign = clip_campaign(compose=True, protocol=protocol, **sizes | fields)
    batch_compose(campaign=campaign)
    return campaign


def begin(annotator, campaign, name):
    annotator.start(campaign, name)
    annotator.picture(f"{campaign.protocol}-instructions-{name}")
    annotator.page.get_by_role("button", name="Try one").click()
    expect(words(annotator).first).to_be_visible()
    for scale in annotator.page.locator("input[type=range]:visible").all()[1:]:
        scale.press("5")
    annotator.page.get_by_role("button", name="Done").click()
    annotator.page.get_by_role("button", name="Start rating").click()
    expect(words(annotator).first).to_be_visible()


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_errors_get_the_kind_that_is_chosen_and_can_change_it(site, someone, options):  # noqa: F811
    campaign, annotator = made("esa"), someone(**options)
    page, width = annotator.page, options["viewport"]["width"]
    begin(annotator, campaign, name=str(width))
    found = words(annotator)
    touch = (lambda word: word.tap()) if "has_touch" in options else (lambda word: word.click())
    touch(found.nth(0))
    page.get_by_text("major", exact=True).click()
    touch(found.nth(1))
    touch(found.nth(2))
    touch(found.nth(2))  # taken away again
    touch(found.nth(3))
    page.get_by_text("minor", exact=True).click()
    touch(found.nth(3))  # another kind
    expect(found.last).to_have_text("[missing]")
    touch(found.last)
    expect(found.nth(1)).to_have_attribute("title", "major")
    page.locator("#entry input[type=range]").press("7")
    annotator.picture(f"esa-{width}")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.evaluate("scrollTo(0, 0)")
    assert violations(page) == []
    go_on(annotator)
    annotator.expect_saved(1)
    rating = Rating.objects.get()
    assert rating.score == 70
    assert [label for *_, label in rating.answers["marks"]] == ["minor", "major", "minor", "minor"]
    assert rating.answers["marks"][-1][0] == len(rating.item.text) + 1
    page.get_by_role("button", name="Back").click()
    expect(words(annotator).nth(1)).to_have_attribute("title", "major")


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_kinds_own_sliders_and_a_remark_are_answered(site, someone, options):  # noqa: F811
    campaign, annotator = made("mqm", questions=OWN), someone(**options)
    page, width = annotator.page, options["viewport"]["width"]
    begin(annotator, campaign, name=str(width))
    page.get_by_text("action", exact=True).click()
    page.get_by_text("major", exact=True).click()
    words(annotator).nth(1).click()
    score, detail = page.locator("#entry input[type=range]").all()
    score.press("3")
    go_on(annotator)
    expect(page.locator("#missing")).to_contain_text("Touch the scale")
    detail.press("End")
    detail.press("ArrowLeft")
    page.get_by_label("Anything to add about this caption?").fill("Too short.")
    annotator.picture(f"mqm-{width}")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.evaluate("scrollTo(0, 0)")
    assert violations(page) == []
    go_on(annotator)
    annotator.expect_saved(1)
    answers = Rating.objects.get().answers
    assert [label for *_, label in answers["marks"]] == ["action/major"]
    assert (answers["score"], answers["detail"]) == (30, 10)
    assert answers["comment"]["text"] == "Too short."


def practise(annotator, campaign):
    annotator.start(campaign)
    annotator.page.get_by_role("button", name="Try one").click()
    answer(annotator)
    annotator.page.get_by_role("button", name="Done").click()
    annotator.page.get_by_role("button", name="Start rating").click()


def answer(annotator):
    """Choose the third level or 60, and 7 of 10, by keys; how many captions there were."""
    annotator.wait_for_caption()
    entries = annotator.page.locator(".entry:visible")
    for entry in entries.all():
        for level in entry.locator("input[type=radio]").all()[2:3]:
            level.check(force=True)
        for scale in entry.locator("input[type=range]").all():
            scale.press("7" if scale.get_attribute("max") == "10" else "6")
    return entries.count()


TEN = {"name": "detail", "text": "How much?", "high": 10, "ends": ["nothing", "everything"]}


@pytest.mark.parametrize("protocol", ["direct", "consistency"])
def test_numbers_of_a_campaigns_own_are_saved_without_any_other_question(
    site,
    someone,  # noqa: F811
    protocol,
):
    repeats = 0 if protocol == "consistency" else 1
    campaign = made(protocol, questions={"sliders": [TEN]}, repeats=repeats)
    annotator = someone(**DESKTOP)
    practise(annotator, campaign)
    count = answer(annotator)
    go_on(annotator)
    annotator.expect_saved(count)
    score = 3 if protocol == "consistency" else 60
    assert [rating.answers for rating in Rating.objects.all()] == [
        {"score": score, "detail": 7}
    ] * count


def test_a_kind_of_error_is_chosen_with_keys_and_the_score_stays(site, someone):  # noqa: F811
    campaign, annotator = made("esa"), someone(**DESKTOP)
    begin(annotator, campaign, name="keys")
    press = annotator.page.keyboard.press
    annotator.page.get_by_role("radio", name="minor").focus()
    press("ArrowRight")
    expect(annotator.page.get_by_role("radio", name="major")).to_be_checked()
    press("Tab")
    press("Space")
    expect(words(annotator).first).to_have_attribute("title", "major")
    press("Shift+Tab")
    press("ArrowLeft")
    expect(annotator.page.get_by_role("radio", name="minor")).to_be_checked()
    press("Enter")
    expect(annotator.page.locator("#missing")).to_contain_text("Touch the scale")
    press("4")
    press("Enter")
    annotator.expect_saved(1)
    assert Rating.objects.get().score == 40
    assert Rating.objects.get().answers["marks"][0][2] == "major"


def test_a_refused_answer_comes_back_as_it_was_typed_with_the_reason(site, someone):  # noqa: F811
    campaign, annotator = made("direct", questions={"comment": True}), someone(**DESKTOP)
    annotator.tolerated.append("400")
    practise(annotator, campaign)
    refusal = {"status": 400, "json": {"code": "invalid-post", "error": "This cannot be taken."}}
    annotator.context.route("**/rate/save", lambda route: route.fulfill(**refusal), times=1)
    annotator.wait_for_caption()
    remark = annotator.page.get_by_label("Anything to add about this caption?")
    remark.fill("Too short.")
    annotator.touch_scale(30)
    go_on(annotator)
    expect(annotator.page.locator("#missing")).to_have_text("This cannot be taken.")
    expect(remark).to_have_value("Too short.")
    annotator.expect_progress("1 of 10")
    remark.fill("Much too short.")
    go_on(annotator)
    annotator.expect_progress("2 of 10")
    annotator.expect_saved(1)
    answers = Rating.objects.get().answers
    assert (answers["score"], answers["comment"]["text"]) == (30, "Much too short.")
    assert "draft" not in str(annotator.page.evaluate("Object.keys(localStorage)"))


def test_a_touch_that_scrolled_the_page_leaves_no_mark_in_the_draft(site, someone):  # noqa: F811
    campaign, annotator = made("esa"), someone(**DESKTOP)
    begin(annotator, campaign, name="scroll")
    word, touch = words(annotator).nth(1), {"bubbles": True, "button": 0, "pointerId": 1}
    word.dispatch_event("pointerdown", touch)
    expect(word).to_have_attribute("aria-pressed", "true")
    word.dispatch_event("pointercancel", touch)
    expect(word).to_have_attribute("aria-pressed", "false")
    drafts = annotator.page.evaluate("Object.values(localStorage).map((each) => JSON.parse(each))")
    assert [draft["0"][0]["marks"] for draft in drafts if "0" in draft] == [[]]
