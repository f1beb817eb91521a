"""The names under which crowds keep what is ours: publications, lists of people, completion codes.

Two installations may share an account at a crowd, so that every name begins with the site's own.
"""

from __future__ import annotations

import base64

from django.conf import settings
from django.utils.crypto import salted_hmac

from crowds.gateway import Codes
from hits.models import Batch, Campaign

SALT = "crowds.references"


def batch_prefix(batch: Batch) -> str:
    """How the references of all the batch's publications begin."""
    return f"{site_prefix()}{batch.pk}-"


def publication_prefix(batch: Batch) -> str:
    """How the references of new publications begin.

    A database that was restored gives a lost batch's number again: the time tells them apart.
    """
    return f"{batch_prefix(batch)}{_digest(batch.created_at.isoformat())[:6].lower()}-"


def site_prefix() -> str:
    """How the references of everything begin that this site has put out."""
    return f"{_site()}-"


def audience_again(campaign: Campaign) -> str:
    """People whom the campaign's owner wants to invite again."""
    return f"{_site()}-owner-{campaign.owner_id}-again"


def audience_not_again(campaign: Campaign) -> str:
    """People whom the campaign's owner does not want to invite again."""
    return f"{_site()}-owner-{campaign.owner_id}-not-again"


def audience_enough(campaign: Campaign) -> str:
    """People who have rated as much as one person may in the campaign."""
    return f"{_site()}-campaign-{campaign.pk}-enough"


def completion_codes(batch: Batch) -> Codes:
    """Codes that cannot be guessed, the same whenever they are asked for."""
    return Codes(*(_digest(f"{batch.pk}.{end}")[:8] for end in ("done", "no consent", "screened")))


def _site() -> str:
    return "da" + _digest(settings.PUBLIC_URL)[:6].lower()


def _digest(text: str) -> str:
    digest = salted_hmac(SALT, text, algorithm="sha256").digest()
    return base64.b32encode(digest).decode()
