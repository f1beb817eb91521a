"""`simulate_crowd`: a marked crowd that rates like people do, through services or HTTP."""

from __future__ import annotations

import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from analysis.results.marked import control_words
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.selectors.marked import answers_counting, controls_of, factuality_of
from analysis.selectors.ratings import ratings_of
from analysis.selectors.written import written_captions
from analysis.services.snapshots import snapshot_refresh
from annotations.models import Annotator, Assignment, FormAnswers, Mark, Rating
from hits.models import Campaign, Caption
from hits.protocols.segments import segments
from hits.services.composing import batch_compose
from rehearsal.demo import (
    captions,
    demo_scenes,
    judge,
    scene_named,
    video_name,
    wrong_phrases,
)
from rehearsal.people.work import subjects_of
from tests.annotations.person import Person, invite, link
from tests.factories import make_campaign, make_hit, to_describe


def simulate(campaign, *options):
    out = io.StringIO()
    call_command("simulate_crowd", campaign.slug, *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def wide(db):
    """A campaign with one HIT of thirty captions, for five people."""
    campaign = make_campaign(videos=15, systems=0, assignments=5, hit_size=30, pairs=6, repeats=3)
    batch_compose(campaign=campaign)
    return campaign


def test_everything_open_is_rated_by_annotators_marked_as_simulated(campaign):
    campaign.assignments = 2
    campaign.save()
    said = simulate(campaign, "--annotators", "3", "--mix", "honest=1")
    assert "2 HITs rated by 3 simulated annotators (3 honest)" in said
    assert Rating.objects.count() == 12
    assert not Annotator.objects.filter(is_simulated=False).exists()
    assert set(Assignment.objects.values_list("state", flat=True)) == {"submitted"}


def test_it_works_with_fluency_and_consent_too(campaign):
    Campaign.objects.update(asks_fluency=True, consent="Do you agree?")
    simulate(Campaign.objects.get(), "--annotators", "1")
    assert Rating.objects.filter(fluency__isnull=False).count() == 6


def test_the_evidence_is_that_of_somebody_who_watched(campaign):
    before = timezone.now()
    simulate(campaign, "--annotators", "1", "--mix", "honest=1")
    ratings = list(Rating.objects.order_by("position"))
    assert not any(rating.is_unwatched for rating in ratings)
    assert ratings[0].created_at < ratings[-1].created_at < before
    assert Assignment.objects.get().submitted_at == ratings[-1].created_at


def test_random_clickers_are_flagged_as_not_having_watched(campaign):
    simulate(campaign, "--annotators", "1", "--mix", "random=1")
    assert Rating.objects.filter(is_unwatched=True).count() >= 4


def test_the_same_seed_gives_the_same_ratings(db):
    runs = []
    for _ in range(2):
        campaign = make_campaign()
        make_hit(campaign)
        same = {"text": "A dog runs past a house in the rain."}
        Caption.objects.filter(video__campaign=campaign).update(**same)
        simulate(campaign, "--annotators", "2", "--seed", "9")
        rated = Rating.objects.filter(campaign=campaign).order_by("position")
        runs.append(list(rated.values_list("score", "client_elapsed_ms")))
    assert runs[0] == runs[1]


def test_honest_annotators_rate_damaged_captions_lower(wide):
    simulate(wide, "--annotators", "5", "--mix", "honest=1")
    assert Rating.objects.count() == 5 * 30
    for annotator in Annotator.objects.all():
        scores = dict(annotator.ratings.values_list("item_id", "score"))
        damaged = annotator.ratings.filter(kind="degraded")
        drops = [scores[rating.original_id] - rating.score for rating in damaged]
        assert np.mean(drops) > 0


def test_a_repeat_is_as_good_as_its_original(wide):
    hit = wide.batches.get().hits.first()
    subjects = {subject.position: subject for subject in subjects_of(wide, hit.pk, seed=1)}
    for repeat in hit.items.filter(kind="repeat").select_related("original"):
        assert subjects[repeat.position].quality == subjects[repeat.original.position].quality


def test_in_the_demo_captions_are_judged_by_what_the_scene_shows(db):
    campaign = make_campaign(videos=3, is_demo=True)
    scenes = demo_scenes(3)
    told = {}
    for scene, video in zip(scenes, campaign.videos.all(), strict=True):
        video.name = video_name(scene)
        video.save()
        texts = [caption.text for caption in captions(scene).values()]
        for row, text in zip(video.captions.all(), texts, strict=False):
            Caption.objects.filter(pk=row.pk).update(text=text)
            told[row.pk] = judge(scene, text)
    hit = make_hit(campaign)
    subjects = subjects_of(campaign, hit.pk, seed=1)
    originals = hit.items.exclude(kind="degraded").order_by("position")
    for item in originals:
        assert subjects[item.position].quality == told[item.caption_id]


def test_it_refuses_a_campaign_that_people_have_worked_on(campaign):
    Person(link(invite(campaign))).save(0)
    make_hit(campaign)
    with pytest.raises(CommandError, match="People have worked on this campaign"):
        simulate(campaign, "--annotators", "2")
    assert Rating.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--mix", "honest=2"], "mix"),
        (["--annotators", "0"], "count"),
        (["--through-http", "--base-url", "http://127.0.0.1:9"], "refused"),
    ],
)
def test_it_says_what_is_wrong(campaign, options, sentence):
    with pytest.raises(CommandError, match=sentence):
        simulate(campaign, *options)
    assert not Rating.objects.exists()


def test_it_says_when_there_is_no_such_campaign(db):
    with pytest.raises(CommandError, match="no campaign"):
        call_command("simulate_crowd", "nothing")


def test_through_http_the_same_ratings_arrive(transactional_db, live_server):
    campaign = make_campaign()
    make_hit(campaign)
    simulate(campaign, "--annotators", "2", "--through-http", "--base-url", live_server.url)
    assert Rating.objects.count() == 6
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED
    # The site's clock cannot be talked into a video having been watched.
    assert Rating.objects.filter(is_unwatched=True).count() == 6
    Campaign.objects.update(state=Campaign.State.DRAFT)  # SQLite is emptied row by row


def test_through_http_people_answer_the_form_first(transactional_db, live_server):
    asked = [
        {"name": "english", "text": "Your English?", "kind": "choice", "choices": ["good", "bad"]}
    ]
    campaign = make_campaign(questions={"form": asked})
    make_hit(campaign)
    simulate(campaign, "--annotators", "1", "--through-http", "--base-url", live_server.url)
    assert [each.answers for each in FormAnswers.objects.all()] == [{"english": "good"}]
    Campaign.objects.update(state=Campaign.State.DRAFT)


@pytest.fixture
def pages(db):
    """A campaign with one HIT of twelve videos, four captions each, and ten strangers."""
    sizes = {"hit_size": 58, "pairs": 10, "repeats": 0, "assignments": 4}
    campaign = make_campaign(videos=12, systems=3, protocol="consistency", **sizes)
    batch_compose(campaign=campaign)
    return campaign


def test_a_crowd_rates_pages_of_captions_and_strangers_tell_who_looked(pages):
    simulate(pages, "--annotators", "4", "--mix", "honest=0.75,random=0.25")
    ratings = ratings_of(pages, snapshot_refresh(campaign=pages).read())
    assert (len(ratings), ratings.score.min(), ratings.score.max()) == (4 * 58, 1, 5)
    found = analyse(ratings, Settings(protocol="consistency"))
    assert sorted(found.quality.status) == ["failed", "passed", "passed", "passed"]
    assert len(found.ranking.order) == 4
    assert "time" not in found.flags[found.quality.status.index("passed")]


def test_what_is_rated_on_one_page_took_one_page_of_time(pages):
    simulate(pages, "--annotators", "1", "--mix", "honest=1")
    rated = Rating.objects.order_by("position")
    open_for = {rating.created_at: rating.created_at - rating.served_at for rating in rated}
    assert len(open_for) == 12
    shared = ratings_of(pages, snapshot_refresh(campaign=pages).read()).seconds
    total = sum(spent.total_seconds() for spent in open_for.values())
    assert shared.sum() == pytest.approx(total)


def test_simulated_people_write_captions_each_in_their_way(db):
    campaign = to_describe(make_campaign(videos=6))
    batch_compose(campaign=campaign)
    Campaign.objects.update(assignments=4)
    simulate(Campaign.objects.get(), "--annotators", "4", "--mix", EVERY_HABIT)
    assert Rating.objects.filter(score=None).count() == 24
    listed = [row for row in written_captions(campaign) if row.doubts]
    reasons = {reason for row in listed for reason in row.doubts}
    assert any("other videos" in reason for reason in reasons)
    assert any("to say what happens" in reason for reason in reasons)
    assert len({row.annotator for row in listed}) < 4


def test_the_honest_find_damaged_words_and_others_hardly(db):
    sizes = {"hit_size": 42, "pairs": 6, "repeats": 0, "assignments": 2}
    campaign = make_campaign(videos=12, systems=2, protocol="factuality", **sizes)
    batch_compose(campaign=campaign)
    simulate(campaign, "--annotators", "2", "--mix", "honest=0.5,random=0.5")
    found = control_words(controls_of(answers_counting(campaign)))
    assert [each.captions for each in found] == [6, 6]
    worse, better = sorted(each.recall for each in found)
    assert worse < 0.7 < 0.8 < better


@pytest.mark.parametrize("protocol", ["esa", "mqm", "direct"])
def test_simulated_people_answer_every_question(db, protocol):
    slider = {"name": "detail", "text": "How much?", "high": 10, "step": 5, "ends": ["no", "all"]}
    sizes = {"hit_size": 20, "pairs": 2, "repeats": 2, "assignments": 1}
    own = {"comment": True, "sliders": [slider]}
    campaign = make_campaign(videos=10, systems=2, protocol=protocol, questions=own, **sizes)
    batch_compose(campaign=campaign)
    simulate(campaign, "--annotators", "2", "--mix", "honest=0.5,random=0.5")
    asked = {question.name for question in campaign.asked.questions}
    assert Rating.objects.count() > 0
    assert all(rating.answers.keys() == asked for rating in Rating.objects.all())
    assert {rating.answers["detail"] for rating in Rating.objects.all()} <= {0, 5, 10}


EVERY_HABIT = "honest=0.25,careless=0.25,random=0.25,constant=0.25"


def drawn(videos):
    """A factuality campaign of scenes that we drew, told by people and by programs."""
    sizes = {"hit_size": 4 * videos, "pairs": 0, "repeats": 0, "assignments": 3}
    made = make_campaign(videos=videos, systems=3, is_demo=True, protocol="factuality", **sizes)
    for scene, video in zip(demo_scenes(videos), made.videos.all(), strict=True):
        video.name = video_name(scene)
        video.save()
        told = captions(scene)
        sources = ("imaginative", "restless", "confused", "human-b")
        for row, source in zip(video.captions.order_by("pk"), sources, strict=False):
            Caption.objects.filter(pk=row.pk).update(text=told[source].text)
    batch_compose(campaign=made)
    return made


def test_people_who_look_find_the_words_that_are_wrong_in_a_drawn_scene(db):
    """Each overlooks a tenth of them, so that two of three find 97 %; constant people find none."""
    made = drawn(12)
    rows = Caption.objects.filter(video__campaign=made, items__isnull=False).distinct()
    truth, words = 0, 0
    for row in rows.select_related("video"):
        spans = segments(row.text, "word")
        wrong = wrong_phrases(scene_named(row.video.name), row.text)
        words += len(spans)
        truth += sum(any(a < end and start < b for a, b in wrong) for start, end in spans)
    simulate(made, "--annotators", "3", "--mix", "honest=1")
    found = factuality_of(made)
    errors = {each["level"]: each for each in found.errors}
    assert errors["word"]["units"] == words
    assert errors["word"]["share"] == pytest.approx(truth / words, rel=0.15)
    assert {each.level: each.alpha for each in found.agreements}["word"] > 0.7


def test_the_honest_say_that_there_is_no_error_just_where_they_mark_none(db):
    simulate(drawn(12), "--annotators", "3", "--mix", "honest=1")
    marked = set(Mark.objects.values_list("rating", flat=True))
    faultless = set(Rating.objects.filter(score=5).values_list("pk", flat=True))
    assert marked
    assert marked | faultless == set(Rating.objects.values_list("pk", flat=True))
    assert not marked & faultless


def test_constant_people_mark_nothing_and_random_ones_agree_with_nobody(db):
    made = drawn(6)
    simulate(made, "--annotators", "3", "--mix", "constant=1")
    assert not Mark.objects.exists()
    assert len(set(Rating.objects.values_list("annotator", "score"))) == 3
    again = drawn(6)
    simulate(again, "--annotators", "3", "--mix", "random=1")
    assert {each.level: each.alpha for each in factuality_of(again).agreements}["word"] < 0.3
