"""Which computer the wizard acts on, and what may be done there, in words. Does not load Textual."""

from raidtui.machine.whereabouts import modes
from raidtui.model.text import harmless
from raidtui.ui.shell.world import Access, World


def called(world: World) -> str:
    """The name of the computer behind ``world``; of a recording, of the one that was recorded."""
    return harmless(world.hostname) or "unnamed"


def access_words(world: World) -> tuple[str, ...]:
    """What may be done there and how it was reached: ``root``, ``ssh``; of a recording, that it is one."""
    if world.access is Access.RECORDED:
        return ("recording",)
    return modes(lab=world.in_lab, root=world.access is Access.ROOT, ssh=world.over_ssh)


def jobs_then(*, in_lab: bool) -> str:
    """A phrase: what happens to jobs after quitting."""
    return "jobs end with the lab" if in_lab else "jobs run on"
