"""storcli commands for a person to type, as in the MegaRAID SAS Software User Guide. Pure."""

from typing import Final

from raidtui.backends.cards.records import Adapter
from raidtui.backends.cards.wording import Wording
from raidtui.backends.megaraid.answer import why_not
from raidtui.machine.locating import CardLight


def _checks_on(adapter: Adapter) -> str:
    off = (
        ("patrolread=on mode=auto", adapter.patrol_read),
        ("consistencycheck=conc delay=168", adapter.consistency_check),
    )
    return "; ".join(f"{adapter.tool} /c{adapter.number} set {to}" for to, on in off if on is False)


STORCLI: Final = Wording(
    guide="MegaRAID SAS Software User Guide",
    bad_blocks="bad blocks",
    silent=("J", "nolog"),
    look=lambda adapter: f"{adapter.tool} /c{adapter.number} show all",
    look_at=lambda adapter, drive: f"{adapter.tool} {drive.place} show all",
    look_at_foreign=lambda adapter: f"{adapter.tool} /c{adapter.number}/fall show all",
    look_at_preserved=lambda adapter: f"{adapter.tool} /c{adapter.number} show preservedcache",
    free_spare=lambda adapter, drive: f"{adapter.tool} {drive.place} delete hotsparedrive",
    add_spare=lambda adapter, drive, volume: (
        f"{adapter.tool} {drive.place} add hotsparedrive dgs={volume.group}" if volume.group else ""
    ),
    write_back=lambda adapter, volume: f"{adapter.tool} {volume.place} set wrcache=wb",
    write_through=lambda adapter, volume: f"{adapter.tool} {volume.place} set wrcache=wt",
    drive_cache_off=lambda adapter, volume: f"{adapter.tool} {volume.place} set pdcache=off",
    rebuild=lambda adapter, drive: f"{adapter.tool} {drive.place} start rebuild",
    light=lambda adapter, drive: CardLight(
        on=(adapter.tool, drive.place, "start", "locate", "J", "nolog"),
        off=(adapter.tool, drive.place, "stop", "locate", "J", "nolog"),
        why_not=why_not,
    ),
    checks_on=_checks_on,
)
