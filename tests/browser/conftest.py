"""Debian's Chromium, a site that can be stopped and started, and campaigns with real clips."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import connections
from django.test.testcases import LiveServerThread, QuietWSGIRequestHandler
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from hits.models import Campaign
from tests.browser.annotator import Annotator
from tests.browser.material import clip_campaign

# Playwright runs an event loop in this thread; the ORM is only used between its steps.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Nothing takes this long; a busy machine may.
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)
FLAGS = ["--no-sandbox", "--autoplay-policy=user-gesture-required"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker("browser")
            item.add_marker("slow")


class SuddenServer(ThreadedWSGIServer):
    """A server whose end is an end: connections kept alive are cut."""

    def __init__(self, *args, **kwargs):
        self.sockets: set[socket.socket] = set()
        super().__init__(*args, **kwargs)

    def get_request(self):
        connection, address = super().get_request()
        self.sockets.add(connection)
        return connection, address

    def cut(self) -> None:
        for connection in self.sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # closed long ago
        self.sockets.clear()


class SiteThread(LiveServerThread):
    def _create_server(self, connections_override=None):
        return SuddenServer(
            (self.host, self.port),
            QuietWSGIRequestHandler,
            allow_reuse_address=True,
            connections_override=connections_override,
        )


class Site:
    """The platform behind a port of its own."""

    def __init__(self) -> None:
        self.port = 0
        self.shared = {
            connection.alias: connection
            for connection in connections.all()
            if connection.vendor == "sqlite"
        }
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        for connection in self.shared.values():
            connection.inc_thread_sharing()
        self.thread = SiteThread("127.0.0.1", StaticFilesHandler, self.shared, self.port)
        self.thread.daemon = True
        self.thread.start()
        self.thread.is_ready.wait()
        if self.thread.error:
            raise self.thread.error
        self.port = self.thread.port

    def stop(self) -> None:
        self.thread.httpd.shutdown()
        self.thread.httpd.cut()
        self.thread.terminate()
        for connection in self.shared.values():
            connection.dec_thread_sharing()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def chromium() -> str:
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing")
        pytest.skip("Chromium is not installed")
    return CHROMIUM


@pytest.fixture(scope="session")
def browser(playwright, chromium) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    browser.new_context = patient(browser.new_context)
    yield browser
    browser.close()


def patient(new_context: Callable[..., BrowserContext]) -> Callable[..., BrowserContext]:
    """Contexts in which every step may take as long as a busy machine needs."""

    def made(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        return context

    return made


@pytest.fixture
def site(transactional_db, settings) -> Iterator[Site]:
    settings.ALLOWED_HOSTS = ["*"]
    site = Site()
    yield site
    site.stop()
    # SQLite empties tables row by row, and rows of a live campaign do not go.
    Campaign.objects.update(state=Campaign.State.DRAFT)


@pytest.fixture
def campaign(transactional_db, settings):
    return clip_campaign()


@pytest.fixture
def annotator(site, browser) -> Iterator[Annotator]:
    """Somebody at a desktop, whose browser must not complain about anything."""
    person = Annotator(site, browser)
    yield person
    person.close()
