"""The events of a unit between two readings, as sentences with styles. Pure."""

from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit, UnitMember
from raidtui.ui.care.unit_styles import BAD, GOOD, PLAIN, WARN, called


def events(before: Unit, after: Unit | None) -> tuple[tuple[str, str], ...]:
    """The events between two readings of the same unit, most important first."""
    if after is None:
        return ((f"{called(before)} was stopped", BAD),)
    found = _member_events(before, after)
    if after.health is Health.FAILED and before.health is not Health.FAILED:
        found.insert(0, (f"{called(after)} FAILED: more members are missing than it survives", BAD))
    elif after.health is Health.INACTIVE and before.health is not Health.INACTIVE:
        found.insert(0, (f"{called(after)} is inactive", BAD))
    return (*found, *_activity_events(before, after))


def _activity_events(before: Unit, after: Unit) -> tuple[tuple[str, str], ...]:
    was, now = before.activity, after.activity
    if now is not None and now.paused and not (was is not None and was.paused):
        return (("sync paused", WARN),)
    if was is not None and was.paused and not (now is not None and now.paused):
        return ((f"{now.what} resumed" if now is not None else "sync no longer paused", PLAIN),)
    if now is not None and not now.paused and (was is None or was.what != now.what):
        return ((f"{now.what} started", PLAIN),)
    if was is not None and now is None:
        if was.is_scrub:
            # Not every unit reports whether a scrub was stopped; only a complete one has a result.
            found = harmless(after.scrubbed.removeprefix(f"last {was.what}: "))
            return ((f"{was.what} ended: {found}" if found else f"{was.what} ended", PLAIN),)
        if after.health is Health.OK:
            return ((f"{was.what} finished: all members are in sync", GOOD),)
        return ((f"{was.what} ended; now {harmless(after.state.partition(':')[0])}", WARN),)
    return ()


def _member_events(before: Unit, after: Unit) -> list[tuple[str, str]]:
    old = {member.path: member for member in before.members if member.path}
    new = {member.path: member for member in after.members if member.path}
    found = []
    for path, member in new.items():
        was = old.get(path)
        name, role = _name(member), member.role
        if role == "faulty" and (was is None or was.role != "faulty"):
            found.append((f"{name} FAILED", BAD))
        elif was is None:
            found.append((f"{name} was added", PLAIN))
        elif was.slot is None and member.slot is not None and was.role != "faulty":
            # md builds a new array onto its last member, as if that were a spare.
            if after.activity is not None and after.activity.is_first:
                found.append((f"{name} is built from the others", PLAIN))
            else:
                found.append((f"spare {name} takes over slot {member.slot}", WARN))
        elif role == "in sync" and was.role != "in sync":
            found.append((f"{name} is in sync", GOOD))
    for path, member in old.items():
        if path not in new:
            removed = member.role == "faulty" or member.slot is None
            name = _name(member)
            found.append((f"{name} was removed", PLAIN) if removed else (f"{name} is GONE", BAD))
    return sorted(found, key=lambda event: event[1] != BAD)  # failures first: they are the cause of the rest


def _name(member: UnitMember) -> str:
    return f"{harmless(member.path.removeprefix('/dev/'))} ({harmless(member.disk or 'no identity')})"
