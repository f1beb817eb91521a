"""A campaign's own tutorial: judged answer by answer, passed once, erased with the person."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotations.models import Rating, TutorialPass
from hits.importing.reading import read_campaign
from tests.annotations.person import Person, invite, link
from tests.annotations.test_preview import PREVIEW, work_of
from tests.factories import make_campaign, make_hit
from tests.folders import make_folder
from tests.hits.test_importing_settings import read
from tests.pages import shown

pytestmark = pytest.mark.django_db
LESSONS = [
    {
        "video": "clip01",
        "caption": "A dog <sleeps>.",
        "expect": {"score": [0, 40]},
        "feedback": "The dog & the cat run.",
    },
    {"caption": "A dog runs.", "expect": {"score": [60, 100]}, "feedback": "All is right."},
]
GOOD = {"-2": {"score": 10}, "-1": {"score": 90}}


@pytest.fixture
def campaign(db):
    made = make_campaign(questions={"tutorial": LESSONS})
    make_hit(made)
    make_hit(made)
    return made


def check(person, answers):
    return person.post("/rate/tutorial", {"answers": answers})


def verdicts(response):
    return [(each["position"], each["fits"]) for each in response.json()["verdicts"]]


def test_the_page_brings_its_captions_and_neither_what_is_expected_nor_the_feedback(campaign):
    person = Person(link(invite(campaign)))
    assert [item["text"] for item in person.work["practice"]] == [
        "A dog <sleeps>.",
        "A dog runs.",
    ]
    assert [item["page"] for item in person.work["practice"]] == [[-2, -1], [-1, 0]]
    assert (person.work["tutorial"], person.work["experienced"]) == (True, False)
    for hidden in ("expect", "feedback"):
        assert not any(hidden in item for item in person.work["practice"])


def test_its_videos_are_the_campaigns_or_the_clip_for_practice(campaign):
    person = Person(link(invite(campaign)))
    own, clip = (item["media"] for item in person.work["practice"])
    assert person.client.get(own)["Location"] == "https://videos.example/1.mp4"
    assert "practice" in clip
    assert person.client.get(own[:-1] + "_").status_code == 404


def test_wrong_answers_are_told_why_and_tried_again_and_all_right_is_passed(campaign):
    person = Person(link(invite(campaign)))
    wrong = check(person, {"-2": {"score": 41}})
    assert verdicts(wrong) == [(-2, False)]
    assert wrong.json()["verdicts"][0]["feedback"] == "The dog & the cat run."
    assert verdicts(check(person, GOOD | {"-1": {"score": 59}})) == [(-2, True), (-1, False)]
    assert not TutorialPass.objects.exists()
    for _ in range(2):
        assert verdicts(check(person, GOOD)) == [(-2, True), (-1, True)]
    assert TutorialPass.objects.get().annotator == person.assignment.annotator
    assert not Rating.objects.exists()


def test_right_answers_to_a_part_of_it_are_not_passed(campaign):
    check(Person(link(invite(campaign))), {"-1": {"score": 90}})
    assert not TutorialPass.objects.exists()


def test_whoever_passed_may_skip_it_the_next_time_and_nobody_else(campaign):
    first = Person(link(invite(campaign, "anna@example.org")))
    check(first, GOOD)
    first.save_all()
    first.submit()
    second = Person(link(invite(campaign, "anna@example.org")))
    assert second.assignment.hit != first.assignment.hit
    assert second.work["experienced"] is True
    other = make_campaign(questions={"tutorial": LESSONS})
    make_hit(other)
    assert Person(link(invite(other, "anna@example.org"))).work["experienced"] is False


@pytest.mark.parametrize(
    "answers",
    [{}, {"-3": {"score": 1}}, {"0": {"score": 1}}, {"-2": {"score": 101}}, {"-2": {}}, {"-2": 5}],
)
def test_answers_that_are_none_are_refused(campaign, answers):
    person = Person(link(invite(campaign)))
    assert check(person, answers).status_code == 400
    assert not TutorialPass.objects.exists()


def test_work_that_has_ended_has_no_tutorial(campaign):
    person = Person(link(invite(campaign)))
    person.post("/rate/return", {})
    assert check(person, GOOD).status_code == 410
    assert not TutorialPass.objects.exists()


def test_a_person_who_is_erased_has_not_passed(campaign):
    person, other = (Person(link(invite(campaign, name))) for name in ("Anna", "Ben"))
    for each in (person, other):
        check(each, GOOD)
    call_command("erase", annotator=person.assignment.annotator.pseudonym)
    assert TutorialPass.objects.get().annotator == other.assignment.annotator


def test_the_annotators_page_says_whether_it_was_passed(campaign, client):
    person = Person(link(invite(campaign)))
    client.force_login(campaign.owner)
    address = reverse(
        "analysis:annotator-detail", args=[campaign.slug, person.assignment.annotator.pseudonym]
    )
    assert "Has not passed the tutorial" in shown(client.get(address))
    check(person, GOOD)
    assert "Passed the tutorial on" in shown(client.get(address))


def test_an_organisers_preview_has_it_with_feedback_and_a_strangers_has_neither(campaign, client):
    from tests.annotations.person import crowd_link

    client.force_login(campaign.owner)
    work = work_of(client.get(reverse("crowds:campaign-preview", args=[campaign.slug])))
    assert [item["feedback"] for item in work["practice"]] == [each["feedback"] for each in LESSONS]
    looking = work_of(Client().get(crowd_link(campaign) + PREVIEW))
    assert looking["tutorial"] is False
    assert "<sleeps>" not in str(looking)


def test_captions_of_one_video_are_one_page_where_pages_show_videos(db):
    both = [LESSONS[0] | {"expect": {"score": 1}}, LESSONS[1] | {"expect": {"score": 5}}]
    both.append(both[1] | {"caption": "Two dogs run."})
    campaign = make_campaign(
        protocol="consistency", repeats=0, pairs=1, questions={"tutorial": both}
    )
    make_hit(campaign)
    person = Person(link(invite(campaign)))
    assert [item["page"] for item in person.work["practice"]] == [[-3, -2], [-2, 0], [-2, 0]]


LESSON = '[[tutorial]]\ncaption = "A dog."\nexpect = { score = 3 }\nfeedback = "b"\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("tutorial = 1", "at most 10 tables"),
        (LESSON * 11, "at most 10 tables"),
        (LESSON.replace("feedback", "said"), "with the keys caption"),
        (LESSON.replace('"b"', '"two\\nlines"'), "in one line"),
        (LESSON.replace('"b"', "1"), "in one line"),
        (LESSON + "video = 1\n", "in one line"),
        (LESSON.replace("= 3", '= "3"'), "expect for each"),
        (LESSON.replace("= 3", "= 300"), "numbers from 0 to 100 for score"),
        ('protocol = "esa"\n' + LESSON.replace("score = 3", 'marks = ["cat"]'), "as they stand"),
        ('protocol = "describe"\n' + LESSON, "nobody reads a caption"),
    ],
)
def test_a_tutorial_that_cannot_be_judged_is_refused(tmp_path, content, said):
    _, faults = read(tmp_path, content)
    assert said in " ".join(map(str, faults))


def test_a_video_that_is_not_in_the_list_is_refused_with_its_name(tmp_path):
    folder = make_folder(tmp_path / "made", videos=3, systems=2)
    path = folder / "campaign.toml"
    before = path.read_text()
    for video, fault in (
        ("elsewhere", "'elsewhere', of the tutorial, is not in the list"),
        ("", ""),
    ):
        more = LESSON + (f'video = "{video}"\n' if video else "")
        path.write_text(before + "\n" + more)
        said = " ".join(map(str, read_campaign(folder).faults))
        assert (fault in said) if fault else ("tutorial" not in said)
