"""HTTP as nginx speaks it to gunicorn: over a Unix socket, a connection to a request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

HOST = "da.example.org"
ORIGIN = f"https://{HOST}"
TIMEOUT = 15.0  # the page's own


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """Requests to one site. No library: at this pace one would take as much time as the site."""

    def __init__(self, socket: Path) -> None:
        self.socket = str(socket)

    async def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Answer:
        """The whole answer; ConnectionError where there is none, or it breaks off."""
        lines = {
            "Host": HOST, "X-Forwarded-Proto": "https", "Connection": "close",
            "Origin": ORIGIN, "Content-Length": str(len(body)), **(headers or {}),
        }  # fmt: skip
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        try:
            async with asyncio.timeout(TIMEOUT):
                return read_answer(
                    await self._exchange(f"{method} {path} HTTP/1.0\r\n{head}\r\n".encode() + body)
                )
        except TimeoutError:
            raise ConnectionError(f"no answer in {TIMEOUT:.0f} s") from None

    async def _exchange(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self.socket)
        try:
            writer.write(request)
            return await reader.read()
        finally:
            writer.close()


def read_answer(content: bytes) -> Answer:
    """Status, headers (names in small letters) and body of a whole answer.

    >>> read_answer(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi")
    Answer(status=200, headers={'content-length': '2'}, body=b'hi')
    """
    head, _, body = content.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if not first or len(body) < int(headers.get("content-length", 0)):
        raise ConnectionError("the answer broke off")
    return Answer(int(first.split()[1]), headers, body)
