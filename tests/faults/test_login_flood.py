"""A flood of log-ins on the server as deploy/ runs it: people rate on, few passwords at once."""

from __future__ import annotations

import http.client
import re
import threading
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from benchmarks.load.units import deployed
from tests.faults.campaign import HIT_SIZE
from tests.faults.counting_hasher import most_at_once
from tests.faults.stage import Stage, rate_through

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PEOPLE = 3
FLOODERS, TRIES = 8, 12
AT_ONCE = 2
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture
def site(request, fresh_site, tmp_path):
    fresh_site.environment |= {
        "DJANGO_SETTINGS_MODULE": "tests.faults.counting_settings",
        "HASHES_FILE": str(tmp_path / "hashes"),
        "BEHIND_PROXY": "true",
        "LOGINS_AT_ONCE": str(AT_ONCE),
        "LOGINS_PER_MINUTE": getattr(request, "param", "20"),
    }
    fresh_site.run("manage.py", "collectstatic", "--no-input", "--verbosity", "0")
    web = fresh_site.web
    web.command = [*deployed("da-web", run=tmp_path).argv, "--bind", f"127.0.0.1:{web.port}"]
    fresh_site.serve()
    return fresh_site


class Flooder(threading.Thread):
    """Tries one name after the other, each from an address of its own unless one is given."""

    def __init__(self, site: Stage, number: int, address: str = "") -> None:
        super().__init__(daemon=True)
        self.place, self.number, self.address = urlsplit(site.url).netloc, number, address
        self.answers: list[int] = []

    def run(self) -> None:
        page = self.ask("GET")
        token, cookie = TOKEN.findall(page[1])[0], page[2]
        for attempt in range(TRIES):
            name = f"nobody-{self.number}-{attempt}"
            form = {"csrfmiddlewaretoken": token, "username": name, "password": "guessed"}
            address = self.address or f"198.51.{self.number}.{attempt}"
            headers = {"Cookie": cookie, "X-Forwarded-For": address}
            self.answers.append(self.ask("POST", urlencode(form), headers)[0])

    def ask(
        self, method: str, body: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        wire = http.client.HTTPConnection(self.place, timeout=60)
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        wire.request(method, "/accounts/login/", body, kind | (headers or {}))
        answer = wire.getresponse()
        text, cookie = answer.read().decode(), answer.headers.get("Set-Cookie", "")
        wire.close()
        return answer.status, text, cookie.partition(";")[0]


def flood(site: Stage, address: str = "") -> list[int]:
    flooders = [Flooder(site, number, address) for number in range(FLOODERS)]
    for flooder in flooders:
        flooder.start()
    for flooder in flooders:
        flooder.join()
    return [status for flooder in flooders for status in flooder.answers]


def test_people_rate_on_and_few_passwords_are_checked_at_once(site):
    answers: list[int] = []
    links = site.links(PEOPLE)
    raters = rate_through(site, links, pause=0.1, trouble=lambda: answers.extend(flood(site)))
    assert all(rater.submitted for rater in raters)
    assert len(site.saved()) == PEOPLE * HIT_SIZE
    assert len(answers) == FLOODERS * TRIES
    assert set(answers) == {200, 503}
    book = Path(site.environment["HASHES_FILE"])
    assert book.read_text().count("+") == answers.count(200)
    assert 1 <= most_at_once(book) <= AT_ONCE


@pytest.mark.parametrize("site", ["1"], indirect=True, ids=["one-a-minute"])
def test_one_address_is_told_to_wait_before_any_password_is_checked(site):
    answers = flood(site, "203.0.113.5")
    assert 429 in answers
    checked = Path(site.environment["HASHES_FILE"]).read_text().count("+")
    assert checked == answers.count(200) < len(answers) / 2
