"""What the platform writes of marks and answers, `analyse` reads back with the same numbers."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.evaluation.human import read_human
from analysis.presenting.downloads import write_download
from analysis.selectors.marked import factuality_of
from analysis.selectors.written import written_captions
from analysis.services.downloads import DOWNLOADS
from hits.services.composing import batch_compose
from tests.factories import make_campaign, to_describe
from tests.pages import body

LEVELS = ["units", "wrong", "share"]


def judged_by_three(protocol, **fields):
    """A campaign of which three simulated people have judged everything."""
    sizes = {"videos": 10, "hit_size": 20, "pairs": 2, "repeats": 0, "assignments": 3}
    return simulated(make_campaign(protocol=protocol, **sizes, **fields))


def simulated(campaign, mix="honest=0.7,random=0.3"):
    batch_compose(campaign=campaign)
    told = {"annotators": 3, "mix": mix, "stdout": io.StringIO()}
    call_command("simulate_crowd", campaign.slug, **told)
    return campaign


def downloaded(campaign, name, folder):
    path = folder / f"{name}.csv"
    with path.open("wb") as stream:
        write_download(stream, DOWNLOADS[name](campaign, last=0, decisions=""), "csv")
    return path


def analysed(path, *options):
    out = path.with_suffix("")
    call_command("analyse", str(path), "--out", str(out), *options, stdout=io.StringIO())
    return {
        each.stem: pd.read_csv(each, keep_default_na=False, na_values="NaN")
        for each in out.glob("*.csv")
    }


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["factuality", "esa", "mqm"])
def test_every_file_of_marks_gives_the_numbers_of_the_page(protocol, tmp_path, client):
    campaign = judged_by_three(protocol)
    page, chosen = factuality_of(campaign), ("--protocol", protocol)
    errors = pd.DataFrame(page.errors)[LEVELS].values.tolist()

    long = analysed(downloaded(campaign, "marks", tmp_path), *chosen)
    assert long["errors"][LEVELS].values.tolist() == errors
    assert long["agreement"]["alpha"].tolist() == pytest.approx(
        [each.alpha for each in page.agreements], nan_ok=True
    )

    client.force_login(campaign.owner)
    published = tmp_path / "annotation.json"
    published.write_bytes(
        body(client.get(reverse("analysis:factuality-file", args=[campaign.slug])))
    )
    found = analysed(published, *chosen)["errors"][LEVELS].values.tolist()
    assert (found[0], found[2]) == (errors[0], errors[2])  # of sentences see docs/formats.md
    assert len(read_human(published).table.frame) == errors[0][0]


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["esa", "mqm"])
def test_kinds_of_errors_come_out_of_a_file_of_answers(protocol, tmp_path):
    campaign = judged_by_three(protocol, redundancy=2)  # who judges a caption twice counts twice
    found = analysed(downloaded(campaign, "questions", tmp_path), "--protocol", protocol)
    page = {each.system: each for each in factuality_of(campaign).kinds}
    for row in found["kinds"].to_dict("records"):
        each = page[row.pop("system")]
        assert (row.pop("mqm"), row.pop("answers")) == (pytest.approx(each.score), each.captions)
        assert row == pytest.approx(dict(each.counts))
    human = pd.read_csv(downloaded(campaign, "human", tmp_path)).sort_values(["video", "system"])
    for name in ("paragraph", "mqm"):
        assert found["human"][name].tolist() == pytest.approx(human[name].tolist())


@pytest.mark.django_db
def test_doubtful_captions_come_out_of_a_file_of_answers(tmp_path):
    campaign = simulated(to_describe(make_campaign()), mix="honest=0.5,constant=0.5")
    found = analysed(downloaded(campaign, "questions", tmp_path))["written"]
    page = {(each.video, each.annotator): each for each in written_captions(campaign)}
    assert any(found["doubts"])
    assert {
        (row.video, row.annotator): (row.caption, row.doubts) for row in found.itertuples()
    } == {key: (each.text, "; ".join(each.doubts)) for key, each in page.items()}


ANSWERS = """annotator,video,system,kind,question,start,end,value
ann,v1,A,system,marks,0,3,act/minor
ann,v1,A,system,marks,4,7,act/major
ann,v1,A,system,score,,,40
ann,v1,A,system,detail,,,4
ben,v1,A,system,score,,,80
ben,v1,A,system,detail,,,8
ann,v1,A,degraded,marks,0,3,act/major
ann,v1,A,degraded,score,,,0
"""


def read_answers(tmp_path, *options, content=ANSWERS):
    path = tmp_path / "answers.csv"
    path.write_text(content, "utf-8")
    return analysed(path, *options)


def test_answers_are_counted_without_the_hidden_controls(tmp_path):
    found = read_answers(tmp_path, "--weights", "minor=1,major=2")
    assert found["kinds"].to_dict("records") == [
        {"system": "A", "mqm": -1.5, "act/minor": 0.5, "act/major": 0.5, "answers": 2}
    ]
    assert found["human"].to_dict("records") == [
        {"video": "v1", "system": "A", "paragraph": 60, "detail": 6, "mqm": -1.5}
    ]


def test_a_severity_without_a_weight_is_refused(tmp_path):
    with pytest.raises(CommandError, match=r"severity 'major' have no weight.*--weights major=1"):
        read_answers(tmp_path, "--weights", "minor=1")
    with pytest.raises(CommandError, match="There are no answers"):
        read_answers(tmp_path, content=ANSWERS.splitlines()[0] + "\n")
