"""What the marketplace answers when it will not do something."""

from __future__ import annotations

PREFIX = "AWS.MechanicalTurk."


class Refusal(Exception):
    """An error of Mechanical Turk's: its type on the wire, its code, and a sentence."""

    def __init__(self, message: str, code: str = "", *, kind: str = "RequestError") -> None:
        super().__init__(message)
        self.message = message
        self.code = PREFIX + code if code else ""
        self.kind = kind

    def body(self) -> dict[str, str]:
        """The JSON of the answer. Only Mechanical Turk's own errors carry its own code."""
        body = {"__type": self.kind, "Message": self.message}
        return body | {"TurkErrorCode": self.code} if self.code else body


def missing(what: str, identifier: str) -> Refusal:
    return Refusal(f"{what} {identifier} does not exist.", f"{what}DoesNotExist")
