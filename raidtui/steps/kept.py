"""The step that keeps on this computer what is written over on members, which a rollback puts back."""

from collections.abc import Sequence

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Role, Run, Step
from raidtui.model.recovery import KEPT_FILE, KEPT_LINE
from raidtui.steps.devices import PRESENT
from raidtui.steps.files import LINE_IN


def is_kept(folder: str) -> Check:
    """All of it is in ``folder``, and was not put back."""
    return LINE_IN.of(f"{folder}/{KEPT_FILE}", KEPT_LINE)


def keep_step(
    folder: str,
    devices: Sequence[str],
    machine: Machine,
    *,
    what: str,
    of: str,
    reason: str,
    undo_note: str,
    words: Sequence[str] = (),
    before: Sequence[Check] = (),
) -> Step:
    """Keep what ``raidtui recover --keep`` takes of ``devices`` in ``folder``.

    Args:
        what: is kept, in a word: superblocks.
        of: whose it is, in words.
        words: further ones of that command.

    Raises:
        Refused: it is not known how raidtui is started here.
    """
    program = machine.system.program
    if not program:
        raise Refused(f"it is not known how raidtui is started here, which has to keep the {what}")
    return Step(
        id="keep",
        role=Role.MEMBER,
        title=f"Keep the {what} of {of}",
        reason=reason,
        actions=(Run(argv=(*program, "recover", "--keep", folder, "--disks", ",".join(devices), *words)),),
        before=(*before, *(PRESENT.of(one) for one in devices)),
        after=(is_kept(folder),),
        undo=(Run(argv=(*program, "recover", "--put-back", folder)),),
        undo_note=undo_note,
    )
