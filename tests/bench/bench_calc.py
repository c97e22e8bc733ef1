"""Processor time of the full table of layouts, all backends, for 24 disks: goal at most 30 ms, and 2 s for 1000.

It runs from compiled modules, like an installed raidtui; the time includes loading the modules of the backends.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.side_by_side import compiled

ASK = """
import time
from raidtui.advice.report import Question, all_reports
sizes = {sizes}
start = time.process_time()
reports = tuple(all_reports(Question(sizes=sizes)))
print(time.process_time() - start, len(reports))
"""
SETS = {
    "24 equal disks": "(4000787030016,) * 24",
    "two sizes": "(4000787030016,) * 12 + (8001563222016,) * 12",
    "24 different sizes": "tuple(4000787030016 + 10**12 * n for n in range(24))",
    "1000 equal disks": "(4000787030016,) * 1000",
    "1000 different sizes": "tuple(4000787030016 + 10**9 * n for n in range(1000))",
}

if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    environment = compiled(Path(folder.name))
    for name, sizes in SETS.items():
        # A new process each time, because results are cached.
        runs = [
            subprocess.run(
                [sys.executable, "-c", ASK.format(sizes=sizes)],
                capture_output=True,
                text=True,
                check=True,
                env=environment,
            ).stdout.split()
            for _ in range(5)
        ]
        seconds = sorted(float(run[0]) for run in runs)[2]
        missed = " (missed)" if seconds > (2 if name.startswith("1000") else 0.030) else ""
        print(f"{name}: {runs[0][1]} layouts in {seconds * 1000:.0f} ms{missed}")
