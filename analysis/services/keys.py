"""API keys: made, recognised, withdrawn."""

from __future__ import annotations

import hashlib
import secrets

from django.contrib.auth.models import User
from django.utils import timezone

from analysis.models import ApiKey

PREFIX = "da_"


def key_create(*, owner: User, name: str) -> str:
    """A new key. This is the only time it can be seen."""
    key = PREFIX + secrets.token_urlsafe(32)
    ApiKey.objects.create(owner=owner, name=name, digest=_digest(key))
    return key


def key_owner(*, key: str) -> User | None:
    """Whose key this is; nobody's when it is unknown or its owner is no longer active."""
    found = ApiKey.objects.select_related("owner").filter(digest=_digest(key)).first()
    if found is None or not found.owner.is_active:
        return None
    ApiKey.objects.filter(pk=found.pk).update(used_at=timezone.now())
    return found.owner


def key_withdraw(*, key: ApiKey) -> None:
    """From now on nobody's."""
    key.delete()


def _digest(key: str) -> str:
    # A key is 256 random bits: nothing slower than a plain hash is needed to keep it.
    return hashlib.sha256(key.encode()).hexdigest()
