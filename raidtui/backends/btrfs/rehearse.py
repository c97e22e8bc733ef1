"""A filesystem like this one for a rehearsal: copies of its disks hold superblocks, but none of its trees."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.units import is_lost, mixed
from raidtui.backends.rehearsing import Rehearser
from raidtui.model.machine import Machine, Mount
from raidtui.model.nodes import stable_in
from raidtui.model.unit import Unit

_ASIDE: Final = "/run/raidtui-top"
_SUBVOLUME: Final = "subvol="


class BtrfsRehearser(Rehearser):
    """mkfs.btrfs, with the same UUID, profiles and devices: what is empty syncs in seconds at its full size."""

    full_size = True

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """What a new filesystem would not have: a balance under way, chunks of several profiles, a clone."""
        found = _found(unit, machine)
        if found is None or not found.data or not found.metadata or found.unread:
            return f"the profiles and devices of {unit.shown} could not be read"
        if found.running is not None:
            return f"{unit.shown} is busy: {found.running.what}"
        if is_lost(found):
            return f"some data of {unit.shown} is only on the missing disks"
        if mixed(found) or len(found.data) > 1 or len(found.metadata) > 1:
            return f"{unit.shown} has chunks of several profiles, and a new filesystem has none of these"
        if any(one.alike for one in found.devices):
            return f"two devices have the same superblock of {unit.shown}"
        return ""

    def remake(self, unit: Unit, machine: Machine, contents: Mapping[str, bytes], member_bytes: int) -> str:
        """Make it over its devices, with a loop device for each missing one, which is detached again.

        mkfs.btrfs numbers devices without gaps: a number that is not used any more gets a device too, which is removed.
        """
        found = _found(unit, machine)
        assert found is not None, "`why_not` has seen it"
        return "\n".join(_script(found, unit, machine))


def _found(unit: Unit, machine: Machine) -> Filesystem | None:
    reading = reading_in(machine)
    return reading.find(unit.uuid) if reading is not None else None


def _script(found: Filesystem, unit: Unit, machine: Machine) -> Iterator[str]:
    stable = stable_in(machine.disks)
    devices = {one.devid: one for one in found.devices}
    largest = max(one.size_bytes for one in found.devices)
    words: list[str] = []
    stand_ins: list[str] = []  # variables of the script
    unused: list[str] = []
    for devid in range(1, max(devices) + 1):
        here = devices.get(devid)
        if here is not None and here.path:
            words.append(shlex.quote(stable.get(here.path, here.path)))
            continue
        size = here.size_bytes if here is not None and here.size_bytes else largest
        file, name = f"/run/raidtui-devid-{devid}", f"devid_{devid}"
        yield f"modprobe loop; truncate -s {size} {file}; {name}=$(losetup --find --show {file})"
        words.append(f'"${name}"')
        (unused if here is None else stand_ins).append(name)
    label = ["--label", found.label] if found.label else []
    fixed = ["mkfs.btrfs", "--quiet", "--force", "--uuid", found.uuid, *label]
    fixed += ["--data", found.data[0], "--metadata", found.metadata[0]]
    yield " ".join(["wipefs", "--all", "--quiet", *words])  # mkfs.btrfs refuses a UUID that a device has
    yield " ".join([shlex.join(fixed), *words])
    source = next(stable.get(one.path, one.path) for one in found.devices if one.path)
    mounts = [one for one in machine.mounts if one.target in unit.mountpoints and one.type in {TYPE, ""}]
    wanted = sorted({name for mount in mounts if (name := _subvolume(mount)) not in {"", "/"}})
    if unused or wanted:
        yield shlex.join(["mkdir", "-p", _ASIDE])
        yield shlex.join(["mount", source, _ASIDE])
        yield from (f'btrfs device remove "${name}" {_ASIDE}' for name in unused)
        yield from _subvolumes(wanted)
        yield shlex.join(["umount", _ASIDE])
    for name in (*stand_ins, *unused):
        yield f'btrfs device scan --forget "${name}" || :; losetup --detach "${name}"'
    yield "btrfs device scan"
    degraded = ("degraded",) if found.missing else ()
    for mount in mounts:  # in the kernel's order, so the outer one first
        name = _subvolume(mount)
        options = [*degraded, *((f"{_SUBVOLUME}{name}",) if name not in {"", "/"} else ())]
        yield shlex.join(["mkdir", "-p", mount.target])
        yield shlex.join(["mount", *(("-o", ",".join(options)) if options else ()), source, mount.target])


def _subvolume(mount: Mount) -> str:
    options = mount.options.split(",")
    return next((one.removeprefix(_SUBVOLUME) for one in options if one.startswith(_SUBVOLUME)), "")


def _subvolumes(names: Sequence[str]) -> Iterator[str]:
    """The subvolumes that are mounted, with what is above them."""
    for name in names:
        path = f"{_ASIDE}/{name.strip('/')}"
        yield shlex.join(["mkdir", "-p", path.rpartition("/")[0]])
        yield shlex.join(["btrfs", "subvolume", "create", path])


REHEARSER: Final = BtrfsRehearser()
