"""Marks filled in beforehand: imported or refused, shown to some people, counted afterwards."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from analysis.results.filled import FilledAnswer, filling
from analysis.selectors.marked import factuality_of
from analysis.services.keys import key_create
from annotations.models import Annotator
from hits.models import Caption
from hits.services.campaigns import campaign_duplicate
from hits.services.composing import batch_compose
from hits.services.filling import marks_fill
from hits.services.importing import campaign_import
from tests.analysis.test_api import ask
from tests.annotations.person import Person, invite, link
from tests.annotations.test_error_spans import say
from tests.annotations.test_marking import judge
from tests.factories import make_campaign, make_hit, make_user
from tests.hits.importing_material import CAPTIONS, TOML, read_with
from tests.pages import body, shown

pytestmark = pytest.mark.django_db
MARKS = "video,system,start,end,label\nv1,alpha,2,5,wrong\nv2,alpha,,,\n"


def drafted(**fields):
    sizes = {"videos": 2, "systems": 2, "hit_size": 10, "pairs": 0, "repeats": 0, "assignments": 2}
    return make_campaign(protocol="factuality", **(sizes | fields))


def fill(campaign, words=(0, 1)):
    """The same characters in every caption."""
    rows = Caption.objects.filter(system__campaign=campaign)
    places = rows.values_list("video__name", "system__name")
    return marks_fill(campaign=campaign, marks={place: [(*words, "wrong")] for place in places})


def works(campaign, name, sees):
    """Somebody who is dealt to one of the groups."""
    person = Person(link(invite(campaign, name)))
    assert person.assignment.sees_filled is sees
    return person


@pytest.mark.parametrize(
    ("table", "filled"),
    [
        (MARKS, {"alpha": [[2, 5, "wrong"]]}),
        ("video,system,marked\nv1,alpha,a [man] rides a [horse]\n",
         {"alpha": [[2, 5, "wrong"], [14, 19, "wrong"]]}),
    ],
)  # fmt: skip
def test_an_archive_brings_marks_in_characters_or_in_brackets(tmp_path, table, filled):
    toml = f'{TOML}protocol = "factuality"\n[filling]\ncontrol = 0.25\n'
    reading = read_with(tmp_path, {"campaign.toml": toml, "marks.csv": table})
    assert reading.is_sound, [str(fault) for fault in reading.faults]
    campaign = campaign_import(reading=reading, owner=make_user())
    rows = Caption.objects.exclude(filled=None).filter(video__name="v1")
    assert {row.system.name: row.filled for row in rows} == filled
    assert campaign.filling_control == 0.25


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("v1,alpha,3,5,wrong,", "begins and ends with a word"),
        ("v1,alpha,2,500,wrong,", "begins and ends with a word"),
        ("v1,alpha,2,5,awful,", "cannot be read"),
        ("v1,alpha,x,5,wrong,", "no characters"),
        ("v1,alpha,,5,wrong,", "no characters"),
        ("v1,alpha,2,5,wrong,\nv1,alpha,2,11,wrong,", "do not overlap"),
        ("v9,alpha,2,5,wrong,", "has no caption of"),
        ("v1,alpha,,,wrong,a [man rides a horse", "not in pairs"),
        ("v1,alpha,,,wrong,a [man] rides", "not the caption"),
    ],
)
def test_marks_that_cannot_be_are_faults_of_their_row(tmp_path, row, reason):
    toml = f'{TOML}protocol = "factuality"\n'
    table = f"video,system,start,end,label,marked\n{row}\n"
    reading = read_with(tmp_path, {"campaign.toml": toml, "marks.csv": table})
    [fault] = [fault for fault in reading.faults if fault.severity == "error"]
    assert reason in str(fault)
    assert (fault.where.file, fault.where.line) == ("marks.csv", 2)
    assert fault.remedy


def test_a_campaign_that_marks_nothing_has_no_marks(tmp_path):
    reading = read_with(tmp_path, {"marks.csv": MARKS, "captions.csv": CAPTIONS})
    assert "No words are marked" in str(next(iter(reading.faults)))


def test_a_share_of_people_finds_the_marks_and_the_others_do_not():
    campaign = drafted(questions={"filling": {"control": 0}})
    assert fill(campaign) == 8
    batch_compose(campaign=campaign)
    anna = works(campaign, "Anna", True)
    assert all(item["filled"] == [[0, 1, "wrong"]] for item in anna.items.values())
    campaign.questions = {"filling": {"control": 1}}
    campaign.save()
    ben = works(campaign, "Ben", False)
    assert not any("filled" in item for item in ben.items.values())
    # Who changes the share afterwards changes nothing for those who have begun.
    assert Person(link(anna_link(anna))).items[0]["filled"] == [[0, 1, "wrong"]]


def anna_link(person):
    return person.assignment.annotator.invitations.get()


def test_where_nothing_is_filled_in_nobody_is_in_a_group():
    campaign = drafted()
    batch_compose(campaign=campaign)
    works(campaign, "Anna", None)
    assert factuality_of(campaign).filled is None


def test_a_damaged_copy_keeps_the_marks_around_the_damage():
    campaign = make_campaign(protocol="esa", questions={"filling": {"control": 0}})
    hit = make_hit(campaign)
    item = hit.items.get(kind="degraded")
    text = item.caption.text  # A human-a caption that tells what clip03 shows.
    wrong = text.index("shows")
    place = (item.caption.video.name, item.caption.system.name)
    marks = [(0, 1, "minor"), (wrong, wrong + 5, "major")]
    marks_fill(campaign=campaign, marks={place: marks})
    person = works(campaign, "Anna", True)
    for position in range(4):
        assert say(person, position, marks=[], score=50).status_code == 200
    shown_item = person.items[4]
    assert [shown_item["text"][a:b] for a, b, _ in shown_item["filled"]] == ["A", "shows"]


def test_marks_are_filled_in_before_anybody_works_only():
    campaign = drafted()
    fill(campaign)
    batch_compose(campaign=campaign)
    works(campaign, "Anna", factuality_group(campaign, "Anna"))
    campaign.refresh_from_db()
    with pytest.raises(CommandError, match="only before"):
        call_command("fill_marks", campaign.slug, none=True)
    with pytest.raises(DatabaseError), transaction.atomic():
        Caption.objects.filter(system__campaign=campaign).update(filled=[])


def factuality_group(campaign, name):
    from annotations.selectors.work import sees_filled

    annotator = invite(campaign, name).annotator
    return sees_filled(campaign, annotator)


def test_a_copy_of_a_campaign_has_its_marks():
    campaign = drafted()
    fill(campaign)
    copy = campaign_duplicate(campaign=campaign, owner=campaign.owner)
    rows = Caption.objects.filter(system__campaign=copy)
    assert {str(row.filled) for row in rows} == {"[[0, 1, 'wrong']]"}


def test_a_command_fills_in_and_takes_away(tmp_path, capsys):
    campaign = drafted()
    table = tmp_path / "spans.csv"
    table.write_text("video,system,start,end\nclip00,system-0,2,10\n")
    call_command("fill_marks", campaign.slug, file=table)
    caption = Caption.objects.exclude(filled=None).get()
    assert (caption.filled, "50% of people" in capsys.readouterr().out) == (
        [[2, 10, "wrong"]],
        True,
    )
    call_command("fill_marks", campaign.slug, none=True)
    assert not Caption.objects.exclude(filled=None).exists()
    table.write_text("video,system,start,end\nclip00,system-0,3,10\n")
    for wrong in ({"file": table}, {"file": tmp_path / "none.csv"}, {"share": 0.1}):
        with pytest.raises(CommandError):
            call_command("fill_marks", campaign.slug, **wrong)


@pytest.fixture
def judged():
    """Ann and Ben find a mark in each caption and Cid and Dan none. Ann keeps them all; Ben
    deletes those of the first three and makes the others longer; Cid and Dan mark nothing."""
    campaign = drafted(assignments=4, questions={"filling": {"control": 0}})
    fill(campaign)
    batch_compose(campaign=campaign)
    for name, score in (("Ann", 2), ("Ben", 3), ("Cid", 5), ("Dan", 4)):
        campaign.questions = {"filling": {"control": float(name in ("Cid", "Dan"))}}
        campaign.save()
        person = works(campaign, name, name in ("Ann", "Ben"))
        for position in range(6):
            given = []
            if name == "Ann":
                given = person.items[position]["filled"]
            if name == "Ben" and position > 2:
                [words] = person.items[position]["sentences"]
                given = [[words[0][0], words[1][1], "wrong"]]
            assert judge(person, position, given, score).status_code == 200
        assert person.submit().status_code == 200
    return campaign


def test_kept_changed_and_deleted_marks_are_counted_and_groups_compared(judged, client):
    found = factuality_of(judged).filled
    assert (found.people, found.without, found.answers, found.answers_without) == (2, 2, 12, 12)
    assert found.fates == {"kept": 6, "changed": 3, "deleted": 3, "added": 0}
    assert [share.value for share in found.shares.values()] == [0.5, 0.25, 0.25]
    marks, score = found.compared
    assert (marks.with_filled.value, marks.without.value) == (9 / 12, 0)
    assert (score.with_filled.value, score.without.value, score.difference.value) == (2.5, 4.5, -2)
    assert score.difference.low == -3  # Ben twice against Cid twice is -2, Ann against Cid -3
    assert score.difference.high == -1
    client.force_login(judged.owner)
    page = client.get(reverse("analysis:factuality", args=[judged.slug]))
    assert "2 people found marks in these captions (12 answers); 2 in the control" in shown(page)
    file = client.get(reverse("analysis:download", args=[judged.slug, "filled", "csv"]))
    rows = list(csv.DictReader(io.StringIO(body(file).decode())))
    fates = [(row["group"], row["fate"]) for row in rows]
    assert fates.count(("filled in", "deleted")) == 3
    assert fates.count(("control", "")) == 12
    told = ask(
        key_create(owner=judged.owner, name="mine"), f"/api/campaigns/{judged.slug}/factuality"
    )
    assert told.json()["filled"]["fates"]["kept"] == 6


def test_of_one_person_in_a_group_there_is_no_interval():
    had = ((2, 5, "wrong"),)
    both = [FilledAnswer("ann", "v", "s", True, had, had, 3),
            FilledAnswer("ben", "v", "s", False, had, (), 5)]  # fmt: skip
    found = filling(both, rng=np.random.default_rng(1))
    assert found.compared[0].difference.value == 1
    assert np.isnan(found.compared[0].difference.low)
    assert filling([], rng=np.random.default_rng(1)) is None


def test_about_half_of_all_people_are_dealt_to_each_group():
    from hits.protocols.filling import is_filled_for

    names = [f"person {number}" for number in range(2_000)]
    for control in (0.5, 0.2):
        share = np.mean([not is_filled_for("a-campaign", name, control) for name in names])
        assert abs(share - control) < 0.04
    assert Annotator.objects.count() == 0
