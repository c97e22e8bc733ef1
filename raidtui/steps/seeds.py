"""UUIDs that are known before anything exists: each derives from the plan's seed and from what it is for.

So the commands, mdadm.conf and fstab are literal in the plan, and the job derives the same ones again.
"""

import uuid

from raidtui.model.errors import BadInput


def new_seed() -> str:
    """A seed that no plan has had: the one place where seeds come from. It belongs to one job."""
    return str(uuid.uuid4())


def derive(seed: str, *what: str) -> str:
    """The UUID of one thing of the plan with ``seed``, in lower case with dashes.

    Raises:
        BadInput: the seed is not a UUID.
    """
    try:
        root = uuid.UUID(seed)
    except ValueError as error:
        raise BadInput(f"the seed {seed[:40]!r} is not a UUID; leave it out and one is made") from error
    return str(uuid.uuid5(root, "\0".join(what)))
