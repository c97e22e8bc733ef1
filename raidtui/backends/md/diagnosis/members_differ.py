"""A mirror that runs with a member that was written by itself: md reads from one or the other. Pure."""

from collections.abc import Iterator

from raidtui.backends.care import called_at
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.superblock import complete, of_array, written_alone
from raidtui.model.text import listed


def members_differ(machine: Machine) -> Iterator[Finding]:
    """A finding for each such array; how its members were compared, `raidtui.machine.md.mirror_heads` says."""
    for array in machine.arrays:
        inside = {one.path for one in array.members if "in_sync" in one.state}
        stored = {
            path: one for path, one in of_array(array.uuid, machine.superblocks).items() if path in inside
        }
        # Created with --assume-clean, members differ until something is written.
        judged = array.started and array.sync is None and array.signatures
        apart = written_alone(complete(stored)) if judged else None
        if apart is None:
            continue
        disks = listed(called_at(apart, machine))
        first = "unmount it and stop it" if array.mountpoints else "stop it"
        yield Finding(
            name=array.shown,
            kind=Kind.MEMBERS_DIFFER,
            what=f"array {array.shown}: {disks} begin with different data, and md takes both for up to date: one of them was "
            "written by itself, without the array",
            unit=array.uuid,
            never="mount it, write to it, or repair mismatches",
            remedies=(
                Remedy(
                    text=f"{first}. Find out which member is right: mount each read-only. If each has data of its own, the array is "
                    "left from before: leave it stopped, and keep both. If not, disconnect the wrong one, start the array "
                    "without it, and add that disk again as a new one"
                ),
            ),
        )
