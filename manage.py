#!/usr/bin/env python
"""Django's command-line entry point in a checkout."""

from __future__ import annotations

from daplatform.__main__ import main

if __name__ == "__main__":
    main()
