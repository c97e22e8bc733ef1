"""The first line of a screen or dialog: which computer it acts on."""

from collections.abc import Sequence

from raidtui.machine.whereabouts import modes
from raidtui.model.text import harmless
from raidtui.ui.shell.world import Access, World
from raidtui.ui.widgets.rail import Rail


def rail(world: World, steps: Sequence[str] = (), step: str = "") -> Rail:
    """The name of the computer behind ``world``, what may be done there, and the current one of ``steps``."""
    access = world.access
    words = modes(lab=world.in_lab, root=access is Access.ROOT, ssh=world.over_ssh)
    if access is Access.RECORDED:
        words = ("recording",)
    elif access is Access.USER:
        words = (f"{words[0]}: F2", *words[1:])
    return Rail(called(world), words, warn=access is not Access.ROOT, steps=steps, step=step)


def called(world: World) -> str:
    """The name of the computer behind ``world``; of a recording, of the one that was recorded."""
    return harmless(world.hostname) or "unnamed"
