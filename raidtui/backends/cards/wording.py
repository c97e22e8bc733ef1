"""What a person types at the tool of a family of cards: the commands that warnings and claims name. Pure."""

from abc import ABC, abstractmethod

from raidtui.backends.cards.records import Adapter, Drive, Volume


class Wording(ABC):
    """The commands of one family."""

    guide: str  # where the vendor says what is right
    bad_blocks: str  # what the family calls data of a virtual drive that the card has lost

    @abstractmethod
    def look(self, adapter: Adapter) -> str:
        """Shows the card."""

    @abstractmethod
    def look_at(self, adapter: Adapter, drive: Drive) -> str:
        """Shows a drive."""

    @abstractmethod
    def look_at_foreign(self, adapter: Adapter) -> str:
        """Shows a foreign configuration."""

    def look_at_preserved(self, adapter: Adapter) -> str:
        """Shows of which virtual drives the card keeps unwritten data."""
        return self.look(adapter)

    @abstractmethod
    def free_spare(self, adapter: Adapter, drive: Drive) -> str:
        """Makes a spare a free drive."""

    @abstractmethod
    def write_back(self, adapter: Adapter, volume: Volume) -> str:
        """Has a virtual drive write back as long as the battery is good."""

    @abstractmethod
    def write_through(self, adapter: Adapter, volume: Volume) -> str:
        """Has a virtual drive write through."""

    @abstractmethod
    def drive_cache_off(self, adapter: Adapter, volume: Volume) -> str:
        """Turns the drive cache off."""

    @abstractmethod
    def patrol_on(self, adapter: Adapter) -> str:
        """Has the card look for bad sectors by itself."""
