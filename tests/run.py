"""Run the tests, tier by tier, and say at the end how many ran in each.

``python tests/run.py [quick|kernel]``: ``quick`` is lint, types, architecture, unit tests and screens;
``kernel`` is everything that needs a real kernel; without a word both.
"""

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
REPORTS = ROOT / "build"

CHECKS: dict[str, list[Path | str]] = {
    "lint": [BIN / "ruff", "check", "."],
    "format": [BIN / "ruff", "format", "--check", "."],
    "types": [BIN / "mypy"],
    "architecture": [BIN / "lint-imports"],
}
TIERS = {"quick": ("unit", "ui"), "kernel": ("kernel",)}
# A guest has one processor, so two of them fill two. Pictures stay in one process, which alone can tell
# that one is no longer used.
OPTIONS = {"kernel": ["-n", "2", "--dist", "worksteal"]}


def run_check(name: str, argv: list[Path | str]) -> bool:
    """Run one static check; its output is shown only when it fails."""
    done = subprocess.run([str(word) for word in argv], cwd=ROOT, capture_output=True, text=True, check=False)
    print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode == 0


def run_tier(tier: str) -> tuple[int, int, int, float]:
    """Run one folder of tests; returns how many passed, failed and were skipped, and the seconds it took."""
    report = REPORTS / f"{tier}.xml"
    report.unlink(missing_ok=True)
    begin = time.monotonic()
    argv = [sys.executable, "-m", "pytest", f"tests/{tier}", "-q", f"--junitxml={report}", "--durations=5"]
    argv += OPTIONS.get(tier, [])
    done = subprocess.run(argv, cwd=ROOT, check=False)
    seconds = time.monotonic() - begin
    if not report.exists():
        return 0, 1, 0, seconds
    suite = ET.parse(report).getroot().find("testsuite")
    assert suite is not None, "pytest wrote a report without a test suite"
    count = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors", "skipped")}
    failed = count["failures"] + count["errors"]
    # Unused snapshots and the like fail the run without failing a test.
    failed += 1 if done.returncode and not failed else 0
    return (
        count["tests"] - count["failures"] - count["errors"] - count["skipped"],
        failed,
        count["skipped"],
        seconds,
    )


def main(words: list[str]) -> int:
    """Run the named parts and return the exit code."""
    unknown = [word for word in words if word not in TIERS]
    if unknown:
        print(f"there is no part called {unknown[0]!r}; there are {' and '.join(TIERS)}", file=sys.stderr)
        return 2
    parts = words or list(TIERS)
    REPORTS.mkdir(exist_ok=True)
    broken = [name for name, argv in CHECKS.items() if not run_check(name, argv)] if "quick" in parts else []
    ran = {tier: run_tier(tier) for part in parts for tier in TIERS[part]}
    print()
    for tier, (passed, failed, skipped, seconds) in ran.items():
        print(f"{tier:<8} {passed:>5} passed {failed:>3} failed {skipped:>3} skipped  {seconds:>6.0f} s")
    if broken:
        print("checks that failed: " + ", ".join(broken))
    failures = sum(count[1] for count in ran.values()) + len(broken)
    print(
        f"{sum(count[0] for count in ran.values())} passed, {failures} failed, "
        f"{sum(count[2] for count in ran.values())} skipped",
        flush=True,
    )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
