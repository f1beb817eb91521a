"""Written captions: read, removed, put back, downloaded, and given to the next campaign."""

from __future__ import annotations

import csv

import pytest
from django.urls import reverse

from annotations.models import Rating, Removal
from annotations.selectors.work import session_of
from annotations.services.assignments import assignment_return
from hits.models import Batch, Caption
from hits.services.composing import batch_compose
from tests.annotations.person import Person, invite, link
from tests.annotations.test_describing import write
from tests.factories import make_campaign, to_describe
from tests.pages import body, markup

pytestmark = pytest.mark.django_db
WORDS = {
    "Anna": ("A man is talking.", "Two boys kick a ball.", "A cat climbs a tree."),
    "Ben": ("An old man reads a letter.", "Children play football.", "A grey cat hides."),
}


@pytest.fixture
def campaign(db):
    """Three videos, described by two people."""
    made = to_describe(make_campaign(videos=3))
    batch_compose(campaign=made)
    for name, sentences in WORDS.items():
        person = Person(link(invite(made, name)))
        for position, text in enumerate(sentences):
            assert write(person, position, {"text": text, "ticks": ["who"]}).status_code == 200
        person.submit()
    return made


@pytest.fixture
def page(client, campaign):
    client.force_login(campaign.owner)
    address = reverse("analysis:written", args=[campaign.slug])
    return lambda query="": markup(client.get(address + query))


def references(client, campaign):
    answer = client.get(reverse("analysis:download", args=[campaign.slug, "references", "csv"]))
    return list(csv.DictReader(body(answer).decode().splitlines()))


def decide(client, campaign, decision, *texts):
    rows = Rating.objects.filter(answers__caption__text__in=texts).values_list("pk", flat=True)
    address = reverse("analysis:written-decide", args=[campaign.slug])
    return client.post(address, {"ratings": list(rows), "decision": decision}, follow=True)


def test_every_sentence_is_listed_the_doubtful_one_first(page):
    shown = page()
    places = [shown.index(text) for sentences in WORDS.values() for text in sentences]
    assert min(places) == shown.index("A man is talking.")
    assert "2 words to say what happens" in shown
    assert "3 videos, 2 sets: A, B." in shown
    assert "A man is talking." in page("?show=doubtful")
    assert "Two boys" not in page("?show=doubtful")


def test_nothing_is_left_out_before_a_person_says_so(client, campaign, page):
    rows = references(client, campaign)
    assert [row["source"] for row in rows] == ["A"] * 3 + ["B"] * 3
    assert {row["caption"] for row in rows} == set(WORDS["Anna"] + WORDS["Ben"])
    assert set(rows[0]) == {"video", "source", "caption"}


def test_a_removed_sentence_stays_on_the_page_and_can_be_put_back(client, campaign, page):
    answer = decide(client, campaign, "remove", "A man is talking.")
    assert "Removed from the references: 1." in markup(answer)
    assert Removal.objects.get().by == campaign.owner
    assert "A man is talking." in page("?show=removed")
    assert len(references(client, campaign)) == 5
    decide(client, campaign, "remove", "A man is talking.")
    decide(client, campaign, "keep", "A man is talking.")
    assert not Removal.objects.exists()
    assert len(references(client, campaign)) == 6


def test_only_ratings_of_the_campaign_can_be_decided_about(client, campaign, page):
    address = reverse("analysis:written-decide", args=[campaign.slug])
    for ratings in ([], ["x"], [10**9]):
        answer = client.post(address, {"ratings": ratings, "decision": "remove"}, follow=True)
        assert "Select captions first." in markup(answer)
    assert not Removal.objects.exists()


def test_work_that_was_given_back_is_not_listed(client, campaign):
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign, "Cleo")))
    assert write(person, 0).status_code == 200
    assignment_return(session=session_of(person.assignment))
    client.force_login(campaign.owner)
    assert len(references(client, campaign)) == 6


def test_a_second_batch_makes_further_sets(client, campaign):
    batch_compose(campaign=campaign)
    assert write(Person(link(invite(campaign, "Cleo"))), 0).status_code == 200
    client.force_login(campaign.owner)
    assert {row["source"] for row in references(client, campaign)} == {"A", "B", "A-2"}


def test_one_click_makes_them_the_control_set_of_a_draft(client, campaign, page):
    draft = make_campaign(owner=campaign.owner, videos=2)
    assert draft.name in page()
    address = reverse("analysis:written-adopt", args=[campaign.slug])
    answer = client.post(address, {"into": draft.slug}, follow=True)
    assert "A is its control set" in markup(answer)
    assert draft.systems.get(is_control=True).name == "A"
    mine = Caption.objects.filter(system__campaign=draft, system__name__in="AB")
    assert sorted(mine.values_list("video__name", flat=True)) == ["clip00"] * 2 + ["clip01"] * 2
    again = client.post(address, {"into": draft.slug}, follow=True)
    assert "has a system called" in markup(again)
    batch_compose(campaign=draft_fitting(draft))
    assert Batch.objects.filter(campaign=draft).exists()
    late = client.post(address, {"into": draft.slug}, follow=True)
    assert "Choose a draft" in markup(late)


def draft_fitting(draft):
    draft.hit_size, draft.pairs, draft.repeats = 10, 1, 2
    draft.save()
    return draft


def test_pages_of_ratings_say_that_there_are_none(client, campaign):
    client.force_login(campaign.owner)
    for name in ("ranking", "annotator-list", "caption-list", "overview", "evaluation", "metrics"):
        assert client.get(reverse(f"analysis:{name}", args=[campaign.slug])).status_code == 200
    hit = campaign.batches.get().hits.get()
    inspected = client.get(reverse("analysis:hit-detail", args=[campaign.slug, hit.pk]))
    assert "Two boys kick a ball." in markup(inspected)


def test_a_campaign_of_ratings_has_no_written_captions(client, db):
    campaign = make_campaign()
    client.force_login(campaign.owner)
    page = client.get(reverse("analysis:written", args=[campaign.slug]))
    assert "Captions are rated here, not written" in markup(page)
    address = reverse("analysis:download", args=[campaign.slug, "references", "csv"])
    assert client.get(address).status_code == 404


def test_a_sentence_is_words_and_never_a_part_of_the_page(client):
    campaign = to_describe(make_campaign(videos=1))
    batch_compose(campaign=campaign)
    person = Person(link(invite(campaign, "Eve")))
    text = "<b onclick=x>A dog</b> chases {{ 7 }} sheep."
    assert write(person, 0, {"text": text, "ticks": []}).status_code == 200
    person.submit()
    client.force_login(campaign.owner)
    page = markup(client.get(reverse("analysis:written", args=[campaign.slug])))
    assert "&lt;b onclick=x&gt;A dog&lt;/b&gt; chases {{ 7 }} sheep." in page
    assert "<b onclick" not in page
