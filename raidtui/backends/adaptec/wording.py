"""arcconf commands for a person to type (ARCCONF Command Line Utility User's Guide). Pure."""

from typing import Final

from raidtui.backends.adaptec.answer import why_not
from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.records import Adapter, Drive, Volume
from raidtui.machine.locating import CardLight

SMARTRAID: Final = "smartpqi"
"""The driver of SmartRAID cards."""
_BLINK_SECONDS: Final = 10


def _look(adapter: Adapter) -> str:
    return f"{adapter.tool} GETCONFIG {adapter.number} AD"


def _add_spare(adapter: Adapter, drive: Drive, volume: Volume | None) -> str:
    if adapter.driver == SMARTRAID:  # assigns spares to arrays, whose numbers are not read
        return ""
    of = f" LOGICALDRIVE {volume.number}" if volume is not None else ""
    return f"{adapter.tool} SETSTATE {adapter.number} DEVICE {drive.place} HSP{of}"


def _light(adapter: Adapter, drive: Drive) -> CardLight:
    """Without TIME arcconf blinks until a key is pressed; some versions wait until the time is over."""
    identify = (adapter.tool, "IDENTIFY", str(adapter.number), "DEVICE", *drive.place.split())
    return CardLight(
        on=(*identify, "TIME", str(_BLINK_SECONDS), "noprompt"),
        off=(*identify, "STOP", "noprompt"),
        why_not=why_not,
        again_seconds=_BLINK_SECONDS,
    )


def _policy(adapter: Adapter, volume: Volume, word: str) -> str:
    if adapter.driver == SMARTRAID:
        return f"{adapter.tool} SETCACHE {adapter.number} NOBATTERYWRITECACHE disable"
    return f"{adapter.tool} SETCACHE {adapter.number} LOGICALDRIVE {volume.number} {word}"


def _drive_cache_off(adapter: Adapter, volume: Volume) -> str:
    if adapter.driver == SMARTRAID:
        return f"{adapter.tool} SETCACHE {adapter.number} DRIVEWRITECACHEPOLICY"
    places = [one.place for one in adapter.drives_of(volume) if one.drive_cache]
    return "; ".join(f"{adapter.tool} SETCACHE {adapter.number} DEVICE {place} WT" for place in places)


ARCCONF: Final = Wording(
    guide="ARCCONF Command Line Utility User's Guide",
    bad_blocks="failed stripes",
    silent=("noprompt",),
    look=_look,
    look_at=lambda adapter, drive: f"{adapter.tool} GETCONFIG {adapter.number} PD {drive.place}",
    look_at_foreign=lambda adapter: f"{adapter.tool} GETCONFIG {adapter.number} PD",
    look_at_preserved=_look,
    free_spare=lambda adapter, drive: f"{adapter.tool} SETSTATE {adapter.number} DEVICE {drive.place} RDY",
    add_spare=_add_spare,
    copy=lambda adapter, old, new: "",  # its copy back begins by itself, and only after a drive has failed
    pause=lambda adapter, verb, place, what: "",
    write_back=lambda adapter, volume: _policy(adapter, volume, "WBB"),
    write_through=lambda adapter, volume: _policy(adapter, volume, "WT"),
    drive_cache_off=_drive_cache_off,
    rebuild=lambda adapter, drive: "",
    light=_light,
    checks_on=lambda adapter: f"{adapter.tool} CONSISTENCYCHECK {adapter.number} ON",
)
