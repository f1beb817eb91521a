"""Factuality of a campaign: marks of three people become shares, agreement and files."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from django.core.management import call_command
from django.urls import reverse

from hits.services.composing import batch_compose
from tests.annotations.person import Person, invite, link
from tests.annotations.test_marking import judge
from tests.factories import make_campaign
from tests.pages import body, shown

pytestmark = pytest.mark.django_db


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


def test_a_campaign_without_marks_says_so(client, db):
    campaign = make_campaign()
    assert "No words are marked here" in shown(page(client, campaign))
    assert page(client, campaign, "factuality-file").status_code == 404
    assert page(client, campaign, "download", "marks", "csv").status_code == 404
