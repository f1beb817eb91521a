"""The platform's own settings, with passwords that take long and are counted."""

from __future__ import annotations

import os

from daplatform.settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.faults.counting_hasher.CountingHasher"]
HASHES_FILE = os.environ["HASHES_FILE"]
