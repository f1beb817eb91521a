"""`make demo` as a newcomer uses it: everything starts, an import goes through, Ctrl-C ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from rehearsal.demo.people import LOG_INS
from tests.folders import make_folder, make_zip
from tests.services import free_port

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@contextmanager
def running_demo(data: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """The demo, from its ready line to Ctrl-C."""
    environment = {
        **os.environ,
        "DATA_DIR": str(data),
        "PORT": str(port),
        "MARKET_PORT": str(free_port()),
    }
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE"):
        environment.pop(name, None)
    demo = subprocess.Popen(
        [sys.executable, "-m", "rehearsal"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "is ready at" in line:
                assert f"http://127.0.0.1:{port}/" in line
                assert all(person.password in line for person in LOG_INS)
                break
        else:
            pytest.fail("the demo never said that it is ready")
        yield demo
    finally:
        demo.send_signal(signal.SIGINT)
        assert demo.wait(timeout=600) == 0


def log_in(port: int) -> httpx.Client:
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=30)
    page = client.get("/accounts/login/")
    person = LOG_INS[0]
    fields = {"username": person.username, "password": person.password}
    assert post(client, page, "/accounts/login/", data=fields).status_code == 200
    return client


def post(client: httpx.Client, page: httpx.Response, address: str, **content) -> httpx.Response:
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token, page.text
    content["data"] = {**content.get("data", {}), "csrfmiddlewaretoken": token[1]}
    return client.post(address, headers={"Referer": str(page.url)}, **content)


def wait_for_words(client: httpx.Client, address: str, *words: str) -> httpx.Response:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        page = client.get(address)
        if any(word in page.text for word in words):
            return page
        time.sleep(0.3)
    pytest.fail(f"{address} never said any of {words}")


def test_the_demo_starts_imports_stops_and_starts_again(tmp_path):
    data, port = tmp_path / "data", free_port()
    archive = make_zip(
        make_folder(tmp_path / "mine", videos=12, systems=6, name="Mine", clips=True)
    )
    with running_demo(data, port):
        client = log_in(port)
        first = client.get("/campaigns/").text
        upload = post(
            client, client.get("/campaigns/import/"), "/campaigns/import/",
            files={"archive": ("mine.zip", archive.read_bytes(), "application/zip")},
        )  # fmt: skip
        place = upload.url.path
        checked = wait_for_words(client, place, "Import this campaign", "confirm")
        post(client, checked, f"{place}confirm/")
        wait_for_words(client, place, "/campaigns/mine/")
        assert client.get("/campaigns/mine/").status_code == 200
        nowhere = client.get("/campaigns/nowhere/")
        assert nowhere.status_code == 404
        assert "DEBUG" not in nowhere.text
        assert client.get("/healthz").json() == {"database": True, "broker": True, "media": True}
    with httpx.Client() as nobody, pytest.raises(httpx.ConnectError):
        nobody.get(f"http://127.0.0.1:{port}/")
    with running_demo(data, port):
        second = log_in(port).get("/campaigns/").text
    addresses = re.compile(r'href="(/campaigns/[a-z0-9-]+/)"')
    assert set(addresses.findall(second)) == set(addresses.findall(first)) | {"/campaigns/mine/"}


def test_a_port_in_use_is_said_in_one_sentence(tmp_path):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "rehearsal"],
            cwd=ROOT,
            env={
                **os.environ,
                "DEBUG": "true",
                "DATA_DIR": str(tmp_path),
                "PORT": str(port),
                "MARKET_PORT": str(free_port()),
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.strip() == f"Port {port} cannot be used. Choose another: make demo PORT=8100"
