"""Waiting for udev: it creates the names of devices a moment after the kernel has them."""

from raidtui.model.plan import Check, Role, Run, Step, Undo


def settle_step(
    id: str,  # noqa: A002
    *,
    role: Role,
    title: str,
    reason: str,
    udev: bool,
    after: tuple[Check, ...],
    name: str = "",
) -> Step:
    """Wait until udev has created the names. A step of its own: udev skips locked disks.

    Args:
        name: the path that is waited for, and nothing else that udev still does; without it, for all of that.
    """
    until = ("--exit-if-exists", name) if name else ()
    return Step(
        id=id,
        role=role,
        title=title,
        reason=reason,
        # When the time is over the checks decide.
        actions=(Run(argv=("udevadm", "settle", "--timeout=60", *until), ok=(0, 1), writes=()),)
        if udev
        else (),
        after=after,
        undoable=Undo.NOTHING,
    )
