"""DA Platform: Direct Assessment of video captions."""

from __future__ import annotations

from daplatform.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"
