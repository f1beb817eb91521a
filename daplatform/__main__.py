"""The command line: `daplatform COMMAND`, or `manage.py COMMAND` in a checkout."""

from __future__ import annotations

import os
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

# These work on files alone: no database, no sessions, nothing to sign. Whoever has a file of
# ratings needs no configuration.
ON_FILES = {
    *("analyse", "compare", "compose", "correlate", "describe", "learn", "make_distractors"),
    *("metrics", "score"),
}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
    if ON_FILES.intersection(sys.argv[1:2]):
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe())
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
