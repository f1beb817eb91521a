"""campaign.toml has questions of the campaign's own: read, kept, or refused with a reason."""

from __future__ import annotations

import pytest

from hits.importing.reading import read_campaign
from hits.protocols import protocol_named
from hits.protocols.own import COMMENT, form_objection, own_faults, with_own
from hits.services.importing import campaign_import
from tests.factories import make_campaign, make_user
from tests.folders import make_folder
from tests.hits.test_importing_settings import read

SAID = """
protocol = "mqm"
comment = true
[errors]
categories = ["who", "what"]
severities = { slight = 0.5, grave = 10 }
[[sliders]]
name = "detail"
text = "How much?"
low = 0
high = 10
step = 5
levels = ["none", "some", "all"]
"""


def test_a_file_asks_questions_of_its_own(tmp_path):
    settings, faults = read(tmp_path, SAID)
    assert faults == []
    marks, score, detail, comment = settings.asked.questions
    assert marks.labels == ("who/slight", "who/grave", "what/slight", "what/grave")
    assert marks.weight("who/slight") == 0.5
    assert (score.name, detail.step, detail.ends) == ("score", 5, ("none", "all"))
    assert comment.is_optional


SLIDER = '[[sliders]]\nname = "a"\ntext = "b"\nends = ["c", "d"]\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("comment = 1", "true or false"),
        ("together = 1", "true or false"),
        ("[errors]\ncategories = []", "up to 20 different words"),
        ('[errors]\ncategories = ["a/b"]', "up to 20 different words"),
        ('[errors]\ncategories = ["a", "a"]', "up to 20 different words"),
        ("[errors]\nseverities = { minor = -1 }", "a weight of 0 to 1,000"),
        ("[errors]\nseverities = { minor = true }", "a weight of 0 to 1,000"),
        ("[errors]\nkinds = 1", "a table with categories"),
        ("errors = 1", "a table with categories"),
        ("counting = 1", "a table with complete"),
        ("[counting]\nrecall = 2", "a share from 0 to 1"),
        ("[counting]\ncomplete = 1", "true or false"),
        ("sliders = 1", "at most 8 tables"),
        (SLIDER * 9, "at most 8 tables"),
        (SLIDER * 2, "occurs twice"),
        (SLIDER.replace('"a"', '"A b"'), "small letters"),
        (SLIDER.replace('"a"', '"marks"'), "small letters"),
        (SLIDER.replace('"b"', '""'), "a text of up to 200"),
        (SLIDER + "low = 5\nhigh = 5", "low below high"),
        (SLIDER + "high = 2000", "low below high"),
        (SLIDER + "step = 7", "leads from low to high"),
        (SLIDER + "colour = 7", "with the keys"),
        (SLIDER + 'levels = ["one"]', "two to seven texts"),
        (SLIDER.replace('["c", "d"]', '["c"]'), "two texts as the ends"),
        ('[[sliders]]\nname = "a"\ntext = "b"', "two ends or several levels"),
        (SLIDER.replace('"a"', '"score"') + "high = 10", "0 to 100"),
        ("sliders = [1]", "with the keys"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_key(tmp_path, content, said):
    settings, faults = read(tmp_path, content)
    assert said in " ".join(map(str, faults))
    assert settings.questions == {}


@pytest.mark.django_db
def test_an_imported_campaign_keeps_its_questions(tmp_path):
    folder = make_folder(tmp_path / "campaign")
    with (folder / "campaign.toml").open("r+") as file:
        kept = file.read()
        file.seek(0)
        file.write(
            SAID.partition("[errors]")[0] + kept + "\n[errors]" + SAID.partition("[errors]")[2]
        )
    campaign = campaign_import(reading=read_campaign(folder), owner=make_user("organisers"))
    assert campaign.questions["errors"]["severities"] == {"slight": 0.5, "grave": 10.0}
    assert [question.name for question in campaign.asked.questions] == [
        "marks", "score", "detail", "comment",
    ]  # fmt: skip


@pytest.mark.parametrize("protocol", ["consistency", "factuality"])
def test_a_slider_cannot_take_the_name_of_a_question_of_another_kind(tmp_path, protocol):
    asks = f'protocol = "{protocol}"\n' + SLIDER.replace('"a"', '"score"')
    _, faults = read(tmp_path, asks)
    assert f"another name than score, which {protocol} asks for" in " ".join(map(str, faults))
    own = {"sliders": [{"name": "score", "text": "b", "ends": ["c", "d"]}]}
    asked = with_own(protocol_named(protocol), own).questions
    assert [question.name for question in asked].count("score") == 1
    assert asked[-1].kind == "likert"


@pytest.mark.django_db
def test_severities_are_in_the_order_of_their_weights_on_every_database():
    """PostgreSQL gives the keys of an object back by their length."""
    severities = {"critical": 25, "minor": 1, "major": 5}
    made = make_campaign(protocol="mqm", questions={"errors": {"severities": severities}})
    made.refresh_from_db()
    [marks] = made.asked.marks
    assert [name for name, _ in marks.severities] == ["minor", "major", "critical"]


@pytest.mark.parametrize(
    "text", ["क्\u200dषमा कीजिए", "She shrugs 🤷\u200d♀️.", "می\u200cخواهم", "a\u00a0b"]
)
def test_joiners_and_hard_spaces_may_be_written(text):
    assert COMMENT.objection({"text": text, "ticks": []}) is None
    assert form_objection([{"name": "a", "text": "b"}], {"a": text}) is None
    assert list(own_faults({"form": [{"name": "a", "text": text}]})) == []


@pytest.mark.parametrize("text", ["two\nlines", "nul\0", "\u202eturned", "\u200d", "a\u2028b"])
def test_what_breaks_or_turns_a_line_may_not(text):
    assert COMMENT.objection({"text": text, "ticks": []}) is not None
    assert form_objection([{"name": "a", "text": "b"}], {"a": text}) is not None
