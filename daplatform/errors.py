"""The one family of errors that services raise and views show."""

from __future__ import annotations


class DomainError(Exception):
    """A request that cannot be carried out, with a sentence for the person who asked."""
