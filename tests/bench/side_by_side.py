"""Time two commands side by side with hyperfine; the result is their ratio, not seconds."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path


def ratio(ours: Sequence[str], theirs: Sequence[str], *, runs: int = 20) -> float:
    """Median user and system time of ``ours`` as a factor of ``theirs``.

    Processor time, because wall time on a shared machine depends mostly on other load.
    """
    if shutil.which("hyperfine") is None:
        raise SystemExit("hyperfine is missing; apt-get install hyperfine")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words = [
            "hyperfine",
            "-N",
            "--ignore-failure",
            f"--runs={runs}",
            "--warmup=3",
            f"--export-json={report}",
        ]
        subprocess.run([*words, shlex.join(ours), shlex.join(theirs)], check=True, stdout=subprocess.DEVNULL)
        results = json.loads(report.read_text(encoding="utf-8"))["results"]
    cost = [result["user"] + result["system"] for result in results]
    return float(cost[0] / cost[1])


def compiled(folder: Path) -> dict[str, str]:
    """An environment in which Python keeps compiled modules in ``folder``, like an installed raidtui."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def report(what: str, value: float, goal: float) -> None:
    """Print a figure with its goal; missing it is no error."""
    print(
        f"{what}: {value:.2f}x (goal: at most {goal}x{'' if value <= goal else ', missed'})", file=sys.stdout
    )
