"""What a rebuild reads, by level: parity is computed from all other members, a copy is read from one."""

from raidtui.model.md_levels import MD_LEVELS


def read_in_rebuild(level: str, disks: int, component_bytes: int) -> int:
    """Bytes that must be read without fail to rebuild the last failed disk that may fail."""
    known = MD_LEVELS[level]
    if not known.redundant:
        return 0
    return component_bytes if known.copies else component_bytes * (disks - known.parity)
