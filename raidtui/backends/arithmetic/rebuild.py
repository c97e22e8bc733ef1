"""What a rebuild reads, by level: parity is computed from all other members, a copy is read from one."""


def parity_of(level: str) -> int:
    """How many disks' worth of parity a level of md has."""
    return {"raid4": 1, "raid5": 1, "raid6": 2}.get(level, 0)


def read_in_rebuild(level: str, disks: int, component_bytes: int) -> int:
    """Bytes that must be read without fail to rebuild the last failed disk that may fail."""
    if level in {"raid0", "linear"}:
        return 0
    if level in {"raid1", "raid10"}:
        return component_bytes
    return component_bytes * (disks - parity_of(level))
