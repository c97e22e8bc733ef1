"""UUIDs, whose spellings differ: blkid prints dashes, mdadm colons, sysfs and LVM their own groups."""


def bare(text: str) -> str:
    """The digits of a UUID alone, in lower case: what two spellings have in common."""
    return text.lower().replace("-", "").replace(":", "")


def same_uuid(one: str, other: str) -> bool:
    """Whether two spellings are the same UUID; an empty one never is."""
    return bool(bare(one)) and bare(one) == bare(other)
