"""Factuality of a campaign: marks of three people become shares, agreement and files."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.models import PhraseCategory
from hits.models import HitItem
from hits.selectors import replaced_words
from hits.services.composing import batch_compose
from tests.annotations.person import Person, invite, link
from tests.annotations.test_marking import judge
from tests.factories import make_campaign
from tests.pages import body, shown

pytestmark = pytest.mark.django_db
SYSTEMS = ("system-0", "system-1", "human-b")


@pytest.fixture
def campaign(db):
    """Two videos, three systems; everybody finds "system-…" or "human-b" wrong, two "caption"."""
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0, assignments=3
    )
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


def test_analyse_reads_the_file_and_finds_the_same(client, campaign, tmp_path):
    content = body(page(client, campaign, "factuality-file"))
    path = tmp_path / "factuality_annotation.json"
    path.write_bytes(content)
    call_command("analyse", str(path), "--out", str(tmp_path / "out"), stdout=io.StringIO())
    errors = pd.read_csv(tmp_path / "out" / "errors.csv").set_index("level")
    assert errors["wrong"].to_dict() == {"paragraph": 6, "sentence": 6, "word": 12}
    assert set(json.loads(content)) == {"clip00", "clip01"}


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
        old, new = each.caption.text.split(), each.degraded_text.split()
        assert len(old) == len(new)
        assert old != new
    names = []
    for good in (True, False):
        person = Person(link(invite(made, str(good))))
        names.append(person.assignment.annotator.pseudonym)
        for position in range(len(items)):
            item, [words] = items[position], person.items[position]["sentences"]
            before, replaced, _ = replaced_words(item.caption.text, item.text)
            span = [len(before), len(before) + len(replaced.rstrip(".")), "wrong"]
            marks = [span] if item.kind == "degraded" else []
            answer = judge(person, position, marks if good else [[*words[0], "wrong"]], 3)
            assert answer.status_code == 200
        person.submit()
    rows = {row.annotator: row for row in page(client, made).context["controls"]}
    assert (rows[names[0]].recall, rows[names[0]].precision, rows[names[0]].found) == (1, 1, 2)
    # The first word is never damaged, and marked in the originals as well.
    assert (rows[names[1]].recall, rows[names[1]].found) == (0, 0)
    assert math.isnan(rows[names[1]].precision)
    address = reverse("analysis:annotator-detail", args=[made.slug, names[0]])
    assert "Damaged words" in shown(client.get(address))


def test_a_campaign_without_marks_says_so(client, db):
    campaign = make_campaign()
    assert "No words are marked here" in shown(page(client, campaign))
    assert page(client, campaign, "factuality-file").status_code == 404
    assert page(client, campaign, "download", "marks", "csv").status_code == 404
