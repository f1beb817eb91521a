"""`make demo HOST=0.0.0.0`: the address that a phone on the same network opens."""

from __future__ import annotations

import socket

import pytest

from rehearsal import __main__ as demo


class Probe:
    """A socket that asks nobody."""

    def __init__(self, *_: object) -> None:
        self.asked: list[object] = []

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, address: object) -> None:
        self.asked.append(address)

    def getsockname(self) -> tuple[str, int]:
        return "198.51.100.4", 40_000


class Lonely(Probe):
    def connect(self, address: object) -> None:
        raise OSError("Network is unreachable")


@pytest.mark.parametrize(
    ("host", "probe", "reached"),
    [
        ("127.0.0.1", Lonely, "127.0.0.1"),
        ("demo.example", Lonely, "demo.example"),
        ("0.0.0.0", Probe, "198.51.100.4"),
        ("0.0.0.0", Lonely, "127.0.0.1"),
    ],
)
def test_the_address_is_one_that_others_can_open(monkeypatch, host, probe, reached):
    monkeypatch.setattr(demo, "HOST", host)
    monkeypatch.setattr(socket, "socket", probe)
    assert demo.reached_at() == reached


@pytest.mark.parametrize(("host", "is_printed"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_code_is_printed_where_phones_can_reach_it(monkeypatch, capsys, host, is_printed):
    monkeypatch.setattr(demo, "HOST", host)
    monkeypatch.setattr(demo, "ADDRESS", "http://198.51.100.4:8000/")
    demo.announce()
    printed = capsys.readouterr().out
    assert "http://198.51.100.4:8000/" in printed
    assert ("\N{UPPER HALF BLOCK}" in printed) is is_printed
