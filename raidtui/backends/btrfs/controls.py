"""The controls of a Btrfs: its scrub (btrfs-scrub(8)), which resumes where it was canceled."""

from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.btrfs.signs import FOLDER
from raidtui.backends.control import Control, Nights, Order, Write
from raidtui.backends.pace import next_pace, pace_of
from raidtui.model.plan import Run
from raidtui.model.unit import Health, Unit

_SCRUB: Final = "scrub"
_NO_LIMIT: Final = 0


def controls(unit: Unit) -> Mapping[Control, Order]:
    """The controls that ``unit`` takes now; none if it is not mounted."""
    return dict(_controls(unit, unit.mountpoints[0])) if unit.mountpoints else {}


def _controls(unit: Unit, place: str) -> Iterator[tuple[Control, Order]]:
    doing, limits = unit.activity, unit.limits
    if doing is None:
        if unit.resumable:
            yield Control.RESUME, _scrub("resume", place, message="Scrub resumed.")
        if unit.health in {Health.OK, Health.ERRORS}:
            yield Control.SCRUB, _scrub("start", place, message="Scrub started.")
        if limits is not None and limits.own and pace_of(limits) is not None:
            yield Control.RESTORE, _most(unit, _NO_LIMIT)
    elif doing.what == _SCRUB:
        yield Control.STOP, _scrub("cancel", place, message="Scrub stopped. It can be resumed from there.")
        for control, step in ((Control.FASTER, 1), (Control.SLOWER, -1)):
            pace = next_pace(limits, step) if limits is not None else None
            if pace is not None:
                yield control, _most(unit, pace.maximum or _NO_LIMIT, f"Speed limits: {pace.words}.")


def _scrub(verb: str, place: str, *, message: str) -> Order:
    return Order(actions=(Run(argv=("btrfs", _SCRUB, verb, place)),), message=message)


def _most(unit: Unit, bytes_per_second: int, message: str = "") -> Order:
    """Set the limit of each device, available since Linux 5.14; 0: none."""
    numbers = dict.fromkeys(one.slot for one in unit.members if one.slot is not None and one.path)
    paths = [f"{FOLDER}/{unit.uuid}/devinfo/{number}/scrub_speed_max" for number in numbers]
    return Order(
        actions=tuple(Write(path=path, text=str(bytes_per_second)) for path in paths), message=message
    )


NIGHTS: Final = Nights(  # btrfs-scrub(8): it reads in the idle class by default
    begin=lambda unit, _: _scrub(
        "resume" if unit.resumable else "start", unit.mountpoints[0], message="Scrub started."
    ),
    end=lambda unit: _scrub("cancel", unit.mountpoints[0], message="Scrub stopped."),
)
