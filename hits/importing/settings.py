"""campaign.toml: what a campaign is called, whose captions are what, and how its HITs are cut."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from daplatform.languages import CODES
from daplatform.tables import Faults, Kind, Where, quoted, suggestion
from hits.composition.shape import hit_shape
from hits.importing.limits import Limits
from hits.importing.texts import check_name, check_prose
from hits.protocols import AnnotationProtocol, protocol_named, protocols
from hits.protocols.expected import expectation_clashes
from hits.protocols.own import KEYS, own_clashes, own_faults, with_own

FILE = "campaign.toml"
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True)
class HitSettings:
    """The table [hits]: PROTOCOL §2."""

    size: int = 100
    pairs: int = 10
    repeats: int = 10
    redundancy: int = 1
    assignments: int = 1
    seed: int = 7
    reward: Decimal | None = None  # None: fair pay for the time a HIT takes
    merge: bool = False
    minutes_allowed: int = 180
    max_hits_per_annotator: int | None = None
    min_pairs: int = 0


@dataclass(frozen=True)
class Settings:
    """A campaign's own words about itself. `control` and `human` name sets of human captions."""

    name: str = ""
    control: str = ""
    human: tuple[str, ...] = ()
    fluency: bool = False
    instructions: str = ""
    consent: str = ""
    hits: HitSettings = field(default_factory=HitSettings)
    must_watch: bool = True
    shows_number: bool = False
    contact: str = ""
    language: str = ""
    offers_speed: bool = False
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The runs of each team, the primary one first."""
    one_run_per_team: bool = False
    """People rate the primary runs only."""
    protocol: str = "direct"
    questions: Mapping[str, Any] = field(default_factory=dict)
    """Of the campaign's own (`hits.protocols.own`)."""

    @property
    def asked(self) -> AnnotationProtocol:
        """What people are asked."""
        own = json.dumps(self.questions) if self.questions else ""
        return protocol_named(self.protocol, fluency=self.fluency, own=own)


Validator = Callable[[Any], str]  # what the value should have been, or nothing when it is right


def _whole(lowest: int, highest: int) -> Validator:
    def validator(value: Any) -> str:
        is_right = type(value) is int and lowest <= value <= highest
        return "" if is_right else f"a whole number from {lowest:,} to {highest:,}"

    return validator


def _money(value: Any) -> str:
    is_right = (
        type(value) in (int, Decimal)
        and Decimal(value).is_finite()
        and 0 <= value < 100_000
        and Decimal(value) == round(Decimal(value), 2)
    )
    return "" if is_right else "an amount with at most two decimals, from 0 to 99,999.99"


def _truth(value: Any) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _text(value: Any) -> str:
    return "" if isinstance(value, str) else "a text in quotes"


def _texts(value: Any) -> str:
    is_right = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return "" if is_right else 'a list of texts, such as ["human-b"]'


def _language(value: Any) -> str:
    return "" if value in CODES else f"one of {', '.join(CODES)}"


def _protocol(value: Any) -> str:
    return "" if value in protocols() else f"one of {', '.join(protocols())}"


_CAMPAIGN: dict[str, Validator] = {
    "name": _text,
    "control": _text,
    "human": _texts,
    "protocol": _protocol,
    "fluency": _truth,
    "must_watch": _truth,
    "shows_number": _truth,
    "instructions": _text,
    "consent": _text,
    "contact": _text,
    "language": _language,
    "offers_speed": _truth,
    "one_run_per_team": _truth,
}
_TRANSLATED: dict[str, Validator] = {"instructions": _text, "consent": _text}
_HITS: dict[str, Validator] = {
    "size": _whole(10, 1000),
    "pairs": _whole(0, 400),
    "repeats": _whole(0, 400),
    "redundancy": _whole(1, 1000),
    "assignments": _whole(1, 1000),
    "seed": _whole(0, 2**63 - 1),
    "reward": _money,
    "merge": _truth,
    "minutes_allowed": _whole(1, 32_767),
    "max_hits_per_annotator": _whole(1, 32_767),
    "min_pairs": _whole(0, 32_767),
}


def read_settings(
    path: Path, faults: Faults, limits: Limits, required: tuple[str, ...] = ()
) -> Settings:
    """The settings in the file; a key with a fault keeps its default, so that checking goes on."""
    source = _source(path, faults, limits)
    table = None if source is None else _parsed(source, faults)
    if source is None or table is None:
        return Settings()
    return _Reader(source, faults, limits).settings(table, required)


def _source(path: Path, faults: Faults, limits: Limits) -> str | None:
    with path.open("rb") as stream:
        raw = stream.read(limits.settings_bytes + 1)
    if len(raw) > limits.settings_bytes:
        faults.error(
            Kind.LONG_TEXT, Where(FILE), f"The file has over {limits.settings_bytes:,} bytes."
        )
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        faults.error(Kind.ENCODING, Where(FILE, line), "This is not UTF-8.", "Save it as UTF-8.")
        return None


def _parsed(source: str, faults: Faults) -> dict[str, Any] | None:
    try:
        return tomllib.loads(source, parse_float=_decimal)
    except RecursionError:
        faults.error(Kind.TOML, Where(FILE), "This is nested too deeply.", "Flatten it.")
    except ValueError as error:
        place = _TOML_PLACE.search(str(error))
        line, column = place.groups() if place else (None, "")
        faults.error(
            Kind.TOML,
            Where(FILE, int(line) if line else None, column),
            f"This is not TOML: {_TOML_PLACE.sub('', str(error)).strip()}.",
            'Write lines such as name = "My campaign".',
        )
    return None


def _decimal(number: str) -> Decimal:
    """Money stays exact; an exponent beyond all bounds is a fault of the file like any other."""
    try:
        return Decimal(number)
    except InvalidOperation as error:
        raise ValueError(f"{number[:40]} is no number") from error


class _Reader:
    """Picks the known keys out of a parsed file and complains about everything else."""

    def __init__(self, source: str, faults: Faults, limits: Limits) -> None:
        self._lines = source.split("\n")
        self._faults = faults
        self._limits = limits

    def settings(self, table: dict[str, Any], required: tuple[str, ...]) -> Settings:
        hits = table.pop("hits", {})
        if not isinstance(hits, dict):
            self._wrong("hits", "a table: a line [hits], its keys below it")
            hits = {}
        translations = self._translations(table.pop("translations", {}))
        teams = self._teams(table.pop("teams", {}))
        questions = self._questions({key: table.pop(key) for key in KEYS if key in table})
        chosen = protocols().get(str(table.get("protocol")))
        if chosen and chosen.writes:  # there is nothing yet that could be damaged
            required = tuple(key for key in required if key != "control")
        for key in [key for key in required if key not in table]:
            self._fault(Kind.SETTING, key, f"There is no {key}.", f'Add {key} = "…".')
        campaign = self._known(table, _CAMPAIGN, elsewhere=_HITS)
        campaign["human"] = tuple(campaign.get("human", ()))
        self._keep_sound_texts(campaign)
        protocol = protocol_named(campaign.get("protocol", "direct"))
        if campaign.get("fluency") and protocol.fluency is None:
            self._fault(
                Kind.SETTING,
                "fluency",
                f"The protocol {protocol.name} has no question about fluency.",
                "Leave it out.",
            )
        for name in own_clashes(protocol, questions):
            self._wrong("sliders", f"another name than {name}, which {protocol.name} asks for")
        asked = protocol_named(protocol.name, fluency=bool(campaign.get("fluency")))
        asked = with_own(asked, questions)
        for key, wanted in expectation_clashes(asked, questions):
            self._wrong(key, wanted)
        hit_settings = self._hit_settings(hits, asked)
        return Settings(
            **campaign,
            hits=hit_settings,
            translations=translations,
            teams=teams,
            questions=questions,
        )

    def _questions(self, own: dict[str, Any]) -> dict[str, Any]:
        """Kinds of errors, sliders and a remark of the campaign's own; none if one is at fault."""
        faults = list(own_faults(own))
        for key, wanted in faults:
            self._wrong(key, wanted)
        if faults:
            return {}
        weights = own.get("errors", {}).get("severities", {})
        weights |= {name: float(weight) for name, weight in weights.items()}  # JSON has no Decimal
        for table in (own.get("counting", {}), own.get("filling", {})):
            numbers = {name: float(x) for name, x in table.items() if isinstance(x, Decimal)}
            table |= numbers
        return own

    def _translations(self, tables: Any) -> dict[str, dict[str, str]]:
        """Tables [translations.de] and so on: what people read, in other languages."""
        if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
            self._wrong("translations", "tables: a line [translations.de], its keys below it")
            return {}
        for language in tables.keys() - set(CODES):
            remedy = f"Known languages: {', '.join(CODES)}."
            message = f"The language {quoted(language)} is not available."
            self._fault(Kind.SETTING, f"translations.{language}", message, remedy)
        found = {
            language: self._known(tables[language], _TRANSLATED, elsewhere={})
            for language in CODES
            if language in tables
        }
        for texts in found.values():
            for key, text in texts.items():
                check_prose(text, self._limits.prose_characters, self._where(key), self._faults)
        return found

    def _teams(self, table: Any) -> dict[str, tuple[str, ...]]:
        """The table [teams]: the runs of each team, the primary one first."""
        if not isinstance(table, dict):
            self._wrong("teams", "a table: a line [teams], a line for each team below it")
            return {}
        found: dict[str, tuple[str, ...]] = {}
        for team, runs in table.items():
            if _texts(runs) or not runs:
                self._wrong(team, 'its runs, the primary one first, such as ["run-1", "run-2"]')
            elif check_name(team, self._limits.name_characters, self._where(team), self._faults):
                found[team] = tuple(runs)
        every = [run for runs in found.values() for run in runs]
        for run in sorted({run for run in every if every.count(run) > 1}):
            message = f"{quoted(run)} is named twice below [teams]."
            self._fault(Kind.SETTING, "teams", message, "A run belongs to one team, once.")
        return found

    def _hit_settings(self, table: dict[str, Any], protocol: AnnotationProtocol) -> HitSettings:
        """What the file leaves out is as the protocol's authors had it."""
        known = asdict(protocol.hits) | self._known(table, _HITS, elsewhere=_CAMPAIGN)
        if "reward" in known:
            known["reward"] = Decimal(known["reward"])
        hits = HitSettings(**known)
        try:
            hit_shape(
                whole_video=protocol.whole_video,
                size=hits.size,
                pairs=hits.pairs,
                repeats=hits.repeats,
            )
        except ValueError as error:
            self._fault(
                Kind.SETTING,
                "size",
                f"These numbers cannot fit into a HIT: {error}.",
                "Change the numbers.",
            )
        return hits

    def _known(
        self,
        table: dict[str, Any],
        validators: Mapping[str, Validator],
        elsewhere: Mapping[str, Validator],
    ) -> dict[str, Any]:
        known = {}
        for key, value in table.items():
            if key not in validators:
                self._unknown(key, validators, elsewhere)
            elif wanted := validators[key](value):
                self._wrong(key, wanted)
            else:
                known[key] = value
        return known

    def _unknown(
        self, key: str, validators: Mapping[str, Validator], elsewhere: Mapping[str, Validator]
    ) -> None:
        remedy = suggestion(key, validators) or f"Known here: {', '.join(validators)}."
        if key in elsewhere:
            place = "below the line [hits]" if elsewhere is _HITS else "above the line [hits]"
            remedy = f"It belongs {place}."
        self._fault(Kind.UNKNOWN_SETTING, key, f"There is no setting {quoted(key)}.", remedy)

    def _wrong(self, key: str, wanted: str) -> None:
        self._fault(Kind.SETTING, key, "This value is not valid.", f"Give {wanted}.")

    def _keep_sound_texts(self, campaign: dict[str, Any]) -> None:
        """Drop a name that is a fault: reports show it, and no database can hold a NUL."""
        limits = self._limits
        name, where = campaign.get("name"), self._where("name")
        if name is not None and not check_name(name, limits.name_characters, where, self._faults):
            del campaign["name"]
        for key in {"instructions", "consent"} & campaign.keys():
            check_prose(campaign[key], limits.prose_characters, self._where(key), self._faults)
        contact, where = campaign.get("contact"), self._where("contact")
        if contact and not check_name(contact, limits.name_characters, where, self._faults):
            del campaign["contact"]

    def _fault(self, kind: Kind, key: str, message: str, remedy: str) -> None:
        self._faults.error(kind, self._where(key), message, remedy)

    def _where(self, key: str) -> Where:
        """The line that sets the key, as far as a look at how lines begin can tell."""
        begin = re.compile(rf"""\s*\[?["']?{re.escape(key)}["']?\s*[=.\]]""")
        numbered = enumerate(self._lines, start=1)
        line = next((number for number, text in numbered if begin.match(text)), None)
        return Where(FILE, line, quoted(key)[1:-1])
