"""Machines in miniature: network namespaces on a bridge, whose cables can be pulled."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.services import is_ours

SUBNETS = [f"10.203.{number}" for number in range(1, 255)]


class NotPermitted(RuntimeError):
    """Namespaces cannot be made here."""


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPermitted(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Network:
    """A bridge with an address that all machines reach."""

    def __init__(self) -> None:
        self.mark = f"{os.getpid() % 100_000:05}"
        self.bridge = f"da{self.mark}"
        self.subnet = next(each for each in SUBNETS if is_ours(each))
        self.address = f"{self.subnet}.1"
        self.machines: list[str] = []

    def build(self) -> None:
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", f"{self.address}/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")

    def add(self) -> str:
        """Another machine; what it is called."""
        number = len(self.machines) + 2
        name = f"da-{self.mark}-{number}"
        ip("netns", "add", name)
        self.machines.append(name)
        # What is on this machine's loopback for others is on the bridge for them.
        hosts = Path(f"/etc/netns/{name}/hosts")
        hosts.parent.mkdir(parents=True)
        hosts.write_text(f"{self.address} localhost\n")
        inner = f"dx{self.mark}{number}"
        ip("link", "add", self.cable(name), "type", "veth", "peer", "name", inner)
        ip("link", "set", inner, "netns", name)
        ip("link", "set", self.cable(name), "master", self.bridge, "up")
        ip("-n", name, "addr", "add", f"{self.subnet}.{number}/24", "dev", inner)
        ip("-n", name, "link", "set", inner, "up")
        ip("-n", name, "link", "set", "lo", "up")
        return name

    def address_of(self, name: str) -> str:
        return f"{self.subnet}.{name.rpartition('-')[2]}"

    def cable(self, name: str) -> str:
        return f"dv{self.mark}{name.rpartition('-')[2]}"

    def cut(self, name: str) -> None:
        ip("link", "set", self.cable(name), "down")

    def mend(self, name: str) -> None:
        ip("link", "set", self.cable(name), "up")

    def on(self, name: str) -> list[str]:
        """What a command begins with to run on a machine."""
        return ["ip", "netns", "exec", name]

    def clear(self) -> None:
        for name in self.machines:
            with contextlib.suppress(NotPermitted):
                ip("netns", "del", name)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)
        with contextlib.suppress(NotPermitted):
            ip("link", "del", self.bridge)


@contextlib.contextmanager
def network() -> Iterator[Network]:
    made = Network()
    try:
        made.build()
        yield made
    except FileNotFoundError:
        raise NotPermitted("ip is not installed") from None
    finally:
        made.clear()
