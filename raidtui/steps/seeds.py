"""UUIDs known in advance: each is derived from the plan's seed and its purpose.

So a plan shows commands, mdadm.conf and fstab literally, and the job derives the same UUIDs again.
"""

import uuid

from raidtui.model.errors import BadInput


def new_seed() -> str:
    """A new random seed, for one job. All seeds come from here."""
    return str(uuid.uuid4())


def derive(seed: str, *what: str) -> str:
    """The UUID for purpose ``what`` in the plan with ``seed``, in lower case with dashes.

    Raises:
        BadInput: the seed is not a UUID.
    """
    try:
        root = uuid.UUID(seed)
    except ValueError as error:
        raise BadInput(f"the seed {seed[:40]!r} is not a UUID; leave it out and one is made") from error
    return str(uuid.uuid5(root, "\0".join(what)))


def partition_uuid(seed: str, identity: str, number: int = 1) -> str:
    """The UUID of a new partition of a disk in its GPT; udev makes a link of that name in /dev/disk/by-partuuid."""
    return derive(seed, "partition", identity, *(() if number == 1 else (str(number),)))
