"""A level of a backend: what it is for, what it takes, and what can be chosen with it."""

from collections.abc import Iterable, Mapping

from raidtui.model.struct import Record


class Level(Record, frozen=True, kw_only=True):
    """One level. What it gives on given disks are its backend's `raidtui.backends.facts.Facts`."""

    name: str
    shown: str = ""  # as people write it where that is not its name: RAID5
    also: tuple[
        str, ...
    ] = ()  # what other tools call it: no word of a spec, the error that refuses it says this level
    min_disks: int  # fewest that are taken
    redundant: bool = True  # whether any one disk may fail
    title: str = ""  # a few words for a table
    explains: str = ""  # what it does, what it is for and what it costs
    suits: str = ""  # what to take it for, in a line of 36 characters
    pros: tuple[str, ...] = ()  # lines of 44 characters, beside what the figures say
    cons: tuple[str, ...] = ()
    rare: bool = False  # few people choose it: folded until every level is asked for
    has_chunk: bool = False
    layouts: tuple[str, ...] = ()  # words to choose from; of raid10 the common ones
    default_layout: str = ""
    min_disks_of: Mapping[str, int] = {}  # of the layouts that take more disks than the level does
    called_with_layout: bool = False  # another layout is as good as another level: raid10 n2, raid10 f2
    placed_as: str = ""  # the level of md whose data lies on the disks alike; empty: the one of its name
    placed: str = ""  # where its data lies, in words, where no map of it can be drawn; {} is the layout
    builds: bool = True  # false: it can be calculated only, also where its backend builds others
    consistencies: tuple[str, ...] = ()  # allowed, the default first

    @property
    def has_layout(self) -> bool:
        """Whether a layout can be chosen."""
        return bool(self.layouts)

    @property
    def placement(self) -> str:
        """The level of md whose data lies on the disks alike."""
        return self.placed_as or self.name

    def layouts_on(self, disks: int) -> tuple[str, ...]:
        """The layouts to choose from that ``disks`` members have room for."""
        return tuple(one for one in self.layouts if self.min_disks_of.get(one, 0) <= disks)


def other_words(levels: Iterable[Level]) -> dict[str, str]:
    """What other tools call these levels, and the name of each, of the first that is called so: ``mirror`` is raid1."""
    return {word: level.name for level in reversed(tuple(levels)) for word in level.also}
