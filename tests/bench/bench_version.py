"""Compare ``raidtui --version`` with ``python -c "import psutil"``: goal at most 2.5 times."""

import sys

from tests.bench.side_by_side import ratio, report

if __name__ == "__main__":
    ours = [sys.executable, "-m", "raidtui", "--version"]
    report(
        "raidtui --version / import psutil",
        ratio(ours, [sys.executable, "-c", "import psutil"], runs=40),
        2.5,
    )
