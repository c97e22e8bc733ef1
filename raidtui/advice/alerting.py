"""Decide what is reported now: from what was reported before, what is wrong now, and the time. Pure.

Each thing that is wrong is reported when it begins, once a day while it lasts, and when it ends. What comes and goes
is reported at most a few times a day; several things at once are one message. In quiet hours only danger is reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from raidtui.model.finding import Urgency
from raidtui.model.hours import Hours
from raidtui.model.struct import Record

REMIND: Final = timedelta(days=1)
_STABLE: Final = timedelta(hours=6)  # without a change, after which what had come and gone is reported again
_MOST_CHANGES: Final = 3  # of one thing in a day that are reported at once
_BURST: Final = 4  # messages in an hour; after that, only danger does not wait
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_RETRY: Final = timedelta(days=3)  # after which what could not be sent is dropped
_MOST_UNSENT: Final = 20
_GONE: Final = "gone"


class Wrong(Record, frozen=True, kw_only=True):
    """Something that is wrong now."""

    key: str  # the same as long as it lasts
    event: str  # a word for programs: the kind of the finding
    name: str  # of the unit, or whatever it is about
    text: str  # whole sentences
    urgency: Urgency
    unit: str = ""  # UUID; empty if it is about none
    once: bool = False  # reported only when it begins


class Known(Record, frozen=True, kw_only=True):
    """Something that is or was wrong."""

    wrong: Wrong
    on: bool  # it is wrong now
    told: bool  # whether the last message about it said that it is wrong
    began: str
    changed: str
    changes: tuple[str, ...]  # of the last day
    reported: str = ""  # when it was last reported; empty: never
    unread: tuple[str, ...] = ()  # what could not be read when it was seen last


class Message(Record, frozen=True, kw_only=True):
    """One message. The first of ``events`` is the most urgent."""

    subject: str
    text: str
    events: tuple[tuple[str, str, str], ...]  # word, name of the unit, sentence
    urgency: Urgency


class Unsent(Record, frozen=True, kw_only=True):
    """A message that one of the ways did not take."""

    way: str
    at: str
    message: Message
    why: str


class Reported(Record, frozen=True, kw_only=True):
    """What was reported until now."""

    at: str = ""  # the last look, ISO 8601; empty: never
    known: tuple[Known, ...] = ()
    units: Mapping[str, str] = {}  # names of the units seen, by UUID
    unread: tuple[str, ...] = ()  # what could not be read when they were all seen
    sent: tuple[str, ...] = ()  # when, in the last hour
    well: str = ""  # when "all well" was sent last, or watching began
    unsent: tuple[Unsent, ...] = ()
    failures: tuple[str, ...] = ()  # of the last sending


class Look(Record, frozen=True, kw_only=True):
    """What is seen now."""

    now: datetime  # aware
    wrong: tuple[Wrong, ...]
    units: Mapping[str, str]  # names by UUID
    unread: frozenset[str]  # what could not be read, by names that stay the same
    host: str
    quiet: Hours | None = None
    monthly: bool = False


def decide(before: Reported, look: Look) -> tuple[Message | None, Reported]:
    """The message to send now, if any, and what is then reported."""
    now, stamp = look.now, look.now.isoformat(timespec="seconds")
    is_quiet = look.quiet is not None and look.quiet.holds(now.hour * 60 + now.minute)
    absent = {uuid: name for uuid, name in before.units.items() if uuid not in look.units}
    gone = absent if look.unread <= {*before.unread} else {}
    known = _observe(before, (*look.wrong, *_gone(gone)), look, stamp)
    sent = tuple(at for at in before.sent if _since(at, now) < _HOUR)
    due = [one for one in known if _is_due(one, now, is_quiet=is_quiet)]
    dangers = [one for one in due if one.on and one.wrong.urgency >= Urgency.DANGER]
    if len(sent) >= _BURST and not dangers:
        due = []
    message = _message(look, due)
    told = {one.wrong.key for one in due}
    # A unit that is gone is remembered until that is reported, and one that may be here as long as it is not known.
    still = {uuid: name for uuid, name in before.units.items() if f"{_GONE} {uuid}" not in told}
    units = {**look.units, **(still if absent else {})}
    after = replace(
        before,
        at=stamp,
        units=units,
        unread=before.unread if absent else tuple(sorted(look.unread)),
        sent=sent,
        well=before.well or stamp,
    )
    if message is not None:
        known = [replace(one, told=one.on, reported=stamp) if one.wrong.key in told else one for one in known]
        after = replace(after, sent=(*sent, stamp))
    elif (
        look.monthly
        and not look.unread
        and not is_quiet
        and not any(one.on or one.told for one in known)
        and _month(after.well) != (now.year, now.month)
    ):
        message = _all_well(look)
        after = replace(after, sent=(*sent, stamp), well=stamp)
    # What has ended is forgotten a day later: until then it counts how often it came and went.
    kept = tuple(one for one in known if one.on or one.told or _since(one.changed, now) < _DAY)
    return message, replace(after, known=kept)


def _gone(units: Mapping[str, str]) -> Iterator[Wrong]:
    for uuid, name in units.items():
        yield Wrong(
            key=f"{_GONE} {uuid}",
            event=_GONE,
            name=name,
            text=f"{name} is not here any more. If you did not remove it, look at its disks.",
            urgency=Urgency.WARNING,
            unit=uuid,
            once=True,
        )


def _observe(before: Reported, found_wrong: Sequence[Wrong], look: Look, stamp: str) -> list[Known]:
    """What is known, with what has changed since."""
    wrong = {one.key: one for one in found_wrong}
    was = {one.wrong.key for one in before.known if one.on}
    unread = tuple(sorted(look.unread))
    found: list[Known] = []
    for one in before.known:
        here = wrong.pop(one.wrong.key, None)
        # Something else that has always been unread, as a RAID card without its tool, does not hide an end.
        on = here is not None or (one.on and not look.unread <= {*one.unread})
        changes = tuple(at for at in one.changes if _since(at, look.now) < _DAY)
        if on != one.on:
            one = replace(
                one, on=on, changed=stamp, changes=(*changes, stamp), began=stamp if on else one.began
            )
        else:
            one = replace(one, changes=changes)
        other = one.wrong.unit and any(
            other.unit == one.wrong.unit and other.urgency >= one.wrong.urgency and other.key not in was
            for other in found_wrong
        )
        if not on and (other or one.wrong.once):
            one = replace(one, told=False)  # it has become something else, and that is what is said
        found.append(replace(one, wrong=here, unread=unread) if here is not None else one)
    found += [
        Known(wrong=one, on=True, told=False, began=stamp, changed=stamp, changes=(stamp,), unread=unread)
        for one in wrong.values()
    ]
    return found


def _is_due(one: Known, now: datetime, *, is_quiet: bool) -> bool:
    if is_quiet and not (one.on and one.wrong.urgency >= Urgency.DANGER):
        return False
    if one.on and one.told:
        return not one.wrong.once and _since(one.reported, now) >= REMIND
    if one.on == one.told:
        return False
    return len(one.changes) <= _MOST_CHANGES or _since(one.changed, now) >= _STABLE


def _message(look: Look, due: Sequence[Known]) -> Message | None:
    if not due:
        return None
    order = sorted(due, key=lambda one: (not one.on, -one.wrong.urgency))
    events = tuple((_event(one), one.wrong.name, _sentence(one)) for one in order)
    first = events[0]
    more = f" and {len(events) - 1} more" if len(events) > 1 else ""
    urgency = max((one.wrong.urgency for one in due if one.on), default=Urgency.NOTE)
    word = "DANGER" if urgency is Urgency.DANGER else first[0]
    return Message(
        subject=f"{look.host}: {word}: {first[1]}{more}",
        text="\n\n".join([*(text for _, _, text in events), "'raidtui care' shows what to do."]),
        events=events,
        urgency=urgency,
    )


def _event(one: Known) -> str:
    if not one.on:
        return "ended"
    return one.wrong.event


def _sentence(one: Known) -> str:
    often = (
        f" It has changed {len(one.changes)} times in 24 hours." if len(one.changes) > _MOST_CHANGES else ""
    )
    if not one.on:
        return f"Ended: {one.wrong.text.partition(chr(10))[0]}{often}"  # without what was to do
    since = f" Since {one.began}." if one.told else ""
    return f"{one.wrong.text}{since}{often}"


def _all_well(look: Look) -> Message:
    names = ", ".join(sorted(look.units.values())) or "no units"
    text = f"All well: {names}. This is sent once a month."
    return Message(
        subject=f"{look.host}: all well", text=text, events=(("well", "", text),), urgency=Urgency.NOTE
    )


def undelivered(before: Reported, now: datetime, ways: Sequence[str]) -> tuple[Unsent, ...]:
    """What is sent again now: not what is too old, or for a way that is no longer used."""
    return tuple(one for one in before.unsent if one.way in ways and _since(one.at, now) < _RETRY)


def with_unsent(after: Reported, unsent: Sequence[Unsent]) -> Reported:
    """``after`` with what was not sent: the newest of it."""
    reasons = dict.fromkeys(f"{one.way}: {one.why}" for one in unsent)
    return replace(after, unsent=tuple(unsent)[-_MOST_UNSENT:], failures=tuple(reasons))


def _since(stamp: str, now: datetime) -> timedelta:
    """The time since ``stamp``; long if it is not known, or in the future: the clock was wrong then."""
    try:
        passed = now - datetime.fromisoformat(stamp)
    except (ValueError, TypeError):
        return timedelta.max
    return passed if passed >= -_HOUR else timedelta.max


def _month(stamp: str) -> tuple[int, int] | None:
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return at.year, at.month
