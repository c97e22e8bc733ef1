"""Two commands, timed side by side in one run with hyperfine; what counts is the ratio, not the seconds."""

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

    Processor time, because these machines are shared: the wall clock tells mostly who else was busy.
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
    """The environment of a Python whose modules are compiled, as those of an installed raidtui are; they are kept in ``folder``."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def report(what: str, value: float, goal: float) -> None:
    """Print one figure with its goal; a benchmark never fails, it tells."""
    print(
        f"{what}: {value:.2f}x (goal: at most {goal}x{'' if value <= goal else ', missed'})", file=sys.stdout
    )
