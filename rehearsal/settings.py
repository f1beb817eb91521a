"""The demo's settings: the platform as users run it, on one machine and without HTTPS.

Its secret is drawn at the first start and kept below DATA_DIR, so that the web server, the workers
and `manage.py` with DJANGO_SETTINGS_MODULE=rehearsal.settings sign alike.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from daplatform import places

PORT = os.environ.get("PORT", "8000")


def kept_secret(folder: Path) -> str:
    """Written whole or not at all: whoever comes second reads what the first has written."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "demo-secret"
    if not path.exists():
        draft = folder / f"demo-secret.{os.getpid()}"
        draft.write_text(secrets.token_urlsafe(48))
        draft.chmod(0o600)
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


os.environ["DEBUG"] = "false"
os.environ.setdefault("HTTPS", "false")
os.environ.setdefault("PUBLIC_URL", f"http://127.0.0.1:{PORT}")
os.environ.setdefault("SECRET_KEY", kept_secret(Path(os.environ.get("DATA_DIR") or places.DATA)))

from daplatform.settings import *  # noqa: E402, F403 - the environment had to be set first

IS_DEMO = True
