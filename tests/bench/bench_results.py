"""Many results in the store: goal at most 0.2 s per command with 10 000 results, and 0.5 s with 100 000.

Each result is like a real one: eight cells, six runs, a reading every 250 ms. ``bench_results.py 100000`` needs 4 GB
in the folder for temporary files. Commands run from compiled modules, like an installed raidtui.

An export of all results writes gigabytes, so its time depends on the disk. Its goal is memory: no more than a list.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec.structs import replace

from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result, RunValue
from raidtui.model.struct import to_json
from raidtui.results.compare import compare
from raidtui.results.exchange import write_export
from raidtui.results.store import FILE, Store
from tests.bench.side_by_side import compiled

IN_A_FILE = 2_500
ROUNDS = 7
GOALS = {10_000: 0.2, 100_000: 0.5}  # results → seconds
MOST_MEMORY = 64e6  # bytes, of an export of all


def made(number: int, random: Random) -> Result:
    """A result of the size of a benchmark with five seconds per run."""
    rates = [[random.gauss(5e8, 1e7) for _ in range(6)] for _ in range(8)]
    names = ("SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1")
    cells = tuple(
        Cell(
            name=names[index % 4],
            direction="read" if index < 4 else "write",
            bytes_per_second=statistics.median(runs),
            iops=statistics.median(runs) / 4096,
            latency_mean_seconds=1e-4,
            runs=tuple(
                RunValue(
                    bytes_per_second=rate,
                    iops=rate / 4096,
                    latency_mean_seconds=1e-4,
                    seconds=5.0,
                    total_ios=100_000,
                    percentiles={"50": 9e-5, "99": 2e-4, "99.9": 4e-4},
                    series=(rate,) * 20,
                )
                for rate in runs
            ),
        )
        for index, runs in enumerate(rates)
    )
    return Result(
        id=f"{number:012x}",
        label=f"result {number % 100}",
        created=f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T04:00:00+00:00",
        version="0.1.0",
        profile="cdm",
        context=Context(
            hostname="nas",
            kernel="6.1.0",
            target="/srv/tank",
            filesystem="ext4",
            unit=MeasuredUnit(name="tank", level="raid5", raid_disks=4),
            disks=tuple(MeasuredDisk(identity=f"disk {n}", model="a model") for n in range(4)),
            tools={"fio": "3.33"},
        ),
        cells=cells,
    )


def fill(store: Store, folder: Path, count: int) -> None:
    """Import ``count`` results into a store from files: adding them one by one would wait for the disk each time."""
    random = Random(1)
    samples = [made(number, random) for number in range(20)]
    for start in range(0, count, IN_A_FILE):
        file = folder / "carried.json"
        numbered = (
            replace(
                samples[n % 20],
                id=f"{n:06x}000000",
                created=f"{2000 + n // 365}-01-01T00:00:{n % 60:02}+00:00",
            )
            for n in range(start, start + IN_A_FILE)
        )
        file.write_text("".join(write_export(to_json(one, pretty=False) for one in numbered)))
        store.import_file(file)
        file.unlink()


def median_seconds(act: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


ASK_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def environment_of(state: Path) -> dict[str, str]:
    """The environment of a raidtui with its state in ``state``, and compiled modules."""
    return compiled(state / "compiled") | {"RAIDTUI_STATE": str(state)}


def command(state: Path, *words: str) -> Callable[[], object]:
    """A function that runs `raidtui WORDS` as a process."""
    argv = [sys.executable, "-m", "raidtui", *words]
    environment = environment_of(state)
    return lambda: subprocess.run(argv, env=environment, check=True, stdout=subprocess.DEVNULL)


def peak_bytes(state: Path, kind: str) -> int:
    """The peak memory of ``raidtui results export --all``.

    Measured from a separate process: Linux also counts the memory that the parent had at the fork.
    """
    argv = [sys.executable, "-m", "raidtui", "results", "export", "--all", "--format", kind, "-"]
    done = subprocess.run(
        [sys.executable, "-c", ASK_PEAK, *argv],
        env=environment_of(state),
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    return int(done.stdout) * 1024


def report(what: str, act: Callable[[], object], goal: float) -> None:
    seconds = median_seconds(act)
    print(f"{what}: {seconds:.3f} s (goal: at most {goal} s{'' if seconds <= goal else ', missed'})")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else min(GOALS)
    goal = GOALS.get(count, max(GOALS.values()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = Store(folder / FILE)
        fill(store, folder, count)
        six = [one.id for one in store.list(limit=6)]
        print(f"{count} results, {store.path.stat().st_size / 1e6:.0f} MB")
        report("list", store.list, goal)
        report("compare of six", lambda: compare([store.get(word) for word in six]), goal)
        report("the command version, for its start alone", command(folder, "--version"), goal)
        for words in (
            ("list",),
            ("list", "--limit", "20"),
            ("list", "--csv"),
            ("list", "--json"),
            ("show", six[0][:6]),
            ("compare", *six),
            ("compare", *(word[:6] for word in six)),
            ("export", *six, "-"),
            ("export", *six, "--csv", "-"),
        ):
            shown = " ".join(words[: 1 if len(words) > 3 else None])
            report(f"the command results {shown}, with its start", command(folder, "results", *words), goal)
        for kind in ("json", "csv"):
            most = peak_bytes(folder, kind)
            missed = "" if most <= MOST_MEMORY else ", missed"
            print(
                f"memory of an export of all, {kind}: {most / 1e6:.0f} MB (goal: at most {MOST_MEMORY / 1e6:.0f} MB{missed})"
            )
