"""Why a link, a rating or a submission is refused, each with a sentence the annotator reads."""

from __future__ import annotations

from daplatform.errors import DomainError


class LinkRefused(DomainError):
    """The link is not one of ours, or was changed on its way."""


class LinkExpired(DomainError):
    """The link is ours but too old."""


class TooManyRefused(DomainError):
    """So many links were refused to one address that it has to wait."""


class TooManyClaims(DomainError):
    """So many turns were begun from one network that nobody else may begin there for a while."""


class InvalidPost(DomainError):
    """What was sent cannot be read as a rating or a submission."""


class TooLarge(DomainError):
    """More was sent than anything the page sends."""


class NothingToTake(DomainError):
    """There is no work for this person now."""


class WorkClosed(DomainError):
    """The assignment is not being worked on any more: submitted, given back or out of time."""


class UnknownItem(DomainError):
    """No such caption in this assignment, or not yet."""


class OutOfOrder(DomainError):
    """An earlier caption has to be rated first."""


class Unfinished(DomainError):
    """Submitted before every caption was rated."""
