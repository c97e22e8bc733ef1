"""The answers passed on when the wizard is reopened as root."""

from raidtui.model.struct import Record
from raidtui.ui.wizard.draft import Draft


class Answers(Record, frozen=True):
    """The answers so far, and the screens that led to the current one."""

    draft: Draft
    places: tuple[str, ...] = ("overview",)
