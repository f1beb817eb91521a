"""Where files lie: a checkout has them beside its packages, an installed wheel inside this one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent
_PACKED: Final = _PACKAGE / "site"  # made by the wheel alone (pyproject.toml)
_INSTALLED: Final = _PACKED.is_dir()
_CHECKOUT: Final = _PACKAGE.parent

# Holds templates/, static/ and locale/.
SITE: Final = _PACKED if _INSTALLED else _CHECKOUT
DOTENV: Final = (Path.cwd() if _INSTALLED else _CHECKOUT) / ".env"
# What is written goes there unless DATA_DIR says otherwise.
DATA: Final = Path.home() / ".local/share/daplatform" if _INSTALLED else _CHECKOUT / "var"
