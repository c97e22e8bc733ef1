"""Bytes read in a rebuild, by level: parity needs all other members, a copy needs one."""

from raidtui.model.md_levels import MD_LEVELS


def read_in_rebuild(level: str, disks: int, component_bytes: int) -> int:
    """Bytes that must be readable to rebuild a disk once no redundancy is left."""
    known = MD_LEVELS[level]
    if not known.redundant:
        return 0
    return component_bytes if known.copies else component_bytes * (disks - known.parity)
