"""A disk that is as large as a missing physical volume and has data that nothing explains: perhaps it lost its label. Pure.

The label and LVM's text are in its first MiB, which a new partition table or an erased beginning destroys. LVM then calls
the disk missing, though its extents are all there.
"""

from raidtui.backends.care import called
from raidtui.backends.lvm.report import Reading, VolumeGroup
from raidtui.backends.unexplained import unexplained, word_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import listed


def label_gone(group: VolumeGroup, known: Reading, machine: Machine) -> tuple[Remedy, ...]:
    """A trial with the disks that may be the missing physical volumes of ``group``; nothing if none may be."""
    away = [one for one in known.devices_of(group) if one.missing and not one.path and one.size_bytes]
    ends = [one.data_start_bytes + one.size_bytes for one in away]
    of_none = {one.path for one in known.devices if one.path and not one.group}
    found = tuple(
        unexplained(machine, lambda size: any(0 <= size - end < group.extent_bytes for end in ends), of_none)
    )
    if not found:
        return ()
    many = len(found) > 1
    s = "s" if many else ""
    return (
        Remedy(
            text=f"{listed([called(one.disk) for one in found])} {'are' if many else 'is'} as large as the missing disk and may be it, "
            "with its label overwritten: write nothing to it. Look for the files on overlays with it",
            procedure=Recover(unit=group.uuid, disks=tuple(map(word_of, found))),
        ),
        Remedy(
            text=f"if that finds the files whole, back them up; then write the label{s} again (--for-real)"
        ),
    )
