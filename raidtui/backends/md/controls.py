"""The controls of an array, through md's sysfs files (Documentation/admin-guide/md.rst)."""

import os
from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.control import Control, Nights, Order, PutBack, Write
from raidtui.backends.pace import NORMAL, PACES, Pace, next_pace
from raidtui.model.md_levels import loses_all_with_one
from raidtui.model.unit import Health, Limits, Unit
from raidtui.model.units import KIB, SECTOR

_GENTLE: Final = 1000  # KiB/s of each member, md's default: above it the check gives way to all other I/O


def controls(unit: Unit) -> Mapping[Control, Order]:
    """The controls that ``unit`` takes now; none if its level never syncs or it does not run."""
    if not unit.node or loses_all_with_one(unit.level) or unit.health in {Health.FAILED, Health.INACTIVE}:
        return {}
    return dict(_controls(unit, _folder(unit)))


def _folder(unit: Unit) -> str:
    return f"/sys/block/{os.path.basename(unit.node)}/md"


def _controls(unit: Unit, md: str) -> Iterator[tuple[Control, Order]]:
    doing = unit.activity
    if doing is None:
        if unit.health in {Health.OK, Health.ERRORS} and not unit.read_only:
            yield Control.SCRUB, Order(actions=(*_whole(md), _do(md, "check")), message="Scrub started.")
        if unit.limits is not None and unit.limits.own:
            yield Control.RESTORE, Order(actions=(_put_back(md),))
        return
    name = doing.what[:1].upper() + doing.what[1:]
    if doing.paused:
        yield Control.RESUME, _action(md, "idle", f"{name} resumed.")
        return
    if doing.is_scrub:  # stop, not pause: md would start it over
        yield Control.STOP, _action(md, "idle", "Scrub stopped.")
    else:
        yield Control.PAUSE, _action(md, "frozen", f"{name} paused. p resumes it.")
    yield from _paces(unit.limits, md)


def _action(md: str, word: str, message: str) -> Order:
    return Order(actions=(_do(md, word),), message=message)


def _do(md: str, word: str) -> Write:
    return Write(path=f"{md}/sync_action", text=word)


def _whole(md: str) -> tuple[Write, ...]:
    """A check that was stopped leaves its place behind, and the next one would begin there.

    The next start puts that place right. Until then it shows that the check is incomplete.
    """
    return Write(path=f"{md}/sync_min", text="0"), Write(path=f"{md}/sync_max", text="max")


def _paces(limits: Limits | None, md: str) -> Iterator[tuple[Control, Order]]:
    for control, step in ((Control.FASTER, 1), (Control.SLOWER, -1)):
        pace = next_pace(limits, step) if limits is not None else None
        if pace is not None:
            actions = (_put_back(md),) if pace == PACES[NORMAL] else tuple(_limits(md, pace))
            yield control, Order(actions=actions, message=f"Speed limits: {pace.words}.")


def _limits(md: str, pace: Pace) -> Iterator[Write]:
    """The maximum first: md refuses a minimum above it."""
    for name, value in (("sync_speed_max", pace.maximum), ("sync_speed_min", pace.minimum)):
        if value is not None:
            yield Write(path=f"{md}/{name}", text=str(value // KIB), keep=True)


def _put_back(md: str) -> PutBack:
    return PutBack(paths=(f"{md}/sync_speed_max", f"{md}/sync_speed_min"))


def _begin(unit: Unit, place: int) -> Order:
    """A check from ``place`` on. A lower limit than the usual minimum of speed stays."""
    md, limits = _folder(unit), unit.limits
    first, last = _whole(md)
    gentle = (
        (Write(path=f"{md}/sync_speed_min", text=str(_GENTLE), keep=True),)
        if limits is not None and (limits.least or 0) > _GENTLE * KIB
        else ()
    )
    start = Write(path=first.path, text=str(place // SECTOR // 8 * 8))  # md rounds down to 4 KiB itself
    return Order(actions=(*gentle, last, start, _do(md, "check")), message="Scrub started.")


def _end(unit: Unit) -> Order:
    """Nothing of it may stay: a place that is left behind cuts the next check, and a limit each rebuild."""
    md = _folder(unit)
    return Order(actions=(_do(md, "idle"), *_whole(md), _put_back(md)), message="Scrub stopped.")


NIGHTS: Final = Nights(begin=_begin, end=_end)
