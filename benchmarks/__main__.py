"""`make bench`: every benchmark of this folder, one after the other, each in its own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LOADS = ("load annotators", "load beside", "load growth", "load flood", "load sqlite")


def main() -> int:
    names = sorted(
        path.stem
        for path in HERE.glob("*.py")
        if "def main(" in path.read_text() and path.stem != "__main__"
    )
    failed = []
    for name in sys.argv[1:] or [*names, *LOADS]:
        print(f"\n=== {name}", flush=True)
        module, *scenario = name.split()
        command = [sys.executable, "-m", f"benchmarks.{module}", *scenario]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
