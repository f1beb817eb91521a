"""`make bench`: every benchmark of this folder, one after the other, each in its own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    names = sorted(
        path.stem
        for path in HERE.glob("*.py")
        if "def main(" in path.read_text() and path.stem != "__main__"
    )
    failed = []
    for name in sys.argv[1:] or names:
        print(f"\n=== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
