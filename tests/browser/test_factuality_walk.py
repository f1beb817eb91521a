"""Three people finish a factuality campaign, one video is sent back, and the numbers are right."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from analysis.results.marked import agreements
from analysis.selectors.marked import judged_paragraphs
from annotations.models import Correction, Mark, Rating
from hits.services.composing import batch_compose
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.member import Member
from tests.browser.test_marking import go_on_practice, words
from tests.browser.test_whole_videos import (  # noqa: F401 - someone is a fixture
    DESKTOP,
    PHONE,
    choose,
    entries,
    go_on,
    someone,
)

VIDEOS = 10
REMARK = "Is “shows” really wrong?"
SLIP = ("Cid", "clip00", "human-b")
# Everybody finds the second word of system-0 wrong, Cid the third as well; human-b is all right.
LEVELS = {"Ann": 3, "Ben": 4, "Cid": 2}


@pytest.fixture
def campaign(site):
    made = clip_campaign(
        compose=True,
        videos=VIDEOS,
        systems=1,
        protocol="factuality",
        hit_size=2 * VIDEOS,
        pairs=0,
        repeats=0,
        assignments=3,
    )
    batch_compose(campaign=made)
    return made


def planned(who, clip, system):
    """The words to be marked, and the level."""
    if (who, clip, system) == SLIP:
        return [7], 4
    if system == "human-b":
        return [], 5
    return ([1, 2] if who == "Cid" else [1]), LEVELS[who]


def press(annotator, what):
    what.tap() if annotator.tap else what.click()


def judge_page(annotator, who):
    expect(words(annotator).first).to_be_visible()
    for entry in entries(annotator).all():
        said = entry.locator(".word").all_inner_texts()
        marked, level = planned(who, said[6], said[1])
        for at in marked:
            press(annotator, entry.locator(".word").nth(at))
        press(annotator, entry.locator("label").nth(level - 1))


def progress(annotator, page):
    annotator.expect_progress(f"{2 * page + 1}–{2 * page + 2} of {2 * VIDEOS}")


def finish(annotator, campaign, who):
    """From the link to the end; a reload and an offline spell on the way lose nothing."""
    annotator.tap = annotator.page.viewport_size["width"] < 400
    annotator.start(campaign, who)
    annotator.page.get_by_role("button", name="Try one").click()
    press(annotator, words(annotator).nth(3))
    choose(annotator, [4, 5, 5])
    go_on_practice(annotator)
    annotator.page.get_by_role("button", name="Start rating").click()
    for page in range(VIDEOS):
        progress(annotator, page)
        judge_page(annotator, who)
        if (who, page) == ("Ben", 1):
            reload_before_sending(annotator)
        if (who, page) == ("Ann", 2):
            annotator.context.set_offline(True)
            go_on(annotator)
            expect(annotator.page.locator("#saved")).to_have_text(re.compile("Offline"))
            annotator.context.set_offline(False)
            expect(annotator.page.locator("#saved")).to_have_text("Saved")
        else:
            go_on(annotator)
    annotator.submit()


def reload_before_sending(annotator):
    before = pressed(annotator)
    assert any("true" in row for row in before)
    annotator.page.reload()
    annotator.play()
    expect(words(annotator).first).to_be_enabled()
    assert pressed(annotator) == before
    assert annotator.page.locator("input[type=radio]:checked").count() == 2


def pressed(annotator):
    return [
        [word.get_attribute("aria-pressed") for word in entry.locator(".word").all()]
        for entry in entries(annotator).all()
    ]


def correct(annotator, campaign):
    """Open the link again, see the remark, take back the mark and raise the level."""
    annotator.open(campaign, "Cid")
    expect(annotator.page.locator("#sent-back")).to_contain_text(REMARK)
    annotator.picture("sent-back-360")
    assert annotator.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    annotator.page.evaluate("scrollTo(0, 0)")
    assert violations(annotator.page) == []
    for entry in entries(annotator).all():
        if entry.locator(".word").nth(1).inner_text() == "human-b":
            press(annotator, entry.locator(".word").nth(7))
            press(annotator, entry.locator("label").nth(4))
    go_on(annotator)
    expect(annotator.page.get_by_role("heading", name="That was everything")).to_be_visible()
    annotator.submit()


def organiser(site, browser, campaign, width, scheme):
    member = Member(site, browser, width, scheme)
    member.come_in(campaign.owner)
    member.page.goto(f"{site.url}/campaigns/{campaign.slug}/factuality/")
    member.stop("Factuality")
    return member


def test_a_campaign_is_finished_corrected_and_counted(
    someone,  # noqa: F811
    site,
    browser,
    campaign,
):
    people = {"Ann": DESKTOP, "Ben": DESKTOP, "Cid": PHONE}
    browsers = {who: someone(**options) for who, options in people.items()}
    for who, annotator in browsers.items():
        finish(annotator, campaign, who)
    assert Rating.objects.count() == 3 * 2 * VIDEOS
    before = list(Rating.objects.values()), list(Mark.objects.values())

    slip = Rating.objects.get(
        score=4, marks__isnull=False, annotator__identity__external_id__endswith="Cid"
    )
    place = f"#video-{slip.assignment_id}-{slip.caption.video_id}"
    member = organiser(site, browser, campaign, 1440, "light")
    member.page.get_by_role("link", name=slip.annotator.pseudonym).first.click()
    member.stop("What ")
    video = member.page.locator(place)
    video.get_by_text("Send this video back").click()
    video.get_by_label("What should they look at again?").fill(REMARK)
    video.get_by_role("button", name="Send back").click()
    expect(member.page.locator(place)).to_contain_text("sent back")
    member.close()

    correct(browsers["Cid"], campaign)
    assert Correction.objects.get().done_at is not None
    assert list(Rating.objects.values())[: len(before[0])] == before[0]
    assert list(Mark.objects.values())[: len(before[1])] == before[1]
    assert Rating.objects.filter(revision=2).count() == 1

    # By hand. Words: 160 a person, so 480 answers, 40 of them "wrong"; in 10 words one of three
    # differs. Levels: 3, 4 and 2 of ten captions, 5 of the other ten, 60 in all; their squared
    # differences, over all pairs both ways, sum up to 9,600.
    alphas = {each.level: each.alpha for each in agreements(judged_paragraphs(campaign))}
    assert alphas["word"] == pytest.approx(1 - (20 / 480) / (2 * 40 * 440 / (480 * 479)))
    assert alphas["sentence"] == pytest.approx(1)
    assert alphas["paragraph"] == pytest.approx(1 - 1 / (9600 / (60 * 59)))
    member = organiser(site, browser, campaign, 360, "dark")
    rows = member.page.locator("section[aria-labelledby=errors] tbody tr").all()
    counts = [
        [int(part) for part in re.findall(r"\b\d+\b(?!\.)", each)[:2]] for each in map(cells, rows)
    ]
    assert counts == [[20, 10], [20, 10], [160, 10]]
    member.page.get_by_role("link", name=slip.annotator.pseudonym).first.click()
    member.stop("What ")
    expect(member.page.locator(place)).to_contain_text("corrected")
    member.close()


def cells(row):
    return " ".join(row.locator("td").all_inner_texts())
