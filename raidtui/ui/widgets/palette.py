"""Everything that can be done, by name: Textual's command palette as a dialog of ours, which answers once."""

from textual.command import CommandPalette

from raidtui.ui.shell.modal import Over


class Palette(CommandPalette, Over[None]):
    """The command palette, asked for in ASCII.

    Textual looks for the styles of a widget along its first bases only: they are those of its own palette.
    """

    def __init__(self) -> None:
        super().__init__(placeholder="Search by name", id="--command-palette")
