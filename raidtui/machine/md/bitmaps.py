"""Read which kind of bitmap an array has, from sysfs: since Linux 6.18 there is a lockless one."""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.machine import Sync
from raidtui.model.md_levels import parity_of
from raidtui.model.units import SECTOR

_LOCKLESS: Final = "llbitmap"  # the kernel's name for it


def is_lockless(tree: Tree, md: str) -> bool:
    """Whether the bitmap of the array with the sysfs folder ``md`` is a lockless one; the selected kind is in brackets."""
    return f"[{_LOCKLESS}]" in tree.text(f"{md}/bitmap_type").split()


def read_consistency(tree: Tree, md: str) -> str:
    """The consistency policy: bitmap, lockless (a bitmap), resync, ppl …; empty if not known."""
    policy = tree.text(f"{md}/consistency_policy")
    if policy == "bitmap" and is_lockless(tree, md):
        return "lockless"
    return "" if policy == "unknown" else policy


def read_chunk(tree: Tree, md: str) -> int | None:
    """The bytes of data that one bit stands for; None without a bitmap."""
    if is_lockless(tree, md):
        words = tree.text(f"{md}/{_LOCKLESS}/metadata").split()
        sectors = dict(zip(words[::2], words[1::2], strict=False)).get("chunksize", "")
        return int(sectors) * SECTOR if sectors.isdecimal() else None
    if tree.text(f"{md}/bitmap/location") in {"", "none"}:
        return None
    return tree.number(f"{md}/bitmap/chunksize")


def builds_parity(tree: Tree, md: str, level: str, degraded: int | None, sync: Sync | None) -> bool:
    """Whether parity is built for the first time where data was just written: with a lockless bitmap md does so late.

    md calls that a recovery, though no member is missing (MD_RECOVERY_LAZY_RECOVER in drivers/md/md.c).
    """
    recovers = sync is not None and sync.action == "recover" and degraded == 0
    return recovers and parity_of(level) > 0 and is_lockless(tree, md)
