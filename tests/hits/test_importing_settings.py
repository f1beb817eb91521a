"""campaign.toml: defaults, every key, and faults with the line they are on."""

from __future__ import annotations

from decimal import Decimal

import pytest

from daplatform.tables import Faults, Kind
from hits.importing.limits import Limits
from hits.importing.settings import HitSettings, Settings, read_settings


def read(tmp_path, content: str | bytes, required: tuple[str, ...] = ()):
    path = tmp_path / "campaign.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    faults = Faults()
    return read_settings(path, faults, Limits(), required), list(faults)


def test_everything_has_the_protocols_default(tmp_path):
    settings, faults = read(tmp_path, 'name = "N"\ncontrol = "human-a"\n')

    assert faults == []
    assert settings == Settings(name="N", control="human-a", human=())
    assert settings.hits == HitSettings(100, 10, 10, 1, 1, 7, None, False)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["without BOM", "with BOM"])
def test_it_reads_every_key(tmp_path, mark):
    content = (
        'name = "N"\r\ncontrol = "a"\nhuman = ["b", "c"]\nfluency = true\n'
        'instructions = """One.\r\nTwo."""\nconsent = "I agree."\n'
        "[hits]\nsize = 50\npairs = 5\nrepeats = 4\nredundancy = 15\nassignments = 3\n"
        "seed = 0\nreward = 1.10\nmerge = true\n"
    )

    settings, faults = read(tmp_path, mark + content.encode())

    assert faults == []
    hits = HitSettings(50, 5, 4, 15, 3, 0, Decimal("1.10"), True)
    assert settings == Settings("N", "a", ("b", "c"), True, "One.\nTwo.", "I agree.", hits)


def test_money_is_exact(tmp_path):
    settings, _ = read(tmp_path, "[hits]\nreward = 0.1\n")

    assert settings.hits.reward * 3 == Decimal("0.3")
    assert isinstance(read(tmp_path, "[hits]\nreward = 2\n")[0].hits.reward, Decimal)


@pytest.mark.parametrize(
    "line",
    [
        "size = 99",  # no ten equal blocks
        "size = 20",  # no room beside ten pairs
        "size = 10000",
        'size = "100"',
        "size = true",
        "size = 1e2",
        "redundancy = 0",
        "assignments = -1",
        "seed = 9223372036854775808",
        "reward = -0.01",
        "reward = 0.999",
        "reward = nan",
        "reward = inf",
        "reward = 1e99",
        "reward = 1e-400",
        'reward = "0.99"',
        "merge = 1",
    ],
)
def test_it_refuses_such_a_hit_setting_and_names_its_line(tmp_path, line):
    _, (fault,) = read(tmp_path, f'name = "N"\n\n[hits]\n{line}\n')

    assert (fault.kind, fault.where.line) == (Kind.SETTING, 4)
    assert fault.where.column == line.split()[0]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("name = 3", Kind.SETTING),
        ('name = ""', Kind.NAME),
        ('name = " N"', Kind.NAME),
        (f'name = "{"x" * 201}"', Kind.LONG_TEXT),
        (r'name = "a\u0007"', Kind.CONTROL_CHARACTER),
        (r'name = "a\u0000"', Kind.CONTROL_CHARACTER),
        ('human = "human-b"', Kind.SETTING),
        ("human = [1]", Kind.SETTING),
        ("hits = 3", Kind.SETTING),
        ('fluency = "yes"', Kind.SETTING),
        (f'consent = "{"x" * 20_001}"', Kind.LONG_TEXT),
    ],
)
def test_it_refuses_such_a_campaign_setting(tmp_path, line, kind):
    _, (fault,) = read(tmp_path, f"# a comment\n{line}\n")

    assert (fault.kind, fault.where.line) == (kind, 2)


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ('naem = "N"', "Did you mean 'name'?"),
        ("[hits]\nredundency = 2", "Did you mean 'redundancy'?"),
        ("seed = 3", "It belongs below the line [hits]."),
        ("[hits]\nfluency = true", "It belongs above the line [hits]."),
    ],
)
def test_it_helps_with_a_key_it_does_not_know(tmp_path, content, remedy):
    _, (fault,) = read(tmp_path, content)

    assert (fault.kind, fault.remedy) == (Kind.UNKNOWN_SETTING, remedy)
    assert fault.where.line == content.count("\n") + 1


def test_it_asks_for_what_is_required(tmp_path):
    _, faults = read(tmp_path, "", required=("name", "control"))

    assert [fault.where.column for fault in faults] == ["name", "control"]


@pytest.mark.parametrize(
    ("content", "kind", "line"),
    [
        ('name = "N\n', Kind.TOML, 1),
        ('name = "N"\nname = "M"\n', Kind.TOML, 2),
        (b"# caf\n# \xe9\n", Kind.ENCODING, 2),
        ("x = " + "[" * 30_000, Kind.TOML, None),
        ("x = " + "9" * 5_000, Kind.TOML, None),
        ("x = 1e" + "9" * 30, Kind.TOML, None),
        ("#" * 70_000, Kind.LONG_TEXT, None),
        ("x = \0", Kind.TOML, 1),
    ],
)
def test_it_says_what_is_no_toml(tmp_path, content, kind, line):
    settings, (fault,) = read(tmp_path, content, required=("name",))

    assert (fault.kind, fault.where.line) == (kind, line)
    assert settings == Settings()
