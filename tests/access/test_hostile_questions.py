"""Whatever is asked of whatever page is answered or refused: no fault, and no way off the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest
from django.db import transaction
from django.forms import BaseForm
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import daplatform.urls  # noqa: F401  # every page, and so every form
from tests.access.kinds import KINDS, of_every_kind
from tests.access.matrix import PUBLIC, ROWS, Row

ROOT = Path(__file__).parents[2]
APPS = ("hits", "annotations", "crowds", "analysis", "daplatform")
READ = re.compile(r'(?:GET|POST)(?:\.get|\.getlist)?[(\[]\s*"(\w+)"')
PRESSED = re.compile(r'"(\w+)" in request\.(?:GET|POST)')
# What a redirect might follow, whether or not anything here reads it.
LEADING = ("next", "url", "to", "return", "return_to", "returnTo", "redirect", "continue", "dest")
NASTY = (
    "' OR 1=1; DROP TABLE hits_campaign; --",
    "9" * 5_000,
    str(2**63),
    "-1",
    "nan",
    "1e999",
    "٣",
    "../../../etc/passwd",
    "{{ settings.SECRET_KEY }}{% debug %}%s%n${7*7}",
    "a\r\nSet-Cookie: evil=1",
    "\u202e\ufeff" + "x" * 3_000,
    "\ud800",
)
NUL = "\0"  # by itself, because no view is asked about an address that holds one
ELSEWHERE = (
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "\thttps://evil.example",
    "http://testserver@evil.example/",
)
# What stands in addresses as free text, not as a number or one of a few words.
WORDS = {
    "pseudonym", "result_name", "scores_name", "media_name", "entry_token", "join_token",
    "turn_token",
}  # fmt: skip

# Nothing of a campaign is on these: asking them beside one campaign is as good as beside all.
OF_NO_CAMPAIGN = {
    "home", "login", "password_change", "password_change_done", "key-list", "key-delete",
    "favicon", "healthz", "readyz", "metrics", "api:openapi-json", "api:api-root",
    "api:openapi-view", "hits:upload-create", "hits:upload-detail", "hits:upload-confirm",
    "hits:upload-discard", "crowds:notice",
}  # fmt: skip


def sources() -> list[str]:
    return [path.read_text() for app in APPS for path in (ROOT / app).rglob("*.py")]


def our_forms(parent: type[BaseForm]) -> Iterator[type[BaseForm]]:
    """Every form of ours that the pages know."""
    for kind in parent.__subclasses__():
        if kind.__module__.split(".")[0] in APPS:
            yield kind
        yield from our_forms(kind)


def parameters() -> list[str]:
    """Every name that any view reads from what was sent, and every field of every form."""
    read = {name for text in sources() for name in READ.findall(text)}
    fields = {field for kind in our_forms(BaseForm) for field in kind.base_fields}
    return sorted(read | fields | {*LEADING, *BUTTONS})


# Names of which it counts only that they were sent.
BUTTONS = {name for text in sources() for name in PRESSED.findall(text)}
PARAMETERS = parameters()


@pytest.fixture
def rows(kind) -> dict[str, Row]:
    """Every address beside a usual campaign; beside others those that show something of it."""
    left_out = set() if kind is KINDS["usual"] else OF_NO_CAMPAIGN
    assert left_out < ROWS.keys()
    return {name: row for name, row in ROWS.items() if name not in left_out}


@pytest.fixture
def pages(things, rows) -> list[str]:
    """Every address one can look at; logging out last of all."""
    return [
        reverse(name, args=[things[arg] for arg in row.args])
        for name, row in rows.items()
        if "GET" in row.methods
    ]


def question(asked: dict[str, str]) -> str:
    return urlencode(asked, errors="surrogatepass")


def ask(client: Client, address: str):
    client.raise_request_exception = False
    return client.get(address)


def problem_of(client: Client, address: str) -> str:
    return problem_in(ask(client, address))


def problem_in(response) -> str:
    """What is wrong with the answer; empty when nothing is."""
    if response.status_code >= 500:
        return f"{response.status_code}"
    if leads_away(response.get("Location", "")):
        return f"leads to {response['Location']}"
    if "evil" in response.cookies or any("\n" in value for value in response.headers.values()):
        return "a header of the visitor's own"
    if response.streaming:
        response.getvalue()  # a fault may come with the last of it
    return ""


def leads_away(location: str) -> bool:
    """As a browser reads it: a backslash is a slash, and blanks at the ends are nothing.

    Only the first part counts: where one has to log in first, the rest is told as `next`.
    """
    parts = urlsplit(location.strip().replace("\\", "/"))
    if parts.netloc:
        return parts.hostname != "testserver"
    return parts.scheme != ""


def nasty_questions() -> list[str]:
    """Every parameter at once, each with a nasty value, and at the next turn with another."""
    turns = [cycle(NASTY[turn:] + NASTY[:turn]) for turn in range(0, len(NASTY), 3)]
    return [question(dict(zip(PARAMETERS, values, strict=False))) for values in turns]


@of_every_kind
def test_no_question_is_too_much(pages, clients):
    answers = {
        (page, turn): ask(clients["organiser"], f"{page}?{query}")
        for turn, query in enumerate(nasty_questions())
        for page in pages
    }
    problems = {asked: problem_in(answer) for asked, answer in answers.items()}
    assert {asked: found for asked, found in problems.items() if found} == {}
    # Many of them read the questions; refusing all unread would prove nothing.
    known = [answer for answer in answers.values() if answer.status_code != 401]  # but by a key
    assert sum(answer.status_code == 200 for answer in known) > len(known) // 4


@pytest.fixture
def forms(things, clients, rows) -> dict[str, Client]:
    """Every address that takes a form, and who may send one; nobody is logged out."""
    return {
        reverse(name, args=[things[arg] for arg in row.args]): clients[
            "anonymous" if row.methods["POST"] is PUBLIC else "organiser"
        ]
        for name, row in rows.items()
        if "POST" in row.methods and name != "logout"
    }


def send(client: Client, address: str, asked: dict[str, str]):
    """Send a form, which leaves nothing behind for the next one."""
    client.raise_request_exception = False
    kind = "application/x-www-form-urlencoded"
    with transaction.atomic():
        response = client.generic("POST", address, question(asked), content_type=kind)
        transaction.set_rollback(True)
    return response


def problems_of(forms: dict[str, Client], names: list[str]) -> dict[tuple[str, str], str]:
    """In a body NUL gets as far as the views; and a plain word is no number and no address."""
    problems = {
        (page, nasty[:20]): problem_in(send(client, page, dict.fromkeys(names, nasty)))
        for nasty in (NUL, "word", "-1", "9" * 5_000, "a\r\nSet-Cookie: evil=1")
        for page, client in forms.items()
    }
    return {asked: found for asked, found in problems.items() if found}


@of_every_kind
def test_no_form_is_too_much(forms):
    assert problems_of(forms, PARAMETERS) == {}
    assert len(forms) > 20


def test_no_form_without_a_button_is_too_much(forms):
    assert problems_of(forms, [name for name in PARAMETERS if name not in BUTTONS]) == {}


@pytest.mark.parametrize("address", [f"/campaigns/?search={NUL}", f"/campaigns/{NUL}/"])
def test_an_address_with_nul_is_refused(address, client_of, organiser):
    assert ask(client_of(organiser), quote(address, safe="/?=")).status_code == 400


def test_no_page_leads_off_the_site(pages, clients):
    query = urlencode(dict.fromkeys(LEADING, ELSEWHERE[1]))
    problems = {
        f"{who} {page}?{query}": problem_of(clients[who], f"{page}?{query}")
        for page in pages
        for who in ("anonymous", "organiser")
    }
    assert {page: found for page, found in problems.items() if found} == {}


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_neither_logging_in_nor_out_leads_off_the_site(elsewhere, organiser):
    data = {"username": organiser.username, "password": "secret-word", "next": elsewhere}
    entering, leaving = Client(), Client()
    leaving.force_login(organiser, backend="django.contrib.auth.backends.ModelBackend")
    for response in (
        entering.post(reverse("login"), data),
        leaving.post(reverse("logout"), {"next": elsewhere}),
        leaving.post(f"{reverse('logout')}?{urlencode({'next': elsewhere})}"),
    ):
        assert response.status_code == 302
        assert not leads_away(response.url)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_words_in_any_question(data, pages, clients):
    page = data.draw(st.sampled_from(pages))
    values = st.one_of(st.text(max_size=30), st.sampled_from([*NASTY, NUL]), st.integers().map(str))
    asked = data.draw(st.dictionaries(st.sampled_from(PARAMETERS), values, max_size=5))
    assert not problem_of(clients["organiser"], f"{page}?{question(asked)}")


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**300], ids=["0", "31", "63", "300"])
def test_no_number_in_an_address_is_too_large(number, things, clients):
    asked = {key: number if isinstance(value, int) else value for key, value in things.items()}
    pages = [
        reverse(name, args=[asked[arg] for arg in row.args])
        for name, row in ROWS.items()
        if "GET" in row.methods and any(isinstance(things[arg], int) for arg in row.args)
    ]
    assert len(pages) > 5
    problems = {page: problem_of(clients["organiser"], page) for page in pages}
    assert {page: found for page, found in problems.items() if found} == {}


@pytest.mark.parametrize("word", [NUL, "a\r\nSet-Cookie: evil=1", "' OR 1=1 --", "x" * 3_000])
def test_no_word_in_an_address_is_too_much(word, things, clients):
    asked = {key: word if key in WORDS else value for key, value in things.items()}
    pages = [
        reverse(name, args=[asked[arg] for arg in row.args])
        for name, row in ROWS.items()
        if "GET" in row.methods and WORDS & {*row.args}
    ]
    assert len(pages) > 5
    problems = {page: problem_of(clients["organiser"], page) for page in pages}
    assert {page: found for page, found in problems.items() if found} == {}


@pytest.mark.parametrize("host", ["evil.example", "testserver:80@evil.example", "a b", ""])
def test_a_host_that_is_not_ours_is_refused(db, host):
    assert Client(HTTP_HOST=host, raise_request_exception=False).get("/").status_code == 400


@pytest.mark.parametrize(
    ("location", "away"),
    [
        ("/campaigns/", False),
        ("http://testserver/campaigns/", False),
        ("/accounts/login/?next=//evil.example", False),
        ("//evil.example", True),
        ("/\\evil.example", True),
        ("https:evil.example", True),
        ("javascript:alert(1)", True),
    ],
)
def test_the_tests_know_what_leads_away(location, away):
    assert leads_away(location) is away
