"""Try crash points: record each scenario once, then boot what a power cut leaves at points of the recording.

    python -m tests.campaign.run [SCENARIO …] [--points N] [--seeds N] [--minutes M] [--workers N]
    python -m tests.campaign.run SCENARIO:PLACE:SEED

The second form tries one case again, on the recording that is kept in build/campaign/SCENARIO; ``--record`` makes a new
one, whose places are others: needed after a change of the plan's commands. Every case is printed with its outcome; what
is wrong ends with exit code 1.
"""

import argparse
import itertools
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.campaign.crashes import Disks, Recording
from tests.campaign.judging import Case, Verdict, judge
from tests.campaign.kept import KeptGuest
from tests.campaign.scenarios import SCENARIOS, kept, record

PLACE: Final = Path(__file__).parent.parent.parent / "build" / "campaign"
_MEMORY: Final = Path("/dev/shm")


def cases_of(recording: Recording, *, points: int | None, seeds: int, shift: int = 0) -> list[Case]:
    """Cases at all points, or at some that are spread evenly; each with the seeds 0 to ``seeds`` - 1."""
    places = recording.points
    if points is not None and points < len(places):
        step = len(places) / points
        places = [
            places[min(int((number + shift % 7 / 7) * step), len(places) - 1)] for number in range(points)
        ]
    return [Case(recording.scenario, place, seed) for place, seed in itertools.product(places, range(seeds))]


def try_cases(cases: Sequence[Case], recording: Recording, data: Path) -> Iterator[Verdict]:
    """Try cases of one recording, in the order of their places."""
    scenario = SCENARIOS[recording.scenario]
    # A guest of QEMU does not see what is in the host's /dev.
    memory = _MEMORY if _MEMORY.is_dir() and scenario.engine == "uml" else None
    with tempfile.TemporaryDirectory(prefix="raidtui-campaign-", dir=memory) as name:
        folder = Path(name)
        for part in ("flushed", "initial"):
            (folder / part).mkdir()
        disks = Disks(recording, data, folder / "flushed")
        try:
            disks.crash(0, folder / "initial")
            with KeptGuest(scenario.disks, folder / "guest", scenario.engine) as kept_guest:
                for case in sorted(cases, key=lambda one: one.place):
                    disks.move(case.place)
                    yield judge(case, recording, disks, folder / "initial", kept_guest)
        finally:
            disks.close()


def _work(cases: list[Case], name: str, results: Any, deadline: float) -> None:
    try:
        for verdict in try_cases(cases, kept(name, PLACE / name), PLACE / name / "data"):
            results.put(verdict)
            if time.monotonic() > deadline:
                break
    except BaseException as error:
        results.put(f"{name}: {error!r}")
    results.put(None)


def _tell(verdict: Verdict, seconds: float) -> None:
    print(
        f"{'WRONG' if verdict.wrong else 'right'}  {verdict.case}  {verdict.case.way}: {verdict.end}",
        flush=True,
    )
    for text in verdict.wrong:
        print(f"       {text}", flush=True)
    with (PLACE / "results.jsonl").open("a", encoding="utf-8") as file:
        told = verdict.told if verdict.wrong else {}
        line = {
            "case": str(verdict.case),
            "end": verdict.end,
            "wrong": verdict.wrong,
            "at": round(seconds),
            "told": told,
        }
        file.write(json.dumps(line) + "\n")


def _groups(asked: argparse.Namespace) -> Iterator[list[Case]]:
    """The cases of each scenario, in a group for each worker; it is recorded when its turn comes."""
    for word in asked.what or list(SCENARIOS):
        name, *rest = word.split(":")
        folder = PLACE / name
        recording = record(name, folder) if asked.record else kept(name, folder)
        if rest:
            yield [Case(name, int(rest[0]), int(rest[1]))]
            continue
        found = cases_of(recording, points=asked.points, seeds=asked.seeds, shift=asked.shift)
        print(f"{name}: {len(recording.points)} points, {len(found)} cases", flush=True)
        parts = max(1, min(asked.workers, len(found)))
        yield from (found[number::parts] for number in range(parts))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.run",
        description=__doc__,
        epilog=f"The scenarios, all of which take days: {', '.join(SCENARIOS)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="*", metavar="SCENARIO|CASE", help="by default all scenarios")
    parser.add_argument("--points", type=int, help="points of each scenario (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="crashes at each point (default: 3)")
    parser.add_argument("--minutes", type=float, default=10_000, help="begin no case later than this")
    parser.add_argument("--workers", type=int, default=2, help="guests at once (default: 2)")
    parser.add_argument("--record", action="store_true", help="record again")
    parser.add_argument("--shift", type=int, default=0, help="begin with other points")
    asked = parser.parse_args(words)
    if unknown := [word for word in asked.what if word.partition(":")[0] not in SCENARIOS]:
        parser.error(f"there is no scenario {unknown[0]!r}; --help lists them")
    begin = time.monotonic()
    results: Any = multiprocessing.Queue()
    waiting, running = _groups(asked), 0
    ends: Counter[str] = Counter()
    bad, broken = 0, 0
    while True:
        while running < asked.workers and time.monotonic() - begin < asked.minutes * 60:
            if (group := next(waiting, None)) is None:
                break
            arguments = (group, group[0].scenario, results, begin + asked.minutes * 60)
            multiprocessing.Process(target=_work, args=arguments).start()
            running += 1
        if not running:
            break
        one = results.get()
        if one is None:
            running -= 1
        elif isinstance(one, str):
            print(f"BROKEN {one}", flush=True)
            broken += 1
        else:
            _tell(one, time.monotonic() - begin)
            ends[one.end] += 1
            bad += bool(one.wrong)
    seconds = time.monotonic() - begin
    tried = sum(ends.values())
    told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{tried} crashes ({told}): {bad} wrong, {broken} broken off, {seconds:.0f} s")
    return int(bad > 0 or broken > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
