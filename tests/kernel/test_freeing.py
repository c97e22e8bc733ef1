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
"""What a firmware RAID leaves behind is for the firmware to delete."""


def in_use(guest: Guest, disks: Collection[str] = DISKS) -> list[dict[str, Any]]:
    """Those of ``disks`` that have to be freed first, with the claims for which that is so."""
    found = []
    guest.shell("udevadm settle")  # a person takes longer than udev, which opens what has just been freed
    for disk in inspect(guest)["disks"]:
        claims = [c for c in disk["taken_by"] if c["weight"] == "busy" and c["what"] != LEFT_BEHIND]
        if claims and disk["name"][-1] in disks:
            found.append({**disk, "taken_by": claims})
    return found


def follow(guest: Guest, commands: Sequence[str]) -> None:
    """Run the commands as a person would; a teardown says itself which disks it wants to have named."""
    for command in commands:
        if not command.startswith("raidtui teardown"):
            guest.shell(command)
            continue
        refused = guest.shell(command, check=False)
        assert refused.returncode == 3, refused.stderr
        named = re.search(r"--erase \S+", refused.stderr)
        assert named is not None, refused.stderr
        done = guest.shell(f"{command} {named[0]}", check=False, timeout=300)
        assert done.returncode == 0, done.stderr


def written(guest: Guest, disks: Sequence[str]) -> str:
    """How many sectors were written to and discarded on ``disks`` so far: the same numbers mean the same bytes."""
    lines = (f"awk '{{ print $7, $14 }}' /sys/block/ubd{disk}/stat" for disk in disks)
    return str(guest.shell("sync; " + "; ".join(lines)).stdout)


@pytest.mark.first(6)
@pytest.mark.parametrize("name", STACKS)
def test_a_disk_is_free_when_what_inspect_prints_has_been_followed(guest: Guest, name: str) -> None:
    stack = STACKS[name]
    guest.shell(f"{MAKERS}{stack.make}\nudevadm settle")
    disks = in_use(guest)
    claims = [claim for disk in disks for claim in disk["taken_by"]]
    taken = [f"{claim['device'].removeprefix('/dev/ubd')}:{claim['what']}" for claim in claims]
    assert " ".join(taken) == stack.taken
    assert re.sub(r"/proc/\d+/", "/proc/PID/", claims[0]["how_to_free"]) == stack.first
    for group in stack.apart:
        others = [disk for disk in DISKS if disk not in group]
        before = written(guest, others)
        for one in group:
            # What frees the first disk may free the others too; none needs more than its own list once.
            for _ in range(2 if stack.comes_back else 1):
                for disk in in_use(guest, one):
                    follow(guest, disk["to_free"])
            left = [claim["detail"] for disk in in_use(guest, one) for claim in disk["taken_by"]]
            assert not left
        assert written(guest, others) == before, "a disk that has nothing to do with it was written to"
    assert guest.shell("cat /proc/swaps").stdout.count("\n") == 1
    assert " /srv/" not in guest.shell("cat /proc/mounts").stdout
