"""Every page a member opens, on four screens: nothing jumps, one section is lit, axe is content."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotations.selectors.work import session_of
from annotations.tokens import session_sign
from crowds.invite.group_links import group_link_offer, join_address
from crowds.models import Launch
from hits.models import Campaign, Upload
from tests.access.conftest import results_of, rows_of, work_of
from tests.access.kinds import KINDS
from tests.access.matrix import CHANGE, IMPORT, LOOK, MEMBER, ROWS, UPLOAD
from tests.annotations.person import Person, crowd_link, invite, link
from tests.browser.axe import violations
from tests.browser.member import SCREENS, Member
from tests.factories import make_annotator, make_hit, make_user

OPENED = (LOOK, CHANGE, MEMBER, IMPORT, UPLOAD)
# What is sent to these is a form, and what these answer is a part of a page or a file.
NO_PAGES = {
    "hits:batch-compose", "analysis:annotators-order", "analysis:overview", "analysis:download",
    "analysis:download-of", "analysis:result-file", "hits:video-file", "hits:video-poster",
    "crowds:link-file", "annotations:hit-preview", "hits:video-conversions",
    "crowds:campaign-preview",
}  # fmt: skip
MOST_SHIFT = 0.05
# What the browser itself says of things that moved though nobody touched anything.
WATCH = """window.shifted = [];
new PerformanceObserver((list) => {
    for (const each of list.getEntries()) {
        if (each.hadRecentInput) continue;
        const parts = each.sources.map((part) => part.node?.outerHTML?.slice(0, 80));
        window.shifted.push([each.value, parts]);
    }
}).observe({ type: "layout-shift", buffered: true });"""
# Borders of controls that can be used, with the contrast to what is around them (WCAG 1.4.11).
FAINT = """[...document.querySelectorAll("a.button, a.chip, button, input, select, textarea")]
    .filter((each) => each.checkVisibility() && !each.disabled && each.type !== "checkbox")
    .map((each) => {
        const style = getComputedStyle(each);
        const drawn = style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0;
        const rgba = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
        const seen = (text) => rgba(text).length === 3 || rgba(text)[3] === 1;
        if (!drawn || !seen(style.borderTopColor)) return null;
        const filled = (node) => seen(getComputedStyle(node).backgroundColor);
        let around = each.parentElement;
        while (around && !filled(around)) around = around.parentElement;
        const light = (text) => rgba(text).slice(0, 3)
            .map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        const ground = getComputedStyle(around ?? document.documentElement).backgroundColor;
        const pair = [light(style.borderTopColor), light(ground)].sort((a, b) => b - a);
        const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
        return contrast < 3 ? `${contrast.toFixed(2)} ${each.outerHTML.slice(0, 120)}` : null;
    })
    .filter(Boolean)"""
TOP = "(name) => document.querySelector(name)?.getBoundingClientRect().top"


@pytest.fixture(autouse=True)
def no_queue(woken):
    """Nothing listens."""


@pytest.fixture
def addresses(transactional_db, settings, tmp_path, organiser) -> dict[str, str]:
    """Every page, by name, of a campaign that is rated and still has work left."""
    settings.DATA_DIR = tmp_path / "data"
    campaign = KINDS["usual"].begin(organiser, tmp_path)
    anna = Person(link(invite(campaign)), consent="yes")
    upload = Upload.objects.create(owner=organiser, filename="a.zip", status="done")
    things = defaultdict(
        int,
        {"slug": campaign.slug, "upload": upload.pk}
        | rows_of(campaign, organiser)
        | work_of(campaign, organiser, anna)
        | results_of(campaign, organiser),
    )
    Launch.objects.get(pk=things["launch"]).publications.first().submissions.create(
        crowd="invite", external_id="1", annotator=make_annotator(), status="submitted"
    )
    return {
        name: reverse(name, args=[things[arg] for arg in row.args]) + row.query
        for name, row in ROWS.items()
        if row.methods.get("GET") in OPENED and name not in NO_PAGES
    }


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def member(request, site, browser, organiser):
    person = Member(site, browser, *request.param)
    person.come_in(organiser)
    person.page.add_init_script(WATCH)
    yield person
    person.context.close()


def arrive(member: Member, address: str) -> None:
    """Until charts are drawn and nothing more is asked for."""
    page = member.page
    page.goto(member.site.url + address)
    for chart in page.locator("[data-chart]").all():
        chart.locator("svg.marks").wait_for(state="attached")
    page.wait_for_load_state("networkidle")


def faults_of(member: Member, name: str) -> list[tuple[str, str, object]]:
    """What is wrong with a page that has come to rest."""
    page = member.page
    shifted = page.evaluate("window.shifted")
    found = {
        "shifts": shifted if sum(value for value, _ in shifted) >= MOST_SHIFT else [],
        "is too wide": page.evaluate("document.documentElement.scrollWidth") > member.width,
        "has faint borders": page.evaluate(FAINT),
        "axe": violations(page),
    }
    return [(name, what, seen) for what, seen in found.items() if seen]


def test_every_page_stands_still(member, addresses):
    page, faults = member.page, []
    tops: dict[str, set[float]] = defaultdict(set)
    for name, address in addresses.items():
        arrive(member, address)
        faults += faults_of(member, name)
        lit = page.locator(".tabs [aria-current]").count()
        if page.locator(".tabs").count():
            tops["tabs"].add(page.evaluate(TOP, ".tabs"))
            tops["title below tabs"].add(page.evaluate(TOP, "h1"))
            if lit != 1:
                faults.append((name, "lit sections", lit))
        else:
            tops["title"].add(page.evaluate(TOP, "h1"))
    assert not faults
    assert {part: len(found) for part, found in tops.items()} == dict.fromkeys(tops, 1), tops
    assert len(tops) == 3


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def guest(request, site, browser):
    """Somebody who has not logged in."""
    person = Member(site, browser, *request.param)
    person.page.add_init_script(WATCH)
    yield person
    person.context.close()


def ways_in(campaign: Campaign) -> dict[str, str]:
    """Every page that annotators open, and its address."""
    anna, ben = link(invite(campaign, "Anna")), Person(link(invite(campaign, "Ben")), consent="yes")
    ben.save_all()
    ben.submit()
    work = Person(link(invite(campaign, "Carl")), consent="yes").assignment
    group = join_address(group_link_offer(campaign=campaign, people=3, by=None))
    return {
        "enter": anna,
        "join": "/rate/" + group.partition("/rate/")[2],
        "rate": reverse("annotations:rate", args=[session_sign(session_of(work))]),
        "done": reverse("crowds:done", args=[session_sign(session_of(ben.assignment))]),
        "refusal": f"{anna[:-9]}damaged/",
        "preview": f"{crowd_link(campaign)}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE",
    }


def test_every_page_of_annotators_stands_still(guest, campaign):
    make_hit(campaign)
    make_hit(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(consent="Do you agree?", contact="us@da.example")
    faults = []
    for name, address in ways_in(campaign).items():
        arrive(guest, address)
        faults += faults_of(guest, name)
        picture(guest, name)
    assert not faults


def test_pages_outside_campaigns_and_errors_stand_still(guest, settings):
    settings.DEBUG = False
    address = guest.site.url + "/broken/"
    broken = render_to_string("500.html")
    guest.page.route(
        address, lambda route: route.fulfill(status=500, body=broken, content_type="text/html")
    )
    faults = []
    for name in ("/accounts/login/", "/no-such-page/", "/broken/"):
        arrive(guest, name)
        faults += faults_of(guest, name)
        picture(guest, name.strip("/").replace("/", "-"))
    guest.come_in(make_user())
    for name in (reverse("hits:upload-create"), reverse("password_change")):
        arrive(guest, name)
        faults += faults_of(guest, name)
    assert not faults


def picture(member: Member, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        path = f"{folder}/{name}-{member.width}.png".replace(" ", "-")
        member.page.screenshot(path=path, full_page=True)


RESULTS = {
    "analysis:ranking": "#ranking",
    "analysis:annotator-list": "tbody tr",
    "analysis:caption-list": "tbody tr",
    "analysis:pair": "#both",
    "crowds:review": "tbody tr",
    "hits:hit-list": "tbody tr",
    "hits:video-list": ".posters",
}


def test_on_a_phone_results_come_before_options(member, addresses):
    for name, results in RESULTS.items():
        arrive(member, addresses[name])
        found = member.page.locator(results).first
        assert found.count(), name
        first = found.bounding_box()
        assert first is not None, name
        assert first["y"] < 700, name


def test_filters_and_options_are_one_tap_away(member, addresses):
    arrive(member, addresses["analysis:caption-list"])
    member.filters()
    member.page.get_by_label("Words or video").fill("zebra")
    member.page.get_by_role("button", name="Show").click()
    member.page.get_by_role("heading", name="No matching captions").wait_for()
    arrive(member, addresses["analysis:ranking"])
    member.page.locator("summary", has_text="Options").click()
    member.page.get_by_label("Whose ratings").select_option("all")
    member.page.get_by_role("button", name="Show").click()
    member.page.get_by_text("Whose ratings: All annotators").wait_for()
