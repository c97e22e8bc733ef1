"""storcli commands for a person to type, as in the MegaRAID SAS Software User Guide. Pure."""

import posixpath
import re
from typing import Final

from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.backends.megaraid.answer import why_not
from raidtui.machine.locating import CardLight

_SLOT: Final = re.compile(r"[0-9]+:[0-9]+")
_PAUSED: Final = {
    "rebuild": "rebuild",
    "copyback": "copyback",
    "consistency check": "cc",
    "background initialization": "bgi",
}
"""What can be paused and resumed, with the tool's word for it."""


def _checks_on(adapter: Adapter) -> str:
    off = (
        ("patrolread=on mode=auto", adapter.patrol_read),
        ("consistencycheck=conc delay=168", adapter.consistency_check),
    )
    return "; ".join(f"{adapter.tool} /c{adapter.number} set {to}" for to, on in off if on is False)


def _add_spare(adapter: Adapter, drive: Drive, volume: Volume | None) -> str:
    if volume is None:
        return f"{adapter.tool} {drive.place} add hotsparedrive"
    return f"{adapter.tool} {drive.place} add hotsparedrive dgs={volume.group}" if volume.group else ""


def _copy(adapter: Adapter, old: Drive, new: Drive) -> str:
    """storcli2 has another word for it, and the target must be named by its enclosure too."""
    if posixpath.basename(adapter.tool).endswith("2") or not _SLOT.fullmatch(new.slot):
        return ""
    return f"{adapter.tool} {old.place} start copyback target={new.slot}"


def _pause(adapter: Adapter, verb: str, place: str, what: str) -> str:
    return f"{adapter.tool} {place} {verb} {_PAUSED[what]}" if place and what in _PAUSED else ""


STORCLI: Final = Wording(
    guide="MegaRAID SAS Software User Guide",
    bad_blocks="bad blocks",
    silent=("J", "nolog"),
    look=lambda adapter: f"{adapter.tool} /c{adapter.number} show all",
    look_at=lambda adapter, drive: f"{adapter.tool} {drive.place} show all",
    look_at_foreign=lambda adapter: f"{adapter.tool} /c{adapter.number}/fall show all",
    look_at_preserved=lambda adapter: f"{adapter.tool} /c{adapter.number} show preservedcache",
    free_spare=lambda adapter, drive: f"{adapter.tool} {drive.place} delete hotsparedrive",
    add_spare=_add_spare,
    copy=_copy,
    pause=_pause,
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
