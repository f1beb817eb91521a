"""nginx and gunicorn as deploy/ has them: floods are refused, everybody else passes."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import ipaddress
import re
import ssl
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from benchmarks.load.units import deployed
from rehearsal.people.rating_client import RatingClient
from tests.annotations.person import body
from tests.faults.conftest import stage_or_skip
from tests.faults.stage import PATIENCE, ROOT
from tests.faults.test_login_flood import TOKEN
from tests.services import HEADERS_MORE, free_port, program_or_skip, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CONF = ROOT / "deploy/nginx.conf"
FLOODER, HOLDER, OTHER = "192.0.2.3", "192.0.2.2", "192.0.2.1"
LOGIN, PASSWORD = "/accounts/login/", "long enough a word"
PLENTY = 100  # more than nginx lets through at once, fewer than it lets one visitor hold
# nginx believes this test about where requests come from, for all come from one machine.
SOURCES = "set_real_ip_from 127.0.0.1; real_ip_header X-Source;"
ORGANISER = f"""
import django
django.setup()
from tests.factories import make_user
user = make_user("organisers")
user.set_password("{PASSWORD}")
user.save()
print(user.username, end="")
"""


def certificate(folder: Path) -> Path:
    """A key and a certificate for this machine, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "pair.pem"
    own = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(own + made.public_bytes(Encoding.PEM))
    return file


def configuration(folder: Path, port: int, plain: int) -> str:
    """The recipe, with places of this test instead of a machine's."""
    pair = certificate(folder)
    places = {
        r"/run/daplatform/": f"{folder}/",
        r"/srv/daplatform/var/": f"{folder}/data/",
        r"listen 443 ": f"listen 127.0.0.1:{port} ",
        r"listen 80;": f"listen 127.0.0.1:{plain};",
        r"/etc/ssl/[\w./-]+": str(pair),
        r"/var/log/nginx/daplatform\.log": str(folder / "access.log"),
    }
    text = CONF.read_text(encoding="utf-8")
    for place, here in places.items():
        text, changed = re.subn(place, here, text)
        assert changed, f"deploy/nginx.conf has no {place} any more"
    return (
        f"load_module {HEADERS_MORE};\n"
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;\n"
        "events { worker_connections 2000; }\n"
        f"http {{ client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"{SOURCES}\n{text}\n}}\n"
    )


class Visit(http.client.HTTPSConnection):
    """A connection that says from where it comes."""

    def __init__(self, source: str, port: int, context: ssl.SSLContext) -> None:
        super().__init__("127.0.0.1", port, timeout=PATIENCE, context=context)
        self.source = source

    def request(self, method, url, body=None, headers=None):
        super().request(method, url, body, {**(headers or {}), "X-Source": self.source})


class Front:
    """nginx before the site."""

    def __init__(self, port: int, plain: int, folder: Path) -> None:
        self.port, self.plain = port, plain
        self._context = ssl.create_default_context(cafile=folder / "pair.pem")

    def visit(self, source: str) -> contextlib.closing[Visit]:
        return contextlib.closing(Visit(source, self.port, self._context))

    def ask(
        self, source: str, method: str, path: str, form: str = "", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        with self.visit(source) as wire:
            wire.request(method, path, form or None, headers)
            answer = wire.getresponse()
            assert answer.headers["Server"] is None  # nobody need know what program answers
            return answer.status, answer.read().decode(), answer.headers

    def status(self, source: str, method: str, path: str) -> int:
        return self.ask(source, method, path)[0]

    def flood(self, sources: Iterable[str]) -> list[int]:
        """Many log-ins at once, sent before the first answer is read."""
        with contextlib.ExitStack() as held:
            wires = [held.enter_context(self.visit(source)) for source in sources]
            for wire in wires:
                wire.connect()
            for wire in wires:
                wire.request("POST", LOGIN, b"")
            return [wire.getresponse().status for wire in wires]

    @contextlib.contextmanager
    def holding(self, source: str, count: int) -> Iterator[None]:
        """So many requests that have begun, and whose end never comes."""
        begun = f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Source: {source}\r\n"
        with contextlib.ExitStack() as held:
            for _ in range(count):
                wire = held.enter_context(self.visit(source))
                wire.connect()
                wire.sock.sendall(f"{begun}Content-Length: 9\r\n\r\n".encode())
            yield

    def rate(self, source: str, path: str) -> int:
        """How many captions somebody has rated who comes by a link."""
        client = RatingClient("https://127.0.0.1")
        with self.visit(source) as client.connection:
            assert client.enter(path)
            return client.save(body(client.items[0]["receipt"]))["done"]


@pytest.fixture(scope="module")
def site():
    """gunicorn as its unit starts it, at its socket; and at a port, to know when it is there."""
    with stage_or_skip() as made:
        made.environment |= {
            "DEBUG": "false",
            "HTTPS": "true",
            "BEHIND_PROXY": "true",
            "PUBLIC_URL": "https://127.0.0.1",
            "LOGINS_PER_MINUTE": "100000",  # or gunicorn would refuse what nginx let through
        }
        made.run("manage.py", "collectstatic", "--no-input", "--verbosity", "0")
        unit = deployed("da-web", run=made.folder)
        made.web.command = [*unit.argv, "--bind", f"127.0.0.1:{made.web.port}"]
        made.web.start()
        yield made


@pytest.fixture(scope="module")
def front(site):
    nginx = program_or_skip("nginx", Path("/usr/sbin"))
    folder, port, plain = site.folder, free_port(), free_port()
    file = folder / "nginx.conf"
    file.write_text(configuration(folder, port, plain), encoding="utf-8")
    command = [nginx, "-c", str(file), "-p", str(folder), "-e", str(folder / "error.log")]
    process = subprocess.Popen(command)
    try:
        wait_for(port, process, PATIENCE)
        front = Front(port, plain, folder)
        until(lambda: front.status(OTHER, "GET", "/readyz") == 200)
        yield front
    finally:
        process.terminate()
        process.wait(PATIENCE)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_people_rate_log_in_and_get_their_files(front, site):
    assert front.rate(OTHER, site.links(1)[0]) == 1
    name = site.run("-c", ORGANISER)
    status, page, headers = front.ask(OTHER, "GET", LOGIN)
    assert status == 200
    [script] = re.findall(r'href="(/static/css/base\.[0-9a-f]{12}\.css)"', page)
    status, style, found = front.ask(OTHER, "GET", script)
    assert (status, found["Cache-Control"]) == (200, "public, max-age=31536000, immutable")
    assert style == (site.folder / "data" / script[1:]).read_text(encoding="utf-8")
    form = {"csrfmiddlewaretoken": TOKEN.findall(page)[0], "username": name, "password": PASSWORD}
    cookie = headers["Set-Cookie"].partition(";")[0]
    status, _, headers = front.ask(
        OTHER, "POST", LOGIN, urlencode(form), Cookie=cookie, Origin="https://127.0.0.1"
    )
    assert status == 302
    cookies = "; ".join(each.partition(";")[0] for each in headers.get_all("Set-Cookie"))
    assert front.ask(OTHER, "GET", "/campaigns/", Cookie=cookies)[0] == 200
    assert front.status(OTHER, "GET", "/campaigns/") == 302
    wire = http.client.HTTPConnection("127.0.0.1", front.plain, timeout=PATIENCE)
    with contextlib.closing(wire):
        wire.request("GET", "/campaigns/")
        assert wire.getresponse().headers["Location"] == "https://127.0.0.1/campaigns/"
    log = (site.folder / "access.log").read_text(encoding="utf-8")
    assert log.count(OTHER) > 5
    assert "/" not in log  # paths carry tokens


def test_a_flood_of_log_ins_is_refused_and_a_rating_from_there_passes(front, site):
    first = front.status(FLOODER, "POST", LOGIN)
    assert first not in (429, 503)
    assert set(front.flood([FLOODER] * PLENTY)) == {first, 429}
    assert front.status(OTHER, "POST", LOGIN) == first
    assert front.status(FLOODER, "GET", LOGIN) == 200
    assert front.rate(FLOODER, site.links(1)[0]) == 1


@pytest.mark.parametrize(
    ("network", "other"),
    [
        ("2001:db8:0:1::{:x}", "2001:db8:0:2::7"),
        ("::ffff:198.51.100.7", "::ffff:198.51.100.8"),
    ],
)
def test_many_addresses_of_one_network_are_one_visitor(front, network, other):
    answers = front.flood(network.format(number) for number in range(PLENTY))
    assert 429 in answers
    assert front.status(other, "POST", LOGIN) != 429


def test_whoever_holds_too_many_connections_is_refused_and_a_rating_passes(front, site):
    [most] = re.findall(r"limit_conn da_visitors (\d+);", CONF.read_text(encoding="utf-8"))
    assert front.status(HOLDER, "GET", LOGIN) == 200
    with front.holding(HOLDER, int(most)):
        until(lambda: front.status(HOLDER, "GET", LOGIN) == 503)
        assert front.rate(OTHER, site.links(1)[0]) == 1
