"""Units in words, the same for the command line and the screens. Pure."""

from collections.abc import Iterable, Iterator

from raidtui.backends.registry import backend
from raidtui.backends.units import unit_on
from raidtui.model.chance import share
from raidtui.model.lost import LostMember
from raidtui.model.text import spelled
from raidtui.model.unit import Activity, Unit, UnitMember
from raidtui.model.units import both, duration, rate


def activity_words(activity: Activity) -> str:
    """Progress and rate: "rebuild 12.5 %, 55.0 MB/s"."""
    rate_now = activity.bytes_per_second if not activity.paused and not activity.waiting else None
    return f"{progress_words(activity)}{f', {rate(rate_now)}' if rate_now else ''}"


def progress_words(activity: Activity) -> str:
    """Progress, or why there is none: "rebuild 12.5 %", "resync paused"."""
    if activity.paused:
        return f"{activity.what} paused"
    return f"{activity.what} {activity.waiting or share(activity.fraction)}"


def reported_time_left(activity: Activity) -> str:
    """The time left as reported, if there is no rate: "3 h left", from a RAID card."""
    if activity.bytes_per_second is not None or activity.seconds_left is None:
        return ""
    return f"{duration(activity.seconds_left)} left"


def state_words(how: str, doing: Activity | None) -> str:
    """The state of a unit and the progress of its activity: "mounted, balance 12.5 %"."""
    return f"{how}, {progress_words(doing)}" if doing is not None else how


def member_words(member: UnitMember) -> str:
    """The state of a member and any note about it: "in sync, 7 media errors"."""
    return ", ".join(filter(None, (member.state, member.note)))


def lost_words(lost: LostMember) -> str:
    """Describe a lost member, and whether its disk is connected.

    "lost: WD-WCC7K0013, WDC WD40EFRX, last at ata3 as sdc1, slot 1, faulty", or
    "not in it now: WD-WCC7K0013, WDC WD40EFRX, connected as sdc, was slot 1, faulty".
    """
    where = f"last at {lost.place} as" if lost.place else "last seen as"
    where = f"{where} {lost.path.removeprefix('/dev/')}"
    if lost.here:
        where = f"connected as {lost.here.removeprefix('/dev/')}"
    states = [word.replace("_", " ") for word in lost.state]
    role = "" if lost.slot is None else f"slot {lost.slot}"
    role, *states = (word for word in (role, *states) if word) if role or states else ("",)
    if lost.here and role:
        role = f"was {role}"
    words = [lost.disk, lost.model, where, role, *states]
    return f"{'not in it now' if lost.here else 'lost'}: {', '.join(filter(None, words))}"


def with_noun(unit: Unit) -> str:
    """What kind of unit, and its name: "volume group tank"."""
    return f"{backend(unit.backend).noun} {unit.shown}"


def within(unit: Unit, units: Iterable[Unit]) -> str:
    """Which of ``units`` is built on ``unit``: "in the volume group tank"; empty if none is."""
    above = unit_on(unit, units)
    return f"in the {with_noun(above)}" if above is not None else ""


def head_line(unit: Unit, inside: str = "") -> str:
    """A unit in one line: "tank (/dev/md/tank): array, RAID5, 12.0 TB (10.9 TiB), mounted at /srv".

    Args:
        inside: the unit built on it, in words.
    """
    size = both(unit.size_bytes) if unit.size_bytes else ""
    places = (f"mounted at {place}" for place in unit.mountpoints)
    about = ", ".join(filter(None, (backend(unit.backend).noun, spelled(unit.level), size, *places, inside)))
    where = f" ({unit.path})" if unit.path not in {"", unit.name} else ""
    return f"{unit.shown}{where}: {about}"


def member_line(member: UnitMember) -> str:
    """A member in one line: slot, device, disk and state."""
    slot = "-" if member.slot is None else str(member.slot)
    disk = member.where
    if not (member.path or disk):
        return f"  {slot:>2}  {member_words(member)}"
    return f"  {slot:>2}  {member.path or 'missing'}  {disk:<12}  {member_words(member):<10}"


def unit_lines(unit: Unit, inside: str = "") -> Iterator[str]:
    """A unit in lines: what and where it is (see `head_line`), its state, activity, last scrub and members."""
    yield head_line(unit, inside)
    yield f"  {unit.state}"
    yield from (f"  {line}" for line in unit.details)
    if unit.activity is not None and (words := activity_words(unit.activity)) not in unit.state:
        yield f"  {words}"
    if unit.scrubbed:
        yield f"  {unit.scrubbed}"
    yield from (member_line(member).rstrip() for member in unit.members)
    if unit.unread:
        yield f"  cannot read what is on it: {unit.unread}"
