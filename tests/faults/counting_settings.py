"""The platform's own settings, with passwords that take long and are counted."""

from __future__ import annotations

from daplatform.settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.faults.counting_hasher.CountingHasher"]
