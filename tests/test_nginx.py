"""The rules of deploy/nginx.conf, kept by nginx itself: floods are refused, a rating passes."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import ipaddress
import re
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from hits.models import Campaign
from rehearsal.people.rating_client import RatingClient
from tests.annotations.person import body, invite, link
from tests.factories import make_campaign, make_hit
from tests.services import HEADERS_MORE, free_port, program_or_skip, wait_for

ROOT = Path(__file__).parents[1]
CONF = ROOT / "deploy/nginx.conf"
FLOODER, OTHER = "127.0.0.2", "127.0.0.1"
LOGIN = "/accounts/login/"
PLENTY = 500


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


def configuration(folder: Path, upstream: str, port: int, plain: int) -> str:
    """The recipe, with places of this test instead of a machine's."""
    pair = certificate(folder)
    places = {
        r"unix:/run/daplatform/web\.sock": upstream,
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
        f"{text}\n}}\n"
    )


class Front:
    """nginx before the site."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self._context = ssl.create_default_context(cafile=folder / "pair.pem")

    def connection(self, source: str) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=60, context=self._context, source_address=(source, 0)
        )

    def ask(self, source: str, method: str, path: str) -> int:
        """The status of an answer, which does not say what program gave it."""
        with contextlib.closing(self.connection(source)) as wire:
            wire.request(method, path, b"" if method == "POST" else None)
            answer = wire.getresponse()
            assert answer.headers["Server"] is None
            return answer.status

    def hold(self, source: str) -> socket.socket:
        """A request that has begun, and whose end never comes."""
        wire = self.connection(source)
        wire.connect()
        wire.sock.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n")
        return wire.sock

    def rate(self, source: str, path: str) -> RatingClient:
        client = RatingClient("https://127.0.0.1")
        client.connection = self.connection(source)
        assert client.enter(path)
        answer = client.save(body(client.items[0]["receipt"]))
        assert answer["done"] == 1
        return client


@pytest.fixture
def front(tmp_path, live_server, settings):
    settings.ALLOWED_HOSTS = ["*"]
    nginx = program_or_skip("nginx", Path("/usr/sbin"))
    tmp_path.chmod(0o755)
    port, plain = free_port(), free_port()
    upstream = f"{live_server.thread.host}:{live_server.thread.port}"
    file = tmp_path / "nginx.conf"
    file.write_text(configuration(tmp_path, upstream, port, plain), encoding="utf-8")
    command = [nginx, "-c", str(file), "-p", str(tmp_path), "-e", str(tmp_path / "error.log")]
    process = subprocess.Popen(command)
    try:
        wait_for(port, process, 60)
        yield Front(port, tmp_path)
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def way_in(front):
    campaign = make_campaign()
    make_hit(campaign)
    yield link(invite(campaign))
    Campaign.objects.update(state=Campaign.State.DRAFT)  # SQLite is emptied row by row


def test_a_flood_of_log_ins_is_refused_and_a_rating_from_there_passes(front, way_in):
    first = front.ask(FLOODER, "POST", LOGIN)
    assert first not in (429, 503)
    assert any(front.ask(FLOODER, "POST", LOGIN) == 429 for _ in range(PLENTY))
    assert front.ask(OTHER, "POST", LOGIN) == first
    assert front.ask(FLOODER, "GET", LOGIN) == 200
    front.rate(FLOODER, way_in).close()


def test_whoever_holds_too_many_connections_is_refused_and_a_rating_passes(front, way_in):
    [most] = re.findall(r"limit_conn da_visitors (\d+);", CONF.read_text(encoding="utf-8"))
    assert front.ask(FLOODER, "GET", LOGIN) == 200
    with contextlib.ExitStack() as held:
        for _ in range(int(most)):
            held.enter_context(front.hold(FLOODER))
        assert front.ask(FLOODER, "GET", LOGIN) == 503
        front.rate(OTHER, way_in).close()
