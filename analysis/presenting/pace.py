"""How fast ratings come in, and when the last of them may be expected. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from analysis.presenting.charts import Chart, Row, plain_spec, quantity

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
HOURS_SHOWN: Final = 24
EXACT_FOR: Final = timedelta(days=3)  # farther ahead, the hour would be a pretence


@dataclass(frozen=True)
class Pace:
    """Ratings of the last hour and of the last 24, and how many hours those 24 really cover."""

    last_hour: int
    last_day: int
    hours: float
    is_floor: bool = False
    """There were more than are counted: the counts are a lower bound, the pace is as counted."""

    @property
    def per_hour(self) -> float:
        return self.last_day / self.hours if self.hours else 0.0


@dataclass(frozen=True)
class Finish:
    """The moment everything asked for may be rated, if there is one, and what that assumes."""

    when: datetime | None
    has_hour: bool
    sentence: str
    word: str = ""  # in place of a moment, where there is none


def expected_finish(*, left: int, pace: Pace, now: datetime, is_paused: bool = False) -> Finish:
    """When ``left`` ratings more will be in, should people go on as they did.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> finish = expected_finish(left=90, pace=Pace(20, 60, 2.0), now=noon)
    >>> f"{finish.when:%H:%M}", finish.sentence
    ('15:00', 'if people continue as in the last 2 hours (30 ratings an hour), with nobody \
replaced')
    """
    if left <= 0:
        return Finish(None, False, "all requested ratings are in", "Done")
    if is_paused:
        return Finish(None, False, "nobody new can start until it is resumed", "Paused")
    if not pace.last_day:
        return Finish(None, False, "nobody has rated in the last 24 hours", "Not known yet")
    ahead = HOUR * (left / pace.per_hour)
    has_hour = ahead <= EXACT_FOR
    when = _rounded_up(now + ahead, HOUR if has_hour else DAY)
    return Finish(
        when,
        has_hour,
        f"if people continue as in the last {_hours(pace.hours)} "
        f"({_rate(pace.per_hour)} an hour), with nobody replaced",
    )


def _rounded_up(moment: datetime, step: timedelta) -> datetime:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + math.ceil((moment - midnight) / step) * step


def _hours(hours: float) -> str:
    whole = max(1, round(hours))
    return "hour" if whole == 1 else f"{whole} hours"


def _rate(per_hour: float) -> str:
    """
    >>> _rate(0.2), _rate(1.0), _rate(1234.5)
    ('fewer than one rating', '1 rating', '1,234 ratings')
    """
    if per_hour < 1:
        return "fewer than one rating"
    return f"{per_hour:,.0f} rating{'' if round(per_hour) == 1 else 's'}"


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def pace_chart(counts: Mapping[datetime, int], *, now: datetime) -> Chart:
    """Ratings in each clock hour of the last day; the one that is under way stands last."""
    first = hour_of(now) - (HOURS_SHOWN - 1) * HOUR
    hours = [first + number * HOUR for number in range(HOURS_SHOWN)]
    rows: list[Row] = [{"hour": f"{hour:%H:%M}", "ratings": counts.get(hour, 0)} for hour in hours]
    spec = plain_spec("Ratings in each hour of the last day.", 150)
    axis = {"labelOverlap": True, "labelSeparation": 14, "labelAngle": 0, "ticks": False}
    axis["labelPadding"] = 8  # clear of the zero beside it
    spec |= {
        "data": {"values": rows},
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": {"field": "hour", "type": "ordinal", "sort": None, "title": None, "axis": axis},
            "y": quantity("ratings", "Ratings") | {"axis": {"tickMinStep": 1, "tickCount": 4}},
        },
    }
    return Chart("Ratings by the hour", spec, {"hour": "Hour from", "ratings": "Ratings"}, rows)
