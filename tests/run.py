"""Run the tests, tier by tier, and say at the end how many ran in each.

``python tests/run.py [quick|kernel|vm|long]``: ``quick`` is lint, types, architecture, unit tests and screens;
``kernel`` is what needs a real kernel; ``vm`` what needs disks on real buses, systemd or ZFS; without a word all of
these. ``long`` is ``kernel`` with every variation of every test: each level, each study, and a kill at each step of
each backend.

A guest of ``vm`` fills about one processor, so ``vm`` runs beside ``kernel``, and what it says is shown after that.
The image of that guest is made beside ``quick``.
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
TIERS = {"quick": ("unit", "ui"), "kernel": ("kernel",), "vm": ("vm",)}
LONG = {"long": ("long",)}  # only where it is asked for
CORES = max(2, len(os.sched_getaffinity(0)))
GUESTS = max(2, CORES - 1)  # a guest has one processor; the guest of ``vm``, beside them, fills the last


def spread(workers: int) -> list[str]:
    """Options of pytest that run the tests of a tier in so many processes."""
    return ["-n", str(workers), "--dist", "worksteal"]


OPTIONS: dict[str, list[str]] = {
    "unit": spread(CORES),
    "ui": spread(CORES + 1),  # a few wait for a process of their own
    "kernel": spread(GUESTS),
    "long": [*spread(GUESTS), "--long"],
}
MAKE_IMAGE = "from raidtui.lab.qemu.image import find_image; find_image()"
FEW = 20  # more failures than these are no accident, and are not run again


class Count(NamedTuple):
    """How the tests of a tier ended."""

    passed: int
    failed: int
    skipped: int
    again: tuple[str, ...] = ()  # those that passed only when they were run again
    seconds: float = 0.0


def run_check(argv: list[Path | str]) -> str:
    """Run one static check; returns what it says when it fails, and nothing when all is well."""
    done = subprocess.run([str(word) for word in argv], cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr or f"exit code {done.returncode}") if done.returncode else ""


def run_checks(beside: Callable[[], Count]) -> tuple[Count, list[str]]:
    """Run the static checks, one after the other, while ``beside`` runs; returns its count and what failed here."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        said = pool.map(run_check, CHECKS.values())
        count = beside()
        broken = []
        for name, text in zip(CHECKS, said, strict=True):
            print(f"{name}: {'FAILED' if text else 'ok'}", flush=True)
            if text:
                print(text, flush=True)
                broken.append(name)
    return count, broken


def run_pytest(
    tier: str, report: Path, options: list[str], output: IO[str] | None = None
) -> tuple[Count, dict[str, bool]]:
    """Run pytest once on a tier, with its ``output`` there; the count, and whether each test did not fail."""
    report.unlink(missing_ok=True)
    begin = time.monotonic()
    environment = dict(os.environ)
    if tier in TIERS["quick"]:
        # What is compiled already, beside the sources, is used, and the tests are compiled once.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    argv = [
        sys.executable,
        "-m",
        "pytest",
        f"tests/{'kernel' if tier in LONG else tier}",
        "-q",
        f"--junitxml={report}",
        f"--override-ini=cache_dir={REPORTS / f'cache-{tier}'}",  # which failed last is of this tier alone
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
    # Unused pictures and the like fail the run without failing a test.
    failed = len(bad) or int(done.returncode != 0)
    count = Count(len(cases) - len(bad) - skipped, failed, skipped, seconds=seconds)
    return count, {f"{case.get('classname')}::{case.get('name')}": case not in bad for case in cases}


def run_tier(tier: str, output: IO[str] | None = None) -> Count:
    """Run one folder of tests; the few that fail are run once more, alone, and named if they pass then.

    Kernel and screens are tested on machines that others keep busy. A test that passes only alone is told at the
    end, to be mended, and does not stop everybody's work.
    """
    first, ran = run_pytest(tier, REPORTS / f"{tier}.xml", OPTIONS.get(tier, []), output)
    names = [name for name, good in ran.items() if not good]
    if not 1 <= len(names) <= FEW:
        return first
    print(f"\n{tier}: running the {len(names)} that failed once more, alone", flush=True, file=output)
    # The pictures of the tests that are not run again are not unused.
    options = ["--last-failed", "--snapshot-warn-unused"]
    second, ran = run_pytest(tier, REPORTS / f"{tier}-again.xml", options, output)
    again = tuple(name for name in names if ran.get(name))
    failed = max(second.failed, len(names) - len(again))  # one that the second run never came to has failed
    passed = first.passed + len(again)
    return Count(passed, failed, first.skipped, again, first.seconds + second.seconds)


def run_beside(tier: str, other: str) -> tuple[Count, Count]:
    """Run two tiers at the same time; what ``other`` says is shown when both are through."""
    path = REPORTS / f"{other}.txt"
    with ThreadPoolExecutor(max_workers=1) as pool, path.open("w", encoding="utf-8") as output:
        second = pool.submit(run_tier, other, output)
        counts = run_tier(tier), second.result()
    print(f"\n{other}, which ran beside {tier}:\n{path.read_text(encoding='utf-8')}", flush=True)
    return counts


def begin_image() -> None:
    """Make the image of QEMU's guests, if there is none yet, in a process of its own.

    The tests of ``vm`` wait for it. Should it fail, they try again and say why.
    """
    argv = [sys.executable, "-c", MAKE_IMAGE]
    with (REPORTS / "image.txt").open("w", encoding="utf-8") as output:
        subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output)


def main(words: list[str]) -> int:
    """Run the named parts and return the exit code."""
    parts_known = TIERS | LONG
    unknown = [word for word in words if word not in parts_known]
    if unknown:
        print(f"there is no part called {unknown[0]!r}; there are {', '.join(parts_known)}", file=sys.stderr)
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
    print()
    for tier, count in ran.items():
        print(
            f"{tier:<8} {count.passed:>5} passed {count.failed:>3} failed {count.skipped:>3} skipped"
            f"  {count.seconds:>6.0f} s"
        )
        for name in count.again:
            print(f"         passed only when run again: {name}")
    if broken:
        print("checks that failed: " + ", ".join(broken))
    if "kernel" in ran:
        print("the other variations of the kernel's tests run with 'long'")
    failures = sum(count.failed for count in ran.values()) + len(broken)
    passed, skipped = (sum(getattr(count, name) for count in ran.values()) for name in ("passed", "skipped"))
    print(f"{passed} passed, {failures} failed, {skipped} skipped", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
