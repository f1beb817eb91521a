"""The platform's own settings, with what only tests want: a throw-away folder, cheap passwords."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("DEBUG", "true")
os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="da-tests-"))

from daplatform.settings import *  # noqa: F403 - the environment had to be set first

DEBUG = False  # as pytest-django sets it; what a stranger sees must not depend on it
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REFUSALS_PER_MINUTE = LOGINS_PER_MINUTE = 1_000_000  # the tests of a minute share one address
WAKING_SECONDS = 60.0  # a busy machine is no reason not to see what was sent
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 - WhiteNoise warns where collectstatic never ran
