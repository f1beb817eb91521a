"""`python manage.py rehearse`: says where it is, keeps what was done, and stops with a sentence."""

from __future__ import annotations

import signal
import subprocess
import sys

import httpx
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from daplatform import places
from rehearsal.management.commands.rehearse import announcement, environment
from tests.services import free_port, wait_for


def test_it_says_where_it_is_and_what_points_the_platform_at_it(tmp_path):
    said = announcement("http://localhost:8001", tmp_path)
    assert "Nothing here costs anything" in said
    for name, value in environment("http://localhost:8001").items():
        assert f"{name}={value}" in said
        assert hasattr(settings, name)


@pytest.mark.parametrize("amount", ["much", "-1", "NaN", "Infinity"])
def test_it_refuses_a_balance_that_is_none(tmp_path, amount):
    with pytest.raises(CommandError, match="not an amount of money"):
        call_command("rehearse", f"--data={tmp_path}", f"--balance={amount}")


def test_it_says_that_a_port_is_taken(tmp_path, server):
    with pytest.raises(CommandError, match="cannot be used"):
        call_command("rehearse", f"--data={tmp_path}", port=server.server_port)


@pytest.mark.slow
def test_it_runs_until_it_is_stopped_and_goes_on_where_it_was(tmp_path):
    port = free_port()
    command = [sys.executable, "manage.py", "rehearse", f"--port={port}", f"--data={tmp_path}"]
    for times in (1, 2):
        process = subprocess.Popen(
            [*command, f"--balance={100 * times}"], cwd=places.SITE, stdout=subprocess.PIPE
        )
        try:
            wait_for(port, process)
            books = httpx.get(f"http://localhost:{port}/rehearsal/books").json()
        finally:
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=120)[0].decode()
        assert books["deposited"] == "100.00"  # the second time too: it is the same marketplace
        assert "same command to continue" in said
