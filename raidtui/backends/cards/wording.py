"""Commands of a family's tool for a person to type, as named in warnings and claims. Pure."""

from abc import ABC, abstractmethod

from raidtui.backends.cards.records import Adapter, Drive, Volume


class Wording(ABC):
    """The commands of one family."""

    guide: str  # the vendor's manual
    bad_blocks: str  # the family's term for lost data of a virtual drive

    @abstractmethod
    def look(self, adapter: Adapter) -> str:
        """Show the card."""

    @abstractmethod
    def look_at(self, adapter: Adapter, drive: Drive) -> str:
        """Show a drive."""

    @abstractmethod
    def look_at_foreign(self, adapter: Adapter) -> str:
        """Show a foreign configuration."""

    def look_at_preserved(self, adapter: Adapter) -> str:
        """Show which virtual drives have unwritten data in the card."""
        return self.look(adapter)

    @abstractmethod
    def free_spare(self, adapter: Adapter, drive: Drive) -> str:
        """Turn a spare into a free drive."""

    @abstractmethod
    def add_spare(self, adapter: Adapter, drive: Drive, volume: Volume) -> str:
        """Make a free drive a hot spare of a virtual drive; empty if that is not certain for this card."""

    @abstractmethod
    def write_back(self, adapter: Adapter, volume: Volume) -> str:
        """Set a virtual drive to write-back while the battery is good."""

    @abstractmethod
    def write_through(self, adapter: Adapter, volume: Volume) -> str:
        """Set a virtual drive to write-through."""

    @abstractmethod
    def drive_cache_off(self, adapter: Adapter, volume: Volume) -> str:
        """Turn the drive cache off."""

    @abstractmethod
    def checks_on(self, adapter: Adapter) -> str:
        """Turn on whichever of patrol read and consistency check is off."""
