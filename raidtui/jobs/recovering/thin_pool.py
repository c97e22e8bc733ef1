"""Open a volume of a thin pool for reading: the kernel writes neither to the metadata of the pool nor to its data."""

from collections.abc import Callable
from typing import Final

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.kernel import sectors_of
from raidtui.jobs.recovering.names import DM
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.tool import do
from raidtui.machine.tools import find_tool
from raidtui.model.errors import StepFailed
from raidtui.model.recovery import ThinPool
from raidtui.model.units import SECTOR

_SECONDS: Final = 1800.0
_POOL, _VOLUME = f"{DM}pool", f"{DM}thin"


def open_volume(
    commands: Commands, pool: ThinPool, metadata: str, data: str, new_loop: Callable[[int], str]
) -> tuple[str, bool]:
    """Open a volume of ``pool`` on the devices ``metadata`` and ``data``.

    Metadata in which thin_check(8) finds errors is repaired first, into a copy.

    Args:
        new_loop: makes a loop device of the given size in bytes, for that copy.

    Returns:
        Its node, and whether the metadata was repaired.

    Raises:
        NotTaken: the kernel does not take the metadata, has no thin pools, or the pool does not have the volume.
        StepFailed: a loop device cannot be made.
    """
    chunk, sectors = pool.chunk_bytes // SECTOR, sectors_of(data)
    copy = _repaired(commands, pool, metadata, sectors, new_loop) if _is_damaged(commands, metadata) else ""
    table = f"0 {sectors} thin-pool {copy or metadata} {data} {chunk} 0 1 read_only\n"
    try:
        do(commands, ["dmsetup", "create", _POOL], text=table)
    except StepFailed as error:
        if "thin-pool" not in commands.run(["dmsetup", "targets"]).stdout:
            raise NotTaken("this kernel has no thin pools", known=False) from error
        lacks = "" if _can_repair() else "; thin_repair (thin-provisioning-tools) is not installed"
        raise NotTaken(f"the kernel does not take the thin pool {pool.name}: {error}{lacks}") from error
    table = f"0 {pool.length_bytes // SECTOR} thin /dev/mapper/{_POOL} {pool.device}\n"
    try:
        do(commands, ["dmsetup", "create", "--readonly", _VOLUME], text=table)
    except StepFailed as error:
        raise NotTaken(
            f"it is not in the thin pool {pool.name}: it was removed, or not made yet ({error})"
        ) from error
    return f"/dev/mapper/{_VOLUME}", bool(copy)


def _can_repair() -> bool:
    return find_tool("thin_check") is not None and find_tool("thin_repair") is not None


def _is_damaged(commands: Commands, metadata: str) -> bool:
    """Whether thin_check(8) finds errors; false if it is not there, or does not end."""
    if not _can_repair():
        return False
    done = commands.run(["thin_check", "--quiet", metadata], timeout_seconds=_SECONDS)
    return bool(done.returncode) and not done.timed_out


def _repaired(
    commands: Commands, pool: ThinPool, metadata: str, sectors: int, new_loop: Callable[[int], str]
) -> str:
    """A copy of the metadata that thin_repair(8) made. Raises NotTaken: it cannot."""
    copy, chunk = new_loop(sectors_of(metadata) * SECTOR), pool.chunk_bytes // SECTOR
    known = ("--data-block-size", str(chunk), "--nr-data-blocks", str(sectors // chunk))
    # Without its superblock it has to be told what was there. The transaction is for LVM, which is not asked.
    for words in ((), ("--transaction-id", "1", *known)):
        argv = ["thin_repair", *words, "-i", metadata, "-o", copy]
        done = commands.run(argv, timeout_seconds=_SECONDS)
        if not done.returncode:
            return copy
    commands.run(["losetup", "--detach", copy])
    raise NotTaken(
        f"the metadata of the thin pool {pool.name} is damaged, and thin_repair fails: {done.last_words}"
    )
