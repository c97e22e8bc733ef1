"""Bad days of a unit on a real kernel: some things happen to its disks, and then what care says first is done, until all is well.

    python -m tests.campaign.bad_days [KIND|KIND:SEED …] [--seeds N] [--first SEED] [--minutes M]

Never more is destroyed than the unit survives, so its file must be the same at the end. Each day is printed with its seed;
of one that does not end well, all that happened, and what was done, is printed too, and the exit code is 1.
"""

import argparse
import random
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from raidtui.lab.guest import Guest, Setup
from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.procedure import Recover, word_of
from raidtui.model.text import count_of
from tests.kernel.conftest import CLEAN_UP
from tests.kernel.driving import nodes, raidtui, serials, spec_text

DISKS: Final = "7x300MiB"
_MOST_EVENTS: Final = 5
_MOST_TURNS: Final = 14
_MOST_TRIES: Final = 2  # of one remedy
_MOUNT: Final = "/srv/tank"
# Not of the disks, or of what a person may leave as it is.
_LEFT_ALONE: Final = frozenset({Kind.NOT_CONFIGURED, Kind.NEVER_SCRUBBED, Kind.NO_BITMAP, Kind.DEGRADED_BOOT})
_WRITE: Final = "cd /srv/tank && cp data new && head -c 3M /dev/urandom >>new && sync new && sha256sum <new && mv new data && sync"
_SETTLE: Final = "udevadm settle; sleep 0.5"
_IN_SYNC: Final = "for one in /sys/block/md*; do [ -e $one ] && timeout 60 mdadm -q --wait /dev/${one##*/}; done; udevadm settle"


class Made(NamedTuple):
    """How a unit is made."""

    backend: str
    level: str
    members: int
    survives: int
    options: Mapping[str, Any] = {}


KINDS: Final = {
    "raid1": Made("mdadm", "raid1", 2, 1),
    "raid1-of-3": Made("mdadm", "raid1", 3, 2),
    "raid5": Made("mdadm", "raid5", 3, 1),
    "raid5-ppl": Made("mdadm", "raid5", 3, 1, {"consistency": "ppl"}),
    "raid5-whole-disks": Made("mdadm", "raid5", 3, 1, {"partition": False}),
    "raid6": Made("mdadm", "raid6", 4, 2),
    "raid10": Made("mdadm", "raid10", 4, 1),
    "lvm-raid1": Made("lvm", "raid1", 2, 1),
    "lvm-raid5": Made("lvm", "raid5", 3, 1),
    "lvm-raid6": Made("lvm", "raid6", 5, 2),
    "lvm-raid10": Made("lvm", "raid10", 4, 1),
    "lvm-on-md": Made("lvm-on-md", "raid5", 3, 1),
    "hybrid": Made("hybrid", "hybrid1", 3, 1),
    "btrfs-raid1": Made("btrfs", "raid1", 2, 1),
    "btrfs-raid1c3": Made("btrfs", "raid1c3", 3, 2),
    "btrfs-raid10": Made("btrfs", "raid10", 4, 1),
}


class Day:
    """One day of one unit."""

    def __init__(self, guest: Guest, kind: str, seed: int) -> None:
        self.made = KINDS[kind]
        self.log: list[str] = []
        self._guest, self._chance = guest, random.Random(f"{kind} {seed}")
        every = serials(7)
        self._members, self._spare = every[: self.made.members], every[self.made.members]
        self._node = dict(zip(every, nodes(guest, every), strict=True))
        self._pulled: set[str] = set()
        self._failed: set[str] = set()
        self._lost: set[str] = set()  # without what was written last, or without anything
        self._right: set[str] = set()  # checksums that the file may have
        self._done: list[tuple[str, ...]] = []

    def run(self) -> tuple[str, ...]:
        """Build, let it happen, follow the advice, and return what is wrong then."""
        self._build()
        for _ in range(self._chance.randint(1, _MOST_EVENTS)):
            self._chance.choice(self._events())()
        for _ in range(_MOST_TURNS):
            if not self._turn():
                if not self._pulled:
                    break
                self._plug_all()
        self._shell(f"mountpoint -q {_MOUNT} || mount {_MOUNT}; echo 3 >/proc/sys/vm/drop_caches")
        wrong = [f"{one.kind} is left: {one.what}" for one in self._findings()]
        if self._shell(f"sha256sum <{_MOUNT}/data").split(" ")[0] not in self._right:
            wrong.append("the file is not what was written")
        return tuple(wrong)

    def _shell(self, script: str) -> str:
        return self._guest.shell(script, check=False).stdout.strip()

    def _note(self, *words: object) -> None:
        self.log.append(" ".join(str(one) for one in words))

    def _build(self) -> None:
        spec = spec_text(self.made.level, self._members, backend=self.made.backend, **self.made.options)
        self._guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec)
        words = ("apply", "/root/spec.toml", "--erase", ",".join(self._members), "--json", "--wait-sync")
        self._accepting(words)
        self._right = {
            self._shell(f"head -c 30M /dev/urandom >{_MOUNT}/data; sync; sha256sum <{_MOUNT}/data").split(
                " "
            )[0]
        }

    def _accepting(self, words: Sequence[str]) -> int:
        """Run raidtui, and once more with the HIGH hazards accepted that it names; return the exit code."""
        done = raidtui(self._guest, *words, timeout=400)
        if done.code == 3 and (asked := re.search(r"add --accept (\S+?)[.;]?(\s|$)", done.stderr)):
            done = raidtui(self._guest, *words, "--accept", asked[1], timeout=400)
        self._note("raidtui", *words, "->", done.code, done.stderr[-500:] if done.code else "")
        return done.code

    # What happens.

    def _events(self) -> list[Callable[[], None]]:
        often = [self._pull, self._plug, self._write]
        return [
            *(often * 2),
            *(
                self._fail,
                self._stop,
                self._assemble,
                self._part,
                self._zero,
                self._remove,
                self._hold,
                self._add,
                self._replace,
                self._cut,
                self._cut_in_replacement,
            ),
        ]

    def _part_of(self, disk: str) -> str:
        """The kernel's name of its partition, or of the disk."""
        node = self._node[disk]
        return self._shell(f"[ -b {node}1 ] && echo {node}1 || echo {node}").rpartition("/")[2]

    def _fail(self) -> None:
        disk = self._chance.choice(self._members)
        part = self._part_of(disk)
        self._shell(
            f"for one in /sys/block/md*/md/dev-{part}/state; do [ -e $one ] && echo faulty >$one; done; {_SETTLE}"
        )
        self._failed.add(disk)
        self._note(disk, "is faulty")

    def _pull(self) -> None:
        here = [one for one in self._members if one not in self._pulled]
        if len(here) < 2:
            return
        disk = self._chance.choice(here)
        gone = f"echo faulty >$one; sleep 0.7; echo remove >$one; {_SETTLE}"
        self._shell(
            f"for one in /sys/block/md*/md/dev-{self._part_of(disk)}/state; do [ -e $one ] && {{ {gone}; }}; done"
        )
        try:
            self._guest.pull(disk)
        except RaidtuiError:  # user-mode Linux cannot, while it is in use
            self._stop()
            self._guest.pull(disk)
        self._pulled.add(disk)
        self._shell(_SETTLE)
        self._note(disk, "is pulled")

    def _plug(self) -> None:
        for disk in sorted(self._pulled)[:1]:
            self._guest.plug(disk)
            self._pulled.discard(disk)
            self._shell(_SETTLE)
            self._note(disk, "is plugged")

    def _plug_all(self) -> None:
        while self._pulled:
            self._plug()

    def _write(self) -> None:
        if self._shell(f"mountpoint -q {_MOUNT} && echo yes"):
            done = self._guest.shell(_WRITE, check=False)
            new = set(done.stdout.split(" ")[:1]) - {""}
            self._right = new if done.returncode == 0 else self._right | new
            self._lost |= self._pulled | self._failed
            self._note("written" if done.returncode == 0 else f"not written: {done.stderr}")

    def _stop(self) -> None:
        self._shell(f"umount {_MOUNT}; vgchange -qq -an; mdadm -q --stop --scan; {_SETTLE}")
        self._note("stopped")

    def _assemble(self) -> None:
        self._shell(f"mdadm -q --assemble --scan; {_SETTLE}; vgchange -qq -ay; mount -a")
        self._note("assembled and mounted")

    def _part(self) -> None:
        """Some members come back by themselves, as at a boot at which others are slow."""
        self._stop()
        for disk in self._chance.sample(self._members, self._chance.randint(1, len(self._members))):
            if disk not in self._pulled:
                self._shell(f"mdadm -q --incremental /dev/{self._part_of(disk)}; {_SETTLE}")
                self._note(disk, "is found")

    def _zero(self) -> None:
        disk = self._chance.choice(self._members)
        if disk in self._pulled or len(self._lost | {disk}) > self.made.survives:
            return
        self._stop()
        count, node = self._chance.choice((2, 40)), self._node[disk]
        free = f"! ls /sys/class/block/{node.rpartition('/')[2]}*/holders/* >/dev/null 2>&1"
        if self._shell(
            f"{free} && dd if=/dev/zero of={node} bs=1M count={count} conv=fsync && echo zeroed; blockdev --rereadpt {node}; {_SETTLE}"
        ):
            self._lost.add(disk)
            self._note("the first", count, "MiB of", disk, "are zero")

    def _remove(self) -> None:
        self._shell(
            "for one in /dev/md[0-9]*; do mdadm -q $one --remove failed detached; done; udevadm settle"
        )
        self._note("failed members are removed")

    def _hold(self) -> None:
        self._shell("for one in /sys/block/md*/md/sync_action; do [ -e $one ] && echo frozen >$one; done")
        self._note("syncs are frozen")

    def _add(self) -> None:
        self._shell(
            f"for one in /dev/md[0-9]*; do mdadm -q $one --add {self._node[self._spare]}; done; udevadm settle"
        )
        self._note(self._spare, "is added by hand")

    def _cut(self) -> None:
        self._guest.power_cut()
        self._guest.power_on()
        self._pulled.clear()
        self._shell(f"{_SETTLE}; mount -a")
        self._note("the power is cut, and the computer boots with all disks")

    def _replace(self) -> None:
        disk, new = self._chance.choice(self._members), self._spare
        if not self._accepting(("replace", disk, new, "--erase", new)):
            self._replaced(disk)

    def _replaced(self, disk: str) -> None:
        self._members = [self._spare if one == disk else one for one in self._members]
        self._spare = disk
        self._lost.discard(disk)

    def _cut_in_replacement(self) -> None:
        disk, new = self._chance.choice(self._members), self._spare
        running = self._guest.start(["raidtui", "replace", disk, new, "--erase", new])
        end = time.monotonic() + self._chance.uniform(0.5, 12)
        while running.returncode is None and time.monotonic() < end:
            self._guest.pump(0.1)
        self._note("replace", disk, new, "->", running.returncode)
        self._cut()
        for job in raidtui(self._guest, "jobs", "--json").report["jobs"]:
            if job["outcome"] == "interrupted":
                self._accepting(("resume", job["request"]["id"], "--json"))

    # What is done then.

    def _findings(self) -> list[Finding]:
        found = raidtui(self._guest, "care", "--json").report["findings"]
        return [one for each in found if (one := msgspec.convert(each, Finding)).kind not in _LEFT_ALONE]

    def _turn(self) -> bool:
        """Do the first thing that is advised and has not been done; return whether there is one."""
        for finding in self._findings():
            self._note(f"{finding.kind} {finding.name}: {finding.what}")
            first = finding.remedies[0].text if finding.remedies else ""
            if self._pulled and (first.startswith("connect") or finding.kind is Kind.FAILED):
                self._plug_all()
                return True
            for remedy in finding.remedies:
                order = finding.order(remedy)
                done = (finding.name, order, *remedy.commands)
                if (order or remedy.commands) and self._done.count(done) < _MOST_TRIES:
                    self._done.append(done)
                    self._follow(remedy, order)
                    self._shell(_IN_SYNC)
                    return True
        return False

    def _follow(self, remedy: Remedy, order: str) -> None:
        if unmount := re.search(r"First unmount (\S+)\.", remedy.text):
            self._shell(f"umount {unmount[1]}")
        words = shlex.split(order)[1:]
        if isinstance(remedy.procedure, Recover):
            if self._accepting([*words, "--json"]) == 0:
                self._accepting([*(one for one in words if one != "--stop"), "--for-real", "1"])
        elif remedy.procedure is not None:
            self._note(word_of(remedy.procedure))
            self._accepting(words)
        for command in remedy.commands:
            self._note(command, self._shell(f"{command} 2>&1"))


def setup(folder: str) -> Setup:
    """A guest whose disks survive a power cut."""
    return Setup(disks=DISKS, disk_dir=Path(folder) / "disks")


def day(guest: Guest, kind: str, seed: int) -> tuple[tuple[str, ...], list[str]]:
    """What is wrong at the end of a day, and all that happened; the guest is clean again if nothing is."""
    one = Day(guest, kind, seed)
    try:
        wrong = one.run()
        guest.shell(CLEAN_UP, check=False)
    except RaidtuiError as error:
        wrong = (str(error),)
    return wrong, one.log


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.bad_days", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "what", nargs="*", metavar="KIND|KIND:SEED", help=f"of {', '.join(KINDS)}; by default all"
    )
    parser.add_argument("--seeds", type=int, default=3, help="days of each kind (default: 3)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (default: 0)")
    parser.add_argument("--minutes", type=float, default=10_000, help="begin no day later than this")
    asked = parser.parse_args(words)
    what = [word.partition(":") for word in asked.what or KINDS]
    if unknown := [kind for kind, _, _ in what if kind not in KINDS]:
        parser.error(f"there is no kind {unknown[0]!r}; --help lists them")
    seeds = range(asked.first, asked.first + asked.seeds)
    cases = [(kind, int(seed)) for kind, _, seed in what if seed]
    cases += [(kind, seed) for seed in seeds for kind, _, given in what if not given]
    end, bad, tried = time.monotonic() + asked.minutes * 60, 0, 0
    while cases and time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="raidtui-bad-days-") as folder, Guest(setup(folder)) as guest:
            while cases and time.monotonic() < end:
                kind, seed = cases.pop(0)
                wrong, log = day(guest, kind, seed)
                tried += 1
                print(f"{'WRONG' if wrong else 'right'}  {kind}:{seed}", *wrong, sep="\n       ", flush=True)
                if wrong:
                    bad += 1
                    print(*log, sep="\n    ", flush=True)
                    break
    print(f"{count_of(tried, 'day')}: {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
