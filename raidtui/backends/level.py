"""A level of a backend: its purpose, its requirements and its options."""

from collections.abc import Mapping

from raidtui.model.struct import Record


class Level(Record, frozen=True, kw_only=True):
    """One level. For what it gives on particular disks, see `raidtui.backends.facts.Facts`."""

    name: str
    shown: str = ""  # the usual spelling, if it is not the name: RAID5
    also: tuple[
        str, ...
    ] = ()  # its names in other tools; a spec does not take them, but the error suggests this level
    replaces: Mapping[str, str] = {}  # older types that it replaces → the hint of the error
    min_disks: int  # fewest it takes
    redundant: bool = True  # whether any one disk may fail
    title: str = ""  # a few words for a table
    explains: str = ""  # what it does, what it is for and what it costs
    suits: str = ""  # what to use it for, in a line of 36 characters
    pros: tuple[str, ...] = ()  # lines of 44 characters, in addition to the figures
    cons: tuple[str, ...] = ()
    rare: bool = False  # seldom chosen: hidden until every level is shown
    has_chunk: bool = False
    layouts: tuple[str, ...] = ()  # words to choose from; for raid10 the common ones
    default_layout: str = ""
    min_disks_of: Mapping[str, int] = {}  # for layouts that need more disks than the level does
    # Layouts differ as much as levels do, so both are named: raid10 n2, raid10 f2.
    called_with_layout: bool = False
    placed_as: str = ""  # the md level with the same data placement; empty: the one of the same name
    placed: str = ""  # the data placement in words, if it cannot be mapped; {} is the layout
    consistencies: tuple[str, ...] = ()  # those allowed, the default first

    @property
    def has_layout(self) -> bool:
        """Whether a layout can be chosen."""
        return bool(self.layouts)

    @property
    def placement(self) -> str:
        """The md level that places data on the disks in the same way."""
        return self.placed_as or self.name

    def layouts_on(self, disks: int) -> tuple[str, ...]:
        """The layouts that can be chosen with this number of disks."""
        return tuple(one for one in self.layouts if self.min_disks_of.get(one, 0) <= disks)


def by_name(*levels: Level) -> dict[str, Level]:
    """The levels of a backend by their names, in display order."""
    return {level.name: level for level in levels}
