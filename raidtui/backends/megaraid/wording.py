"""Commands of storcli and its relatives for a person to type. Pure."""

from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.backends.cards.wording import Wording


class StorcliWording(Wording):
    """storcli, storcli2 and perccli."""

    guide = "MegaRAID SAS Software User Guide"
    bad_blocks = "bad blocks"

    def look(self, adapter: Adapter) -> str:
        return f"{adapter.tool} /c{adapter.number} show all"

    def look_at(self, adapter: Adapter, drive: Drive) -> str:
        return f"{adapter.tool} {drive.place} show all"

    def look_at_foreign(self, adapter: Adapter) -> str:
        return f"{adapter.tool} /c{adapter.number}/fall show all"

    def look_at_preserved(self, adapter: Adapter) -> str:
        return f"{adapter.tool} /c{adapter.number} show preservedcache"

    def free_spare(self, adapter: Adapter, drive: Drive) -> str:
        return f"{adapter.tool} {drive.place} delete hotsparedrive"

    def add_spare(self, adapter: Adapter, drive: Drive, volume: Volume) -> str:
        return f"{adapter.tool} {drive.place} add hotsparedrive dgs={volume.group}" if volume.group else ""

    def write_back(self, adapter: Adapter, volume: Volume) -> str:
        return f"{adapter.tool} {volume.place} set wrcache=wb"

    def write_through(self, adapter: Adapter, volume: Volume) -> str:
        return f"{adapter.tool} {volume.place} set wrcache=wt"

    def drive_cache_off(self, adapter: Adapter, volume: Volume) -> str:
        return f"{adapter.tool} {volume.place} set pdcache=off"

    def checks_on(self, adapter: Adapter) -> str:
        off = (
            ("patrolread=on mode=auto", adapter.patrol_read),
            ("consistencycheck=conc delay=168", adapter.consistency_check),
        )
        return "; ".join(f"{adapter.tool} /c{adapter.number} set {to}" for to, on in off if on is False)
