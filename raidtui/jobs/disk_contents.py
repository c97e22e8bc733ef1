"""What is on a disk, in words by which two readings of it are compared: after a reboot its devices have other names."""

from collections.abc import Collection
from typing import Final

from raidtui.model.device_graph import TABLES
from raidtui.model.machine import UNSIGNED, Disk, Signature
from raidtui.model.plan import UNSHOWN, Plan
from raidtui.model.uuids import same_uuid

_RING: Final = "zfs_member"


def describe_signatures(disk: Disk) -> tuple[str, ...]:
    """Every signature on the disk and its partitions as ``type uuid``, sorted, without device names."""
    return tuple(sorted(map(signature_key, disk.every_signature)))


def signature_key(signature: Signature) -> str:
    """A signature as ``type uuid``, or ``type`` if it has no UUID."""
    return f"{signature.type} {signature.uuid}".rstrip()


def own_signatures(plan: Plan, disk: Disk, *, made: Collection[str] = ()) -> frozenset[str]:
    """The signatures on ``disk`` that this plan's steps may have put there, or made visible, in the form of `signature_key`.

    Args:
        made: the UUIDs of units with the plan's marks, because some backends choose the UUID themselves.
    """
    written = [uuid for one in plan.units for uuid in one.uuids]
    shows = any(one.role == UNSHOWN and one.identity == disk.identity for one in plan.disks)
    within = {part.path for part in disk.partitions} if shows else set()
    return frozenset(
        signature_key(s)
        for s in disk.every_signature
        if s.type in TABLES or s.device in within or any(same_uuid(s.uuid, own) for own in (*written, *made))
    )


def describe_contents(disk: Disk) -> tuple[str, ...]:
    """Everything recognizable on ``disk``, in words without device names, sorted."""
    found = [f"{s.type} {s.uuid or s.label}{place_of(s)}" for s in disk.signatures]
    for partition in disk.partitions:
        found.append(
            f"partition {partition.number} of {partition.size_bytes:,} bytes at byte {partition.start_bytes:,}"
        )
        found += [
            f"{s.type} {s.uuid or s.label}{place_of(s)} of partition {partition.number}"
            for s in partition.signatures
        ]
    found += [claim.detail for claim in disk.taken_by if claim.what in UNSIGNED]
    return tuple(sorted(set(found)))


def place_of(signature: Signature) -> str:
    """The offset of a signature, in words; empty for ZFS, whose uberblocks move while the pool is in use."""
    return "" if signature.type == _RING else f" at byte {signature.offset:,}"


def questions_about(disk: Disk, *, smart: bool) -> dict[str, tuple[str, ...]]:
    """What a capsule keeps for people: the commands to ask, by the name of the file for the answer; ``smart``: it has data."""
    questions: dict[str, tuple[str, ...]] = {}
    if smart:
        questions["smart.json"] = ("smartctl", "--json", "--all", disk.path)
    if disk.partition_table:
        questions["table.txt"] = ("sfdisk", "--dump", disk.path)
    members = [one.device for one in disk.every_signature if one.type == "linux_raid_member"]
    for number, device in enumerate(members):
        questions[f"examine-{number}.txt"] = ("mdadm", "--examine", device)
    return questions


def looks_as_before(before: Disk, now: Disk) -> bool:
    """Whether the contents of a restored disk are described as before.

    It may show new partitions, of a table that the kernel did not show then (``partx -d``) but reads now.
    """
    then, today = set(describe_contents(before)), set(describe_contents(now))
    hidden = before.partition_table and not before.partitions
    new = today - then
    return not then - today and (not new or bool(hidden and all("partition " in one for one in new)))
