"""Factuality of a campaign: marks of three people become shares, agreement and files."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.urls import reverse

from analysis.models import PhraseCategory
from analysis.selectors.marked import judged_paragraphs
from analysis.services.keys import key_create
from annotations.models import Assignment
from annotations.services.assignments import batches_open
from crowds.services.reviews import video_send_back
from hits.models import Campaign, Caption, HitItem
from hits.selectors.damage import damages
from hits.services.composing import batch_compose
from hits.services.importing import caption_correct
from tests.analysis.runs.test_image_campaign import picture
from tests.analysis.test_api import ask
from tests.annotations.person import Person, invite, link
from tests.annotations.test_marking import judge
from tests.factories import make_campaign
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db
SYSTEMS = ("system-0", "system-1", "human-b")


@pytest.fixture
def campaign(db):
    """Two videos, three systems; everybody finds "system-…" or "human-b" wrong, two "caption"."""
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0, assignments=3
    )
    return judged_by_three(made)


def judged_by_three(made):
    batch_compose(campaign=made)
    for number in range(3):
        person = Person(link(invite(made, f"Person {number}")))
        for position in range(6):
            [words] = person.items[position]["sentences"]
            marks = [[*words[1], "wrong"]] + ([[*words[2], "wrong"]] if number else [])
            if number:
                marks = [[words[1][0], words[2][1], "wrong"]]
            assert judge(person, position, marks, 2 + number).status_code == 200
        assert person.submit().status_code == 200
    return made


def page(client, campaign, name="factuality", *args):
    client.force_login(campaign.owner)
    return client.get(reverse(f"analysis:{name}", args=[campaign.slug, *args]))


def test_shares_and_agreement_are_those_computed_by_hand(client, campaign):
    """Eight words a caption, two of which most marked; levels 2, 3 and 4 of everything."""
    said = shown(page(client, campaign))
    context = page(client, campaign).context
    errors = {row["level"]: (row["units"], row["wrong"]) for row in context["errors"]}
    assert errors == {"paragraph": (6, 6), "sentence": (6, 6), "word": (48, 12)}
    assert {row["paragraph"] for row in context["systems"]} == {3.0}
    word = next(each for each in context["agreements"] if each.level == "word")
    # 144 values, 30 of them 1; in 6 of 48 words one of three differs.
    assert word.alpha == pytest.approx(1 - (6 * 2 / 144) / (2 * 30 * 114 / (144 * 143)))
    assert "Marked more than once" in said
    assert len(context["pairs"]) == 3


def test_captions_of_images_are_marked_and_counted_as_those_of_videos(client, db):
    """As MSCOCO-Fact (factvc-2023): a level, sentences and words of captions of images."""
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0, assignments=3
    )
    for video in made.videos.all():
        video.codec, video.duration, video.url = "png", 0, ""
        video.file.save(f"images/{video.pk}.png", ContentFile(picture("png")), save=True)
    judged_by_three(made)
    errors = {row["level"]: row["wrong"] for row in page(client, made).context["errors"]}
    assert errors == {"paragraph": 6, "sentence": 6, "word": 12}
    content = json.loads(body(page(client, made, "factuality-file")))
    assert {score["paragraph_score"] for one in content.values() for score in one.values()} == {3}


def test_analyse_reads_the_file_and_finds_the_same(client, campaign, tmp_path):
    content = body(page(client, campaign, "factuality-file"))
    path = tmp_path / "factuality_annotation.json"
    path.write_bytes(content)
    call_command("analyse", str(path), "--out", str(tmp_path / "out"), stdout=io.StringIO())
    errors = pd.read_csv(tmp_path / "out" / "errors.csv").set_index("level")
    assert errors["wrong"].to_dict() == {"paragraph": 6, "sentence": 6, "word": 12}
    assert set(json.loads(content)) == {"clip00", "clip01"}


def test_everybodys_answers_give_the_same_agreement_from_their_file(client, campaign, tmp_path):
    path = tmp_path / "marks.csv"
    path.write_bytes(body(page(client, campaign, "download", "marks", "csv")))
    call_command("analyse", str(path), "--out", str(tmp_path / "out"), stdout=io.StringIO())
    found = pd.read_csv(tmp_path / "out" / "agreement.csv").set_index("level")["alpha"]
    context = page(client, campaign).context
    for each in context["agreements"]:
        assert found[each.level] == pytest.approx(each.alpha, nan_ok=True)
    errors = pd.read_csv(tmp_path / "out" / "errors.csv")
    assert errors["wrong"].tolist() == [row["wrong"] for row in context["errors"]]


def test_scores_and_answers_are_downloads(client, campaign):
    human = pd.read_csv(io.BytesIO(body(page(client, campaign, "download", "human", "csv"))))
    assert list(human) == ["video", "system", "paragraph", "sentence", "word"]
    assert set(human["word"]) == {0.75}
    answers = pd.read_csv(io.BytesIO(body(page(client, campaign, "download", "marks", "csv"))))
    assert answers["level"].value_counts().to_dict() == {
        "word": 144,
        "sentence": 18,
        "paragraph": 18,
    }


def test_what_was_marked_twice_gets_a_category_from_a_person(client, campaign):
    """Two of three people marked "system-0 caption" as one; nobody else says so of a clip."""
    found = {each.text: each for each in page(client, campaign).context["phrases"]}
    assert {text: each.marks for text, each in found.items()} == {
        **{f"{name} caption": 4 for name in SYSTEMS},
        **dict.fromkeys(SYSTEMS, 2),
    }
    assert {each.suggested for each in found.values()} == {"object"}
    address = reverse("analysis:factuality", args=[campaign.slug])
    given = {
        "phrase": ["system-0", "human-b", "nobody marked it"],
        "category": ["person", "", "other"],
    }
    client.post(address, given)
    assert client.post(address, given).status_code == 302
    shares = {row.category: row.marks for row in page(client, campaign).context["shares"]}
    assert (shares["person"], shares["object"], shares["other"]) == (2, 16, 0)
    rows = pd.read_csv(io.BytesIO(body(page(client, campaign, "download", "phrases", "csv"))))
    decided = rows[rows["decided"] == "yes"]
    assert decided[["phrase", "marks", "category"]].values.tolist() == [["system-0", 2, "person"]]
    client.post(address, {"phrase": "system-0", "category": ""})
    assert not PhraseCategory.objects.exists()


def test_damaged_words_tell_how_well_people_mark(client, db):
    """One finds every damaged word and no other, the other marks the first word of everything."""
    made = make_campaign(
        videos=4, systems=2, protocol="factuality", hit_size=16, pairs=2, repeats=0, assignments=2
    )
    batch_compose(campaign=made)
    items = {item.position: item for item in HitItem.objects.select_related("caption")}
    damaged = [each for each in items.values() if each.kind == "degraded"]
    assert len(damaged) == 2
    for each in damaged:
        human = Caption.objects.get(video=each.caption.video, system__is_control=True)
        old, new = human.text.split(), each.degraded_text.split()
        changed = sum(one != other for one, other in zip(old, new, strict=True))
        assert 0 < changed <= each.words_replaced
        assert not HitItem.objects.filter(caption=human).exists()  # nobody sees it undamaged
    names, found = [], damages(items.values())
    for good in (True, False):
        person = Person(link(invite(made, str(good))))
        names.append(person.assignment.annotator.pseudonym)
        for position in range(len(items)):
            item, [words] = items[position], person.items[position]["sentences"]
            marks = [[*found[item.pk].span, "wrong"]] if item.pk in found else []
            answer = judge(person, position, marks if good else [[*words[0], "wrong"]], 3)
            assert answer.status_code == 200
        person.submit()
    rows = {row.annotator: row for row in page(client, made).context["controls"]}
    assert (rows[names[0]].recall, rows[names[0]].precision, rows[names[0]].found) == (1, 1, 2)
    # The first word is never damaged.
    assert (rows[names[1]].recall, rows[names[1]].precision, rows[names[1]].found) == (0, 0, 0)
    address = reverse("analysis:annotator-detail", args=[made.slug, names[0]])
    assert "Damaged words" in shown(client.get(address))


def test_a_campaign_without_marks_says_so(client, db):
    campaign = make_campaign()
    assert "No words are marked here" in shown(page(client, campaign))
    assert page(client, campaign, "factuality-file").status_code == 404
    assert page(client, campaign, "download", "marks", "csv").status_code == 404


def judge_all(campaign, names, mark=lambda words: words[1]):
    for name in names:
        person = Person(link(invite(campaign, name)))
        for position in range(person.work["total"]):
            [words, *_] = person.items[position]["sentences"]
            assert judge(person, position, [[*mark(words), "wrong"]], 3).status_code == 200
        assert person.submit().status_code == 200


def test_a_caption_that_was_corrected_counts_as_it_is_now(client, campaign):
    """The first wording has eight words, the second three: their marks cannot be put together."""
    old = Caption.objects.filter(system__name="system-0").first()
    new = caption_correct(caption=old, text="One new wording.")
    batch_compose(campaign=campaign)
    batches_open(campaign=campaign)
    judge_all(campaign, ["Dora"])
    answer = page(client, campaign)
    assert answer.status_code == 200
    assert "3 judgements are left out" in shown(answer)
    judged = [each for each in judged_paragraphs(campaign) if each.system == "system-0"]
    texts = {each.text for each in judged if each.video == new.video.name}
    assert texts == {"One new wording."}
    human = pd.read_csv(io.BytesIO(body(page(client, campaign, "download", "human", "csv"))))
    assert len(human) == 6
    assert page(client, campaign, "factuality-file").status_code == 200


def test_identical_captions_that_were_merged_are_credited_to_every_system(client):
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0,
        assignments=1, merge_identical=True,
    )  # fmt: skip
    same = Caption.objects.filter(system__name__startswith="system", video__name="clip00")
    same.update(text="Both say the very same.")
    batch_compose(campaign=made)
    judge_all(made, ["Anna"])
    assert HitItem.objects.filter(kind="system").count() == 5
    context = page(client, made).context
    counts = {row["system"]: row["paragraphs"] for row in context["systems"]}
    assert counts == {"human-b": 2, "system-0": 2, "system-1": 2}
    assert [(row["videos"], row["captions"]) for row in context["people"]] == [(2, 5)]
    assert "2 of 2" in shown(page(client, made))


def test_the_api_tells_what_the_page_shows(client, campaign):
    shown_there = page(client, campaign).context
    key = key_create(owner=campaign.owner, name="mine")
    found = ask(key, f"/api/campaigns/{campaign.slug}/factuality").json()
    assert found["errors"] == shown_there["errors"]
    assert found["systems"] == shown_there["systems"]
    assert [each["alpha"] for each in found["agreements"]] == [
        None if math.isnan(each.alpha) else each.alpha for each in shown_there["agreements"]
    ]
    assert [each["text"] for each in found["phrases"]] == [
        each.text for each in shown_there["phrases"]
    ]
    file = pd.read_csv(
        io.BytesIO(body(page(client, campaign, "download", "marks", "csv"))), dtype=str
    ).fillna("")
    told = everything(key, f"/api/campaigns/{campaign.slug}/marks", limit=50)
    assert [[str(value) for value in row.values()] for row in told] == file.values.tolist()


def everything(key, address, limit):
    """All rows of a list, part by part."""
    rows, offset = [], 0
    while offset is not None:
        part = ask(key, f"{address}?limit={limit}&offset={offset}").json()
        rows, offset = rows + part["items"], part["next"]
    assert len(rows) == part["count"]
    return rows


def test_the_api_tells_every_answer(campaign):
    key = key_create(owner=campaign.owner, name="mine")
    told = everything(key, f"/api/campaigns/{campaign.slug}/answers", limit=7)
    assert len(told) == 36
    first = next(row for row in told if row["question"] == "marks")
    assert first["value"] == "wrong"
    assert int(first["start"]) < int(first["end"])
    assert {row["value"] for row in told if row["question"] == "score"} == {"2", "3", "4"}
    assert ask(key, f"/api/campaigns/{campaign.slug}/answers?limit=0").status_code == 422


def test_the_api_has_empty_lists_where_nothing_of_the_kind_is_asked(db):
    made = make_campaign()
    key = key_create(owner=made.owner, name="mine")
    for name in ("marks", "answers", "written"):
        found = ask(key, f"/api/campaigns/{made.slug}/{name}").json()
        assert found == {"count": 0, "next": None, "items": []}
    found = ask(key, f"/api/campaigns/{made.slug}/factuality").json()
    assert found == {name: [] for name in found} | {
        "answers": 0, "older": 0, "unfinished": 0, "filled": None,
    }  # fmt: skip


def test_captions_are_examples_of_their_kind_of_error_with_a_frame(client, campaign):
    campaign.videos.filter(name="clip00").update(poster="clip00.jpg")
    answer = page(client, campaign)
    found = answer.context["examples"]
    assert len(found) == len({(each.video, each.system) for each in found}) > 0
    assert all(each.phrase == text(each, marked=True).casefold() for each in found)
    videos = {each.video: each.poster for each in found}
    assert videos["clip00"] == campaign.videos.get(name="clip00").pk
    assert "A frame of clip00" in markup(answer)
    assert "A frame of clip01" not in markup(answer)


def text(example, *, marked):
    return " ".join(piece for piece, is_marked in example.pieces if is_marked == marked)


@pytest.fixture
def ruled(db):
    """Two videos with a damaged caption each, and people who mark what is damaged, or not."""
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=8, pairs=2, repeats=0, assignments=3,
        questions={"counting": {"complete": True, "recall": 0.5, "precision": 0.5}},
    )  # fmt: skip
    batch_compose(campaign=made)
    return made


def judge_some(campaign, name, *, finds, hands_in=True):
    person = Person(link(invite(campaign, name)))
    items = person.assignment.hit.items.select_related("caption").order_by("position")
    found = damages(items)
    for item in items:
        [words] = person.items[item.position]["sentences"]
        start, stop = found[item.pk].span if item.pk in found else (0, 0)
        damaged = [word for word in words if start < word[1] and word[0] < stop]
        marks = [[damaged[0][0], damaged[-1][1], "wrong"]] if damaged and finds else []
        if not finds:
            marks = [[*words[0], "wrong"]]
        assert judge(person, item.position, marks, 3).status_code == 200
    if hands_in:
        assert person.submit().status_code == 200
    return person.assignment.annotator.pseudonym


def test_only_complete_work_of_people_who_find_damaged_words_counts_where_it_is_the_rule(
    client, ruled
):
    anna = judge_some(ruled, "Anna", finds=True)
    ben = judge_some(ruled, "Ben", finds=False)
    judge_some(ruled, "Cid", finds=True, hands_in=False)
    answer = page(client, ruled)
    assert {each.annotator for each in judged_paragraphs(ruled)} == {anna}
    assert answer.context["failed"] == (ben,)
    assert answer.context["unfinished"] == 1
    said = shown(answer)
    assert "1 assignment is not complete yet and not counted" in said
    assert "1 person found too few damaged words" in said
    turn = Assignment.objects.get(annotator__pseudonym=anna)
    video = turn.hit.items.get(position=0).caption.video
    video_send_back(assignment=turn, video=video, remark="Look again.")
    assert judged_paragraphs(ruled) == []
    assert "2 assignments are not complete yet" in shown(page(client, ruled))


def test_without_a_rule_everybody_counts(client, ruled):
    Campaign.objects.filter(pk=ruled.pk).update(questions={})
    judge_some(ruled, "Anna", finds=True)
    judge_some(ruled, "Ben", finds=False, hands_in=False)
    made = Campaign.objects.get(pk=ruled.pk)
    assert len({each.annotator for each in judged_paragraphs(made)}) == 2
