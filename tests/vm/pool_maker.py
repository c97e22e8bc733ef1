"""Runs in the guest: create empty pools on sparse files, and print their real usable space.

Reads a JSON list of cases from stdin; prints one JSON line per case, in order.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from raidtui.backends.zfs.layout import groups_of

FOLDER = Path("/var/tmp/pools")


def run(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)}: {done.stderr}")
    return done.stdout


def offered(case: dict[str, Any]) -> int:
    """USED plus AVAIL of the empty pool, in bytes."""
    files = [str(FOLDER / f"disk{number}") for number in range(len(case["sizes"]))]
    for file, size in zip(files, case["sizes"], strict=True):
        Path(file).unlink(missing_ok=True)
        with open(file, "wb") as opened:
            opened.truncate(size)
    level, options = case["level"], dict(case["options"])
    words: list[str] = []
    for group in groups_of(level, files, options):
        words += [*([] if level == "stripe" else [level]), *group]
    properties = ["-o", f"ashift={options['ashift']}", "-o", "cachefile=none", "-m", "none"]
    run("zpool", "create", *properties, "measured", *words)
    found = run("zfs", "list", "-Hp", "-o", "used,available", "measured").split()
    run("zpool", "destroy", "measured")
    return sum(map(int, found))


FOLDER.mkdir(exist_ok=True)
for one in json.load(sys.stdin):
    print(json.dumps({"data_bytes": offered(one)}), flush=True)
