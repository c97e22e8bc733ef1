"""Compare UUIDs across spellings: blkid prints dashes, mdadm colons, sysfs and LVM their own groups."""


def bare(text: str) -> str:
    """Only the digits of a UUID, in lower case, to compare spellings."""
    return text.lower().replace("-", "").replace(":", "")


def same_uuid(one: str, other: str) -> bool:
    """Whether two spellings are the same UUID; an empty one matches nothing."""
    return bool(bare(one)) and bare(one) == bare(other)
