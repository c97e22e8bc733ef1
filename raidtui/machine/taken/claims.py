"""Why a disk is taken, and how to free it.

Sources: the kernel's exclusive claims (``open(O_EXCL)``), what these miss (see `raidtui.machine.taken.in_use`),
libblkid's signatures on the disk and its partitions, and the configuration files that name it.
"""

import errno
import fcntl
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.machine.contents.found import data, find_contents
from raidtui.machine.contents.partition_types import MANAGERS
from raidtui.machine.md.health import is_failed
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.taken.in_use import find_uses
from raidtui.model.device import Device, DeviceKind
from raidtui.model.machine import UNSEEN, Claim, ClaimKind, Disk, Weight
from raidtui.model.superblock import complete, of_array
from raidtui.model.text import harmless
from raidtui.model.uuids import same_uuid

_ORDER: Final = {weight: place for place, weight in enumerate(Weight)}
_PIECE: Final = 4096
_GONE: Final = frozenset({errno.ENOENT, errno.ENXIO, errno.ENODEV})


def exclusive_error(path: str) -> str:
    """Why the device ``path`` cannot be opened with O_EXCL; empty if it can.

    Opens it read-only: the exclusive claim is the same, but closing a device that was open for writing makes udev
    probe it again, so a program that watches for changes would see them without end.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return "the kernel reports it as busy"
        return os.strerror(error.errno or 0)
    os.close(fd)
    return ""


def unclaimed_error(path: str) -> str:
    """Like `exclusive_error`, but safe while another program may be working on the device.

    A job locks its disks (flock) while it creates an array; opening one with O_EXCL at that moment, however briefly,
    would make ``mdadm --create`` fail. A locked disk counts as in use.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return "" if error.errno in _GONE or error.errno == errno.ENOMEDIUM else os.strerror(error.errno or 0)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return exclusive_error(path)
    except BlockingIOError:
        return "another program has locked it"
    finally:
        os.close(fd)


def read_error(path: str, size_bytes: int) -> str:
    """Why the first or last 4 KiB of a device cannot be read; empty if they can.

    libblkid takes a disk that returns only errors for blank.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return os.strerror(error.errno or 0)
    try:
        for offset in (0, max(0, size_bytes - _PIECE)):
            os.pread(fd, _PIECE, offset)
    except OSError as error:
        return f"{os.strerror(error.errno or 0)} at byte {offset:,}"
    finally:
        os.close(fd)
    return ""


def find_claims(facts: MachineFacts, disk: Disk, others: Sequence[Disk]) -> tuple[Claim, ...]:
    """Everything that takes ``disk``, most serious first; ``others`` are all disks of the computer."""
    block = facts.graph.by_name[disk.name]
    devices = (block, *facts.graph.parts(block))
    uses = {device.name: tuple(find_uses(facts, device, disk.identity)) for device in devices}
    claims = [
        *_unusable(disk),
        *_unreadable(facts, disk, devices, uses),
        *_duplicate(disk, [other for other in others if not _share_multipath(facts, disk, other)]),
        *(claim for some in uses.values() for claim in some),
        *_exclusive(facts, devices, uses),
    ]
    explained = {
        claim.device
        for claim in claims
        if claim.weight in {Weight.SYSTEM, Weight.BUSY} or claim.what is ClaimKind.MULTIPATH
    }
    for device in devices:
        claims += find_contents(facts, device, disk.identity, used=device.path in explained)
    claims += _of_other_systems(facts, disk, claims)
    claims += _unknown_data(facts, devices, claims)
    # A device may be mounted twice on one directory, and a process may be found in two ways.
    return tuple(sorted(dict.fromkeys(claims), key=lambda claim: _ORDER[claim.weight]))


def _of_other_systems(facts: MachineFacts, disk: Disk, claims: Sequence[Claim]) -> Iterator[Claim]:
    """What the type of a partition shows, where nothing else shows on it: the first one of each kind."""
    known = {claim.device for claim in claims if claim.what is not ClaimKind.CONFIGURED}
    named: set[str] = set()
    for part in disk.partitions:
        words = MANAGERS.get(part.type, "")
        if words and words not in named and part.path not in known:
            named.add(words)
            block = facts.graph.by_name[part.name]
            yield data(ClaimKind.SIGNATURE, block, f"{words}, by the type of the partition")


def _unknown_data(
    facts: MachineFacts, devices: tuple[Device, ...], claims: Sequence[Claim]
) -> Iterator[Claim]:
    """What samples show on a disk, or on partitions, without any other claim."""
    disk, *parts = devices
    known = [claim for claim in claims if claim.what is not ClaimKind.CONFIGURED]
    # A table without partitions, or with such that nothing is in, may be new, over something older.
    new = all(claim.what is ClaimKind.PARTITION_TABLE and claim.device == disk.path for claim in known)
    unknown = facts.unknown_data(disk.path, disk.size_bytes) if new else None
    if parts:
        if unknown is not None and unknown.what is ClaimKind.TABLE_MISFIT:
            yield data(unknown.what, disk, unknown.words)
        elif unknown is not None and (unknown.began or (unknown.unit and not unknown.member)):
            words = f"{unknown.words}. It is older than the partition table"
            yield data(ClaimKind.UNKNOWN_DATA, disk, words)
    elif unknown is not None and unknown.what in UNSEEN:
        yield data(
            unknown.what,
            disk,
            unknown.words,
            unit=unknown.unit,
            member=unknown.member,
            table=unknown.table,
        )
    elif unknown is not None and (lacking := _lacking(facts, disk)):
        words = f"{unknown.words}; array {lacking} lacks a member, and this disk may be it"
        yield data(ClaimKind.OVERWRITTEN, disk, words)
    elif unknown is not None and not known:
        yield data(unknown.what, disk, unknown.words)
    if any(claim.weight is not Weight.DATA and claim.device == disk.path for claim in known):
        return
    for part in parts:
        if not any(claim.device == part.path for claim in known):
            found = facts.unknown_data(part.path, part.size_bytes)
            if found:
                # The table refers to it: it may be parity, or anything else that begins with zeros.
                what = ClaimKind.UNKNOWN_DATA if found.what is ClaimKind.REMAINS else found.what
                yield data(what, part, found.words, unit=found.unit)


def _lacking(facts: MachineFacts, disk: Device) -> str:
    """An array that does not run and lacks a member that ``disk`` may be, by its size; empty if there is none."""
    running = [one.uuid for one in facts.arrays if one.started and not is_failed(one)]
    for uuid in dict.fromkeys(one.uuid for one in facts.superblocks):
        if any(same_uuid(uuid, one) for one in running):
            continue
        stored = of_array(uuid, facts.superblocks)
        newest = max(stored.values(), key=lambda one: one.events)
        here = (facts.graph.at(path) for path in stored)
        least = min((facts.graph.whole(one).size_bytes for one in here if one is not None), default=0)
        if len(complete(stored)) < newest.raid_disks and disk.size_bytes >= least > 0:
            return harmless(newest.name.partition(":")[2] or newest.name)
    return ""


def _claim(what: ClaimKind, disk: Disk, detail: str, how_to_free: str) -> Claim:
    return Claim(what=what, weight=Weight.UNUSABLE, device=disk.path, detail=detail, how_to_free=how_to_free)


def _unusable(disk: Disk) -> Iterator[Claim]:
    if not disk.size_bytes:
        if disk.removable:
            yield _claim(ClaimKind.NO_MEDIA, disk, "no medium is in the drive", "insert one")
        else:
            how = (
                "check its cable, its power and the kernel's messages (journalctl --dmesg). A disk from a storage "
                "array may have 520-byte sectors: format it to 512 bytes first, see sg_format(8)"
            )
            yield _claim(ClaimKind.ZERO_SIZE, disk, "it reports a size of zero", how)
    elif disk.read_only:
        how = (
            "look for a write-protect switch, then for what sets it read-only: a udev rule, or the drive itself, as a "
            "worn-out SSD does"
        )
        yield _claim(ClaimKind.READ_ONLY, disk, "it cannot be written to", how)
    if disk.zoned == "host-managed":
        detail = (
            "it accepts only sequential writes within a zone, and nothing that raidtui builds writes that way"
        )
        yield _claim(ClaimKind.ZONED, disk, detail, "choose another disk")


def _unreadable(
    facts: MachineFacts, disk: Disk, devices: tuple[Device, ...], uses: dict[str, tuple[Claim, ...]]
) -> Iterator[Claim]:
    """Claim the devices that cannot be read: their contents are unknown, which is not blank."""
    errors = {one.path: facts.unread.get(one.path, "") for one in devices if not uses[one.name]}
    # Do not read a disk again that wipefs could not open or that timed out.
    if disk.size_bytes and not any(uses.values()) and not errors[disk.path]:
        errors[disk.path] = facts.read_error(disk.path, disk.size_bytes)
    how = f"check its cable, its power and its health: smartctl --xall {disk.path}"
    for path, error in errors.items():
        if error:
            yield Claim(
                what=ClaimKind.UNREADABLE,
                weight=Weight.UNUSABLE,
                device=path,
                detail=f"it cannot be read: {error}",
                how_to_free=how,
            )


def _duplicate(disk: Disk, others: Sequence[Disk]) -> Iterator[Claim]:
    """Claim a disk whose identity another disk has: a second path, a bridge that hides the numbers, or a second LUN.

    Two LUNs of one drive differ in WWN, but disks are confirmed by serial number.
    """
    others = [other for other in others if other.name != disk.name]
    by_wwn = [other for other in others if disk.wwn and other.wwn == disk.wwn]
    by_serial = [other for other in others if disk.serial and other.serial == disk.serial]
    if not by_wwn and not by_serial:
        return
    what = "WWN" if by_wwn else "serial number"
    detail = f"the same {what} as {', '.join(other.path for other in by_wwn or by_serial)}"
    if not by_wwn and disk.wwn and all(other.wwn for other in by_serial):
        detail += (
            ", but a different WWN: two units of one drive, such as a disk with two actuators. The serial number "
            "does not identify one of them"
        )
        how = "choose another disk; make one namespace of an NVMe drive that has two"
    else:
        detail += ": two paths to one disk, or an enclosure that hides the disks' own numbers"
        how = (
            "disconnect one of two paths: raidtui does not build on multipath devices; otherwise connect the disk so "
            "that it reports its own serial number"
        )
    yield _claim(ClaimKind.DUPLICATE, disk, detail, how)


def _share_multipath(facts: MachineFacts, disk: Disk, other: Disk) -> bool:
    """Whether both are paths of one multipath device, which says so itself."""
    above = (facts.graph.on(facts.graph.by_name[one.name]) for one in (disk, other))
    mine, its = ({one.name for one in some if one.kind is DeviceKind.MULTIPATH} for some in above)
    return bool(mine & its)


def _exclusive(
    facts: MachineFacts, devices: tuple[Device, ...], uses: dict[str, tuple[Claim, ...]]
) -> Iterator[Claim]:
    """Claim what only O_EXCL shows as in use. An exclusive open of a disk covers its partitions, and vice versa."""
    disk, *parts = devices
    if uses[disk.name]:
        return
    answers = {part.name: facts.exclusive_error(part.path) for part in parts if not uses[part.name]}
    if not any(answers.values()) and not any(uses.values()):
        answers[disk.name] = facts.exclusive_error(disk.path)
    for device in devices:
        if error := answers.get(device.name):
            yield _unexplained_use(facts, device, error)


def _unexplained_use(facts: MachineFacts, block: Device, error: str) -> Claim:
    pools = Counter(s.label for s in facts.signatures_of(block) if s.type == "zfs_member")
    if pools:
        # ZFS opens its disks exclusively and has no holder in sysfs.
        pool = pools.most_common(1)[0][0]
        what, detail = ClaimKind.ZFS, f'member of the imported ZFS pool "{pool}"'
        how = f"zpool export {shlex.quote(pool)}"
    else:
        what, detail = ClaimKind.EXCLUSIVE, f"in use by something that raidtui cannot identify: {error}"
        how = (
            "find what uses it and stop that: a container, a virtual machine, an iSCSI or NVMe target "
            f"(lsblk {block.path}). The cache of a ZFS pool is in zpool status"
        )
    return Claim(what=what, weight=Weight.BUSY, device=block.path, detail=detail, how_to_free=how)
