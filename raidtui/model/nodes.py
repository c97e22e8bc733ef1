"""The paths of device nodes."""

from collections.abc import Iterable

from raidtui.model.machine import Disk


def partition_path(whole: str, number: int) -> str:
    """The path of a partition of the disk at ``whole``, in udev's or the kernel's spelling."""
    if whole.startswith("/dev/disk/"):
        return f"{whole}-part{number}"
    return f"{whole}p{number}" if whole[-1].isdigit() else f"{whole}{number}"


def stable_paths(disk: Disk) -> dict[str, str]:
    """The path that survives a reboot of ``disk`` and of each of its partitions, by the kernel's path."""
    parts = {part.path: partition_path(disk.stable_path, part.number) for part in disk.partitions}
    return {disk.path: disk.stable_path, **parts}


def stable_in(disks: Iterable[Disk]) -> dict[str, str]:
    """`stable_paths` of several disks."""
    return {path: link for disk in disks for path, link in stable_paths(disk).items()}
