"""Run the tests, tier by tier, and print at the end how many ran in each.

``python tests/run.py [quick|slow|kernel|vm|long]``: ``quick`` is lint, types, architecture, every picture, and a few
variations of each unit test and screen; ``slow`` runs the other variations, and the tests marked so; ``kernel`` needs a
real kernel; ``vm`` needs disks on real buses, systemd or ZFS. Without an argument, all four run.
``long`` is ``kernel``, ``vm`` and the unit tests with every variation of every test: each level, the studies on cards, a
kill at each step of each backend, the large simulations, crash points of each plan (`tests/campaign`), and the keys of
every picture. It also breaks the lines that keep data safe, one at a time: `tests/mutants`.

A guest of ``vm`` uses about one processor, so ``vm`` runs in parallel with ``kernel``; its output is printed
afterwards. The image of that guest is made while ``quick`` runs.
"""

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
REPORTS = ROOT / "build"

CHECKS: dict[str, list[Path | str]] = {
    "lint": [BIN / "ruff", "check", "."],
    "format": [BIN / "ruff", "format", "--check", "."],
    "types": [BIN / "mypy"],
    "architecture": [BIN / "lint-imports"],
}
TIERS = {"quick": ("unit", "ui"), "slow": ("slow",), "kernel": ("kernel",), "vm": ("vm",)}
FOLDERS = {
    "slow": ["tests/unit", "tests/ui"],
    "kernel": ["tests/kernel", "tests/campaign"],
    "long": ["tests/kernel", "tests/campaign", "tests/vm", "tests/unit", "tests/ui/test_dead_keys.py"],
}
LONG = {"long": ("long",)}  # runs only when named
CORES = max(2, len(os.sched_getaffinity(0)))
GUESTS = max(2, CORES - 1)  # a guest has one processor; the guest of ``vm`` uses the last one


def spread(workers: int) -> list[str]:
    """pytest options that run the tests of a tier in this number of processes."""
    return ["-n", str(workers), "--dist", "worksteal"]


OPTIONS: dict[str, list[str]] = {
    # A few tests wait for a process that they start, or for a time limit.
    "unit": [*spread(CORES + 1), "--part=quick"],
    "ui": [*spread(CORES + 1), "--part=quick"],
    "slow": [*spread(CORES + 1), "--part=slow"],
    "kernel": spread(GUESTS),
    "long": [*spread(GUESTS), "--long"],
}
MAKE_IMAGE = "from raidtui.lab.qemu.image import find_image; find_image()"
FEW = 20  # more failures than this are not random: do not run them again


class Count(NamedTuple):
    """Outcome of the tests of a tier."""

    passed: int
    failed: int
    skipped: int
    again: tuple[str, ...] = ()  # tests that passed only in the second run
    seconds: float = 0.0


def run_check(argv: list[Path | str]) -> str:
    """Run one static check and return its output if it fails, else nothing."""
    done = subprocess.run([str(word) for word in argv], cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr or f"exit code {done.returncode}") if done.returncode else ""


def run_checks(beside: Callable[[], Count]) -> tuple[Count, list[str]]:
    """Run the static checks one by one while ``beside`` runs; return its count and the names of failed checks."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        outputs = pool.map(run_check, CHECKS.values())
        count = beside()
        broken = []
        for name, text in zip(CHECKS, outputs, strict=True):
            print(f"{name}: {'FAILED' if text else 'ok'}", flush=True)
            if text:
                print(text, flush=True)
                broken.append(name)
    return count, broken


def run_mutants() -> list[str]:
    """Run the mutants; return their name if one is alive."""
    text = run_check([sys.executable, "-m", "tests.mutants.run"])
    print(f"mutants: {'ALIVE' if text else 'all killed'}\n{text}", flush=True)
    return ["mutants"] if text else []


def run_pytest(
    tier: str, report: Path, options: list[str], output: IO[str] | None = None
) -> tuple[Count, dict[str, bool]]:
    """Run pytest once on a tier, writing to ``output``; return the count, and for each test whether it passed."""
    report.unlink(missing_ok=True)
    begin = time.monotonic()
    environment = dict(os.environ)
    if tier in (*TIERS["quick"], *TIERS["slow"]):
        # Use the compiled files beside the sources, and compile the tests only once.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    argv = [
        # The image of ``vm`` and its guest come first: that tier takes as long, and begins late.
        *(() if tier == "vm" else ("nice", "-n", "5")),
        sys.executable,
        "-m",
        "pytest",
        *FOLDERS.get(tier, [f"tests/{tier}"]),
        "-q",
        f"--junitxml={report}",
        f"--override-ini=cache_dir={REPORTS / f'cache-{tier}'}",  # --last-failed is per tier
        "--durations=5",
        *options,
    ]
    done = subprocess.run(argv, cwd=ROOT, check=False, env=environment, stdout=output, stderr=output)
    seconds = time.monotonic() - begin
    suite = ET.parse(report).getroot().find("testsuite") if report.exists() else None
    if suite is None:
        return Count(0, 1, 0, seconds=seconds), {}
    cases = list(suite.iter("testcase"))
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    # Unused snapshots, for example, fail the run without failing a test.
    failed = len(bad) or int(done.returncode != 0)
    count = Count(len(cases) - len(bad) - skipped, failed, skipped, seconds=seconds)
    return count, {f"{case.get('classname')}::{case.get('name')}": case not in bad for case in cases}


def run_tier(tier: str, output: IO[str] | None = None) -> Count:
    """Run one folder of tests; run a few failures once more, alone, and list those that pass then.

    Kernel and screens are tested on busy machines. A test that passes only alone does not fail the run; it is listed
    at the end, to be fixed.
    """
    first, ran = run_pytest(tier, REPORTS / f"{tier}.xml", OPTIONS.get(tier, []), output)
    names = [name for name, good in ran.items() if not good]
    if not 1 <= len(names) <= FEW:
        return first
    print(f"\n{tier}: running the {len(names)} failed tests once more, alone", flush=True, file=output)
    # The snapshots of tests that are not run again only look unused.
    options = ["--last-failed", "--snapshot-warn-unused"]
    second, ran = run_pytest(tier, REPORTS / f"{tier}-again.xml", options, output)
    again = tuple(name for name in names if ran.get(name))
    failed = max(
        second.failed, len(names) - len(again)
    )  # a test that the second run did not reach has failed
    passed = first.passed + len(again)
    return Count(passed, failed, first.skipped, again, first.seconds + second.seconds)


def run_beside(tier: str, other: str) -> tuple[Count, Count]:
    """Run two tiers in parallel; print the output of ``other`` when both have ended."""
    path = REPORTS / f"{other}.txt"
    with ThreadPoolExecutor(max_workers=1) as pool, path.open("w", encoding="utf-8") as output:
        second = pool.submit(run_tier, other, output)
        counts = run_tier(tier), second.result()
    print(f"\n{other}, in parallel with {tier}:\n{path.read_text(encoding='utf-8')}", flush=True)
    return counts


def begin_image() -> None:
    """Make the image of QEMU's guests in a separate process, unless it exists.

    The tests of ``vm`` wait for it. If it fails, they try again and report why.
    """
    argv = [sys.executable, "-c", MAKE_IMAGE]
    with (REPORTS / "image.txt").open("w", encoding="utf-8") as output:
        subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output)


def main(words: list[str]) -> int:
    """Run the named parts, by default all but ``long``, and return the exit code."""
    parts_known = TIERS | LONG
    unknown = [word for word in words if word not in parts_known]
    if unknown:
        print(f"there is no part {unknown[0]!r}; valid values: {', '.join(parts_known)}", file=sys.stderr)
        return 2
    parts = words or list(TIERS)
    REPORTS.mkdir(exist_ok=True)
    if "vm" in parts:
        begin_image()
    ran: dict[str, Count] = {}
    broken: list[str] = []
    for tier in (tier for part in parts for tier in parts_known[part]):
        if tier in ran:
            continue
        if tier == "unit":
            ran[tier], broken = run_checks(lambda: run_tier("unit"))
        elif tier == "kernel" and "vm" in parts:
            ran[tier], ran["vm"] = run_beside(tier, "vm")
        else:
            ran[tier] = run_tier(tier)
    if "long" in ran:
        broken += run_mutants()
    print()
    for tier, count in ran.items():
        print(
            f"{tier:<8} {count.passed:>5} passed {count.failed:>3} failed {count.skipped:>3} skipped"
            f"  {count.seconds:>6.0f} s"
        )
        for name in count.again:
            print(f"         passed only in a second run: {name}")
    if broken:
        print("checks that failed: " + ", ".join(broken))
    if "kernel" in ran:
        print("'long' runs the other variations of the kernel tests")
    failures = sum(count.failed for count in ran.values()) + len(broken)
    passed, skipped = (sum(getattr(count, name) for count in ran.values()) for name in ("passed", "skipped"))
    print(f"{passed} passed, {failures} failed, {skipped} skipped", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
