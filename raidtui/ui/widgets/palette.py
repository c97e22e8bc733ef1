"""The command palette: Textual's, as one of our dialogs, which answers once."""

from textual.command import CommandPalette

from raidtui.ui.shell.modal import Over


class Palette(CommandPalette, Over[None]):
    """The command palette, with an ASCII placeholder.

    Textual takes the styles of a widget from its first bases only, so `CommandPalette` comes first.
    """

    DEFAULT_CLASSES = ""  # it has a place of its own
    TYPES = True
    HELP = """
    Everything that raidtui can do from the page below, by name. Type a part of a name; the arrow keys mark a line, and
    Enter does it. What a page offers by a key asks the same questions here. Esc closes the list.
    """

    def __init__(self) -> None:
        super().__init__(placeholder="Search by name", id="--command-palette")
