"""What goes along when the wizard is opened again as root."""

from raidtui.model.struct import Record
from raidtui.ui.wizard.draft import Draft


class Answers(Record, frozen=True):
    """What goes along: everything that was answered, and the way of screens on which it was."""

    draft: Draft
    places: tuple[str, ...] = ("overview",)
