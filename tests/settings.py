"""The platform's own settings, with what only tests want: a throw-away folder, cheap passwords."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ.setdefault("DEBUG", "true")
# Data of others, which we may read and not pass on: beside the checkout, where somebody has it.
os.environ.setdefault("DA_PUBLISHED", str(Path(__file__).parents[2] / "shared" / "published"))
os.environ.setdefault("DA_SPECS", str(Path(__file__).parents[2] / "shared" / "specs"))
os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="da-tests-"))

from daplatform.settings import *  # noqa: F403 - the environment had to be set first

DEBUG = False  # as pytest-django sets it; what a stranger sees must not depend on it
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REFUSALS_PER_MINUTE = LOGINS_PER_MINUTE = 1_000_000  # the tests of a minute share one address
WAKING_SECONDS = 60.0  # a busy machine is no reason not to see what was sent
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 - WhiteNoise warns where collectstatic never ran
# Passes that run beside each other have databases of their own, migrated already (tests/run.py).
if template := os.environ.get("POSTGRES_TEMPLATE"):
    DATABASES["default"]["TEST"] = {  # noqa: F405
        "TEMPLATE": template,
        "NAME": f"test_{os.environ['TEST_DATABASE']}",
    }
