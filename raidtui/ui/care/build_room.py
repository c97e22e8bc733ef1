"""How the lines of the Build screen are shared between the sync of what was built, the steps and their output. Pure."""

from typing import Final, NamedTuple

TALL: Final = 34  # lines of a terminal with room for steps and sync together
_STEPS: Final = 10  # lines of the list of steps in a lower terminal
_LAST_STEPS: Final = 2  # lines of it that remain if the built array needs the room
_OUTPUT: Final = 3  # minimum lines of a step's output below the list, with the line above it
_AROUND: Final = 7  # lines of rail, heading, keys, what was built and what to do next
_SYNC: Final = 6  # lines of a sync, with a line above and below
MEMBERS: Final = 4  # minimum lines of the list of members
_MOST_MEMBERS: Final = 9  # lines reserved for it


class Room(NamedTuple):
    """A terminal, and what is to be shown in it."""

    height: int
    beside: bool  # the output is beside the steps
    built: bool
    steps: int
    members: int

    @property
    def list_height(self) -> int:
        """Lines of the list of steps with its header, so that the rest has room."""
        return min(self.steps + 1, _STEPS if self.height < TALL else self.height // 2)

    @property
    def _panes(self) -> int:
        return self.list_height + (0 if self.beside else _OUTPUT)

    @property
    def is_tight(self) -> bool:
        """Whether the built array leaves room for the last steps only."""
        members = min(self.members + 1, _MOST_MEMBERS)
        return self.built and self.height < _AROUND + self._panes + _SYNC + members

    def left_for_members(self, around: int, lines: int) -> int:
        """Lines left for members and events.

        Args:
            around: lines of what was built and of what to do next.
            lines: of the state of the sync.
        """
        # 3: rail, heading and keys; 2: a blank line around this panel and above the members.
        return self.height - 3 - around - (_LAST_STEPS if self.is_tight else self._panes) - 2 - lines
