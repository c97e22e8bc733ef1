"""UUIDs that are known before anything is made: each derives from the plan's one random seed."""

import uuid


def derived(seed: str, what: str) -> str:
    """The UUID of ``what`` ("array", "filesystem", "partition LAB-0001") under ``seed``, as blkid prints it."""
    return str(uuid.uuid5(uuid.UUID(seed), what))


def as_md(text: str) -> str:
    """A UUID in mdadm's spelling: four groups of eight digits with colons."""
    digits = text.replace("-", "").replace(":", "").lower()
    return ":".join(digits[start : start + 8] for start in range(0, 32, 8))
