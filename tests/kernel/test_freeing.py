"""What inspect prints to free a disk is followed as it stands there: each command works, and then the disk is free."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import inspect
from tests.kernel.stacks import MAKERS, STACKS

DISKS = "abcdefgh"
LEFT_BEHIND = "firmware-raid"
"""What a firmware RAID leaves behind, when nothing uses it any more."""
IF_GONE = " no longer exists: "
"""What frees a disk comes after it, where the owner may still be somewhere else."""
STARTS = sorted(
    ((name, disk, group) for name, stack in STACKS.items() for group in stack.apart for disk in group),
    key=lambda start: start[2].index(start[1]),
)
"""Every disk of every stack; the first disk of each comes first."""


def taken(guest: Guest, disks: Collection[str] = DISKS) -> list[dict[str, Any]]:
    """Those of ``disks`` that have to be freed, with the claims for which that is so."""
    found = []
    guest.shell("udevadm settle")  # a person takes longer than udev, which opens what has just been freed
    for disk in inspect(guest)["disks"]:
        claims = [c for c in disk["taken_by"] if c["weight"] == "busy"]
        if claims and disk["name"][-1] in disks:
            found.append({**disk, "taken_by": claims})
    return found


def in_use(guest: Guest, disks: Collection[str] = DISKS) -> list[dict[str, Any]]:
    """Those of ``disks`` that something uses now."""
    every = [
        {**disk, "taken_by": [c for c in disk["taken_by"] if c["what"] != LEFT_BEHIND]}
        for disk in taken(guest, disks)
    ]
    return [disk for disk in every if disk["taken_by"]]


def follow(guest: Guest, commands: Sequence[str]) -> None:
    """Run the commands as a person would, the owner being gone; raidtui says itself which disks it wants to have named."""
    for said in commands:
        command = said.rpartition(IF_GONE)[2]
        if not command.startswith("raidtui "):
            guest.shell(command)
            continue
        done = guest.shell(command, check=False, timeout=300)
        if done.returncode == 3 and (named := re.search(r"--erase \S+", done.stderr)):
            done = guest.shell(f"{command} {named[0]}", check=False, timeout=300)
        assert done.returncode == 0, done.stderr


def written(guest: Guest, disks: Sequence[str]) -> str:
    """How many sectors were written to and discarded on ``disks`` so far: the same numbers mean the same bytes."""
    lines = (f"awk '{{ print $7, $14 }}' /sys/block/ubd{disk}/stat" for disk in disks)
    # The second sync: what the first wrote to a loop device is in the cache of its file, on another disk.
    return str(guest.shell("sync; sync; " + "; ".join(lines)).stdout)


@pytest.mark.first(1)
@pytest.mark.parametrize(("name", "start", "group"), STARTS, ids=lambda word: word.replace("/", " "))
def test_a_disk_is_free_when_what_inspect_prints_has_been_followed(
    guest: Guest, name: str, start: str, group: str
) -> None:
    """From ``start``, the first to be freed: what frees it may free others of its ``group`` too."""
    stack = STACKS[name]
    guest.shell(f"{MAKERS}{stack.make}\nudevadm settle")
    said = sorted(
        (
            f"{claim['device'].removeprefix('/dev/ubd')}:{claim['what']}",
            re.sub(r"/proc/\d+/", "/proc/PID/", claim["how_to_free"]),
        )
        for disk in in_use(guest)
        for claim in disk["taken_by"]
    )
    assert said == sorted((claim, how) for how, claims in stack.frees.items() for claim in claims.split())
    for together in sorted(stack.apart, key=lambda some: some != group):
        others = [disk for disk in DISKS if disk not in together]
        before = written(guest, others)
        for one in sorted(together, key=lambda disk: disk != start):
            # None needs more than its own list once.
            for _ in range(2 if stack.comes_back else 1):
                for disk in in_use(guest, one):
                    follow(guest, disk["to_free"])
            left = [claim["detail"] for disk in in_use(guest, one) for claim in disk["taken_by"]]
            assert not left
        for disk in taken(guest, together):
            (claim,) = disk["taken_by"]
            follow(guest, [claim["how_to_free"]])
        assert not taken(guest, together)
        assert written(guest, others) == before, "a disk that has nothing to do with it was written to"
    assert guest.shell("cat /proc/swaps").stdout.count("\n") == 1
    assert " /srv/" not in guest.shell("cat /proc/mounts").stdout
