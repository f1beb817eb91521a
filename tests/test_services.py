"""Ports that tests hand out are nobody else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import services


def test_a_port_stays_taken_from_finding_to_binding():
    """With one port left, neither this process nor another gets it a second time."""
    port = services.free_port()
    asked = f"from tests import services; services.PORTS = [{port}]; services.free_port()"
    other = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=False
    )
    assert "every port is taken" in other.stderr


def test_ports_lie_below_those_of_connections():
    first_of_the_system = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert services.free_port() < first_of_the_system
