"""The command palette: Textual's, as one of our dialogs, which answers once."""

from textual.command import CommandPalette

from raidtui.ui.shell.modal import Over


class Palette(CommandPalette, Over[None]):
    """The command palette, with an ASCII placeholder.

    Textual takes the styles of a widget from its first bases only, so `CommandPalette` comes first.
    """

    TYPES = True

    def __init__(self) -> None:
        super().__init__(placeholder="Search by name", id="--command-palette")
