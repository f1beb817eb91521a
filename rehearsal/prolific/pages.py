"""The side of Prolific that participants see, as far as a rehearsal needs it.

Somebody names themselves, takes part in a study, is sent to a HIT, and comes back with a code.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from http.cookies import SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit

from rehearsal.prolific.market import Market, Study, Submission
from rehearsal.prolific.routes import Answer

KEYS: Final = "/.well-known/study/jwks.json"
TAKING: Final = "/take"
COMING_BACK: Final = "/submissions/complete"
COOKIE: Final = "submission"
STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
header { border-bottom: 1px solid #8886; color: #888; }
article { border: 1px solid #8886; border-radius: .5rem; padding: 0 1.25rem 1rem; margin: 1rem 0; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
input, button { font: inherit; padding: .4rem .7rem; border-radius: .3rem; border: 1px solid #888; }
label input { display: block; }
"""


def page_answer(market: Market, path: str, query: dict[str, str], cookies: str) -> Answer | None:
    """The page at a path; None where there is no page."""
    if path == "/":
        return _page(
            "Studies",
            "".join(_lines(market))
            or "<p>No study is out. Launch a batch on Prolific, and it appears here.</p>",
        )
    if path == TAKING:
        one = market.begin(query.get("study", ""), query.get("person", ""))
        location = signed_to(market, one)
        return Answer(303, headers={"Location": location, "Set-Cookie": f"{COOKIE}={one.id}"})
    if path == COMING_BACK:
        known = SimpleCookie(cookies).get(COOKIE)
        one = market.submission(known.value if known else "")
        market.complete(one.id, query.get("cc", ""))
        return _page("Thank you", f"<p>Your work is {escape(one.status.lower())}.</p>")
    if path == KEYS:
        return Answer(200, market.signer.published())
    return None


def sent_to(one: Submission) -> str:
    """The HIT's address as this person's browser opens it."""
    words = {"PROLIFIC_PID": one.participant, "STUDY_ID": one.study, "SESSION_ID": one.id}
    address = one.address
    for word, value in words.items():
        address = address.replace(f"{{{{%{word}%}}}}", quote(value))
    return address


def signed_to(market: Market, one: Submission) -> str:
    """The same, with the token that a study with secure addresses adds."""
    address = sent_to(one)
    if not market.study(one.study).fields.get("is_external_study_url_secure"):
        return address
    signed = {**dict(parse_qsl(urlsplit(address).query)), "workspace_id": market.workspace}
    token = market.signer.token(one.id, address, signed, now=market.clock())
    return f"{address}&prolific_token={token}"


def _lines(market: Market) -> Iterator[str]:
    for study in market.studies.values():
        if study.status == "ACTIVE":
            yield _form(market, study)


def _form(market: Market, study: Study) -> str:
    left = study.places - sum(
        market.allocated(study, detail["external_url"]) for detail in study.access_details
    )
    reward = f"{study.fields['reward'] / 100:.2f} {market.currency}"
    return (
        f"<article><h2>{escape(study.fields['name'])}</h2>"
        f"<p>{escape(study.fields['description'])}</p>"
        f"<p>{reward}, {left} of {study.places} places left.</p>"
        f'<form action="{TAKING}"><input type="hidden" name="study" value="{study.id}">'
        '<label>Take part as <input name="person" required pattern="[A-Za-z0-9]+"></label>'
        "<button>Take part</button></form></article>"
    )


def _page(title: str, content: str) -> Answer:
    return Answer(
        200,
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title} – rehearsal of Prolific</title><style>{STYLE}</style>"
        "<header>Rehearsal of Prolific: nobody is recruited, nothing is paid.</header>"
        f"<h1>{title}</h1>{content}</html>",
        {"Content-Type": "text/html; charset=utf-8"},
    )
