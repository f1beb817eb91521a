"""DA Platform: Direct Assessment of video captions."""

from __future__ import annotations

import os

# Our matrices are small: threads inside BLAS cost more than they bring, and many times as much
# where several processes share the cores. It must be said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from daplatform.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"
