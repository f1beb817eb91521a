"""gunicorn for a stage: as deploy/ has it, every view is loaded once, before the fork."""

from __future__ import annotations

import runpy
from pathlib import Path

_deployed = runpy.run_path(str(Path(__file__).parents[2] / "deploy" / "gunicorn.conf.py"))
preload_app = _deployed["preload_app"]
when_ready = _deployed["when_ready"]
