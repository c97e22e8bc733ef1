"""The first line of a screen or dialog: which computer it acts on."""

from collections.abc import Sequence

from raidtui.ui.shell.whose import access_words, called
from raidtui.ui.shell.world import Access, World
from raidtui.ui.widgets.rail import Rail


def rail(world: World, steps: Sequence[str] = (), step: str = "") -> Rail:
    """The name of the computer behind ``world``, what may be done there, and the current one of ``steps``."""
    access, words = world.access, access_words(world)
    if access is Access.USER:
        words = (f"{words[0]}: F2", *words[1:])
    return Rail(called(world), words, warn=access is not Access.ROOT, steps=steps, step=step)
