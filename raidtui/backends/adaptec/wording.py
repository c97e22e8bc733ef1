"""arcconf commands for a person to type (ARCCONF Command Line Utility User's Guide). Pure."""

from typing import Final

from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.backends.cards.wording import Wording

SMARTRAID: Final = "smartpqi"
"""The driver of SmartRAID cards."""


class ArcconfWording(Wording):
    """arcconf."""

    guide = "ARCCONF Command Line Utility User's Guide"
    bad_blocks = "failed stripes"

    def look(self, adapter: Adapter) -> str:
        return f"{adapter.tool} GETCONFIG {adapter.number} AD"

    def look_at(self, adapter: Adapter, drive: Drive) -> str:
        return f"{adapter.tool} GETCONFIG {adapter.number} PD {drive.place}"

    def look_at_foreign(self, adapter: Adapter) -> str:
        return f"{adapter.tool} GETCONFIG {adapter.number} PD"

    def free_spare(self, adapter: Adapter, drive: Drive) -> str:
        return f"{adapter.tool} SETSTATE {adapter.number} DEVICE {drive.place} RDY"

    def add_spare(self, adapter: Adapter, drive: Drive, volume: Volume) -> str:
        if adapter.driver == SMARTRAID:  # assigns spares to arrays, whose numbers are not read
            return ""
        return (
            f"{adapter.tool} SETSTATE {adapter.number} DEVICE {drive.place} HSP LOGICALDRIVE {volume.number}"
        )

    def write_back(self, adapter: Adapter, volume: Volume) -> str:
        if adapter.driver == SMARTRAID:
            return f"{adapter.tool} SETCACHE {adapter.number} NOBATTERYWRITECACHE disable"
        return f"{adapter.tool} SETCACHE {adapter.number} LOGICALDRIVE {volume.number} WBB"

    def write_through(self, adapter: Adapter, volume: Volume) -> str:
        if adapter.driver == SMARTRAID:
            return f"{adapter.tool} SETCACHE {adapter.number} NOBATTERYWRITECACHE disable"
        return f"{adapter.tool} SETCACHE {adapter.number} LOGICALDRIVE {volume.number} WT"

    def drive_cache_off(self, adapter: Adapter, volume: Volume) -> str:
        if adapter.driver == SMARTRAID:
            return f"{adapter.tool} SETCACHE {adapter.number} DRIVEWRITECACHEPOLICY"
        drives = (adapter.drive(slot) for slot in volume.slots)
        places = [one.place for one in drives if one is not None and one.drive_cache]
        return "; ".join(f"{adapter.tool} SETCACHE {adapter.number} DEVICE {place} WT" for place in places)

    def checks_on(self, adapter: Adapter) -> str:
        return f"{adapter.tool} CONSISTENCYCHECK {adapter.number} ON"
