"""Why a link, a rating or a submission is refused, each with a sentence the annotator reads."""

from __future__ import annotations

from daplatform.errors import DomainError


class LinkRefused(DomainError):
    """The link is not one of ours, or was changed on its way."""


class LinkWithdrawn(DomainError):
    """The link was ours, and was replaced or turned off."""


class TooManyRefused(DomainError):
    """So many links were refused to one address that it has to wait."""


class TooManyClaims(DomainError):
    """So many turns were begun from one network that nobody else may begin there for a while."""


class TooManyJoins(DomainError):
    """So many people joined from one address that the next has to wait."""


class InvalidPost(DomainError):
    """What was sent cannot be read as a rating or a submission."""


class FormRefused(InvalidPost):
    """An answer to the campaign's form is missing or wrong: the form is shown again."""


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


class TooManyChanges(DomainError):
    """A caption was rated anew more often than anybody would."""


class Unfinished(DomainError):
    """Submitted before every caption was rated."""
