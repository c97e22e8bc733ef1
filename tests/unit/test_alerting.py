"""What is reported when: once when it begins, once a day while it lasts, once when it ends, and never a storm."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui.advice.alerting import Look, Message, Reported, Wrong, decide, undelivered
from raidtui.model.finding import Urgency
from raidtui.model.hours import Hours

NOON: Final = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
FIVE: Final = timedelta(minutes=5)


def wrong(key: str = "degraded tank", urgency: Urgency = Urgency.WARNING, unit: str = "u") -> Wrong:
    return Wrong(key=key, event="degraded", name="tank", text=f"{key}.", urgency=urgency, unit=unit)


def look(now: datetime, *found: Wrong, **more: object) -> Look:
    given = {"units": {"u": "tank"}, "unread": frozenset(), "host": "nas", **more}
    return Look(now=now, wrong=found, **given)  # type: ignore[arg-type]


def run(looks: Sequence[Look], before: Reported | None = None) -> list[Message | None]:
    state, found = before or Reported(), []
    for one in looks:
        message, state = decide(state, one)
        found.append(message)
    return found


def subjects(found: Sequence[Message | None]) -> list[str]:
    return [one.subject for one in found if one is not None]


def test_said_when_it_begins_each_day_and_when_it_ends() -> None:
    looks = [look(NOON + FIVE * at, wrong()) for at in range(3 * 288)]
    looks.append(look(NOON + timedelta(days=3), units={"u": "tank"}))
    found = run(looks)
    assert [at for at, one in enumerate(found) if one is not None] == [0, 288, 576, 864]
    assert subjects(found) == [*["nas: degraded: tank"] * 3, "nas: ended: tank"]
    assert found[288] is not None
    assert "Since 2026-03-04T12:00:00+00:00" in found[288].text


def test_an_end_names_what_has_ended_and_nothing_to_do() -> None:
    bad = wrong()
    bad = Wrong(
        key=bad.key, event=bad.event, name=bad.name, text="DEGRADED\nto do: replace it", urgency=bad.urgency
    )
    _, end = run([look(NOON, bad), look(NOON + FIVE)])
    assert end is not None
    assert "Ended: DEGRADED\n\n" in end.text
    assert "replace it" not in end.text


CARD: Final = frozenset({"megaraid"})


def test_what_was_never_read_hides_no_end_and_what_is_not_read_any_more_does() -> None:
    """A RAID card whose tool is not installed cannot be read, today and in a year."""
    looks = [look(NOON, wrong(), unread=CARD), look(NOON + FIVE, unread=CARD)]
    assert subjects(run(looks)) == ["nas: degraded: tank", "nas: ended: tank"]
    looks = [look(NOON, wrong(), unread=CARD), look(NOON + FIVE, unread=CARD | {"lvm"})]
    assert subjects(run(looks)) == ["nas: degraded: tank"]


def test_a_unit_that_is_not_here_any_more_is_told_beside_what_was_never_read() -> None:
    looks = [look(NOON, unread=CARD), look(NOON + FIVE, units={}, unread=CARD)]
    assert subjects(run(looks)) == ["nas: gone: tank"]
    looks = [
        look(NOON, unread=CARD),
        *(look(NOON + FIVE * at, units={}, unread=CARD | {"lvm"}) for at in (1, 2, 3)),
        look(NOON + FIVE * 4, units={}, unread=CARD),
    ]
    assert [one is not None for one in run(looks)] == [False, False, False, False, True]


def test_nothing_wrong_sends_nothing() -> None:
    assert subjects(run([look(NOON + FIVE * at) for at in range(600)])) == []


def test_quiet_hours_delay_all_but_danger() -> None:
    night = Hours(begin=22 * 60, end=7 * 60)
    begin = NOON.replace(hour=23)
    looks = [look(begin + FIVE * at, wrong(), quiet=night) for at in range(100)]
    found = run(looks)
    assert [looks[at].now.hour for at, one in enumerate(found) if one] == [7]
    at_once = run([look(begin, wrong(urgency=Urgency.DANGER), quiet=night)])
    assert subjects(at_once) == ["nas: DANGER: tank"]


def test_what_is_over_before_the_quiet_hours_end_is_not_said() -> None:
    night = Hours(begin=22 * 60, end=7 * 60)
    begin = NOON.replace(hour=23)
    looks = [look(begin, wrong(), quiet=night)]
    looks += [look(begin + FIVE * at, quiet=night) for at in range(1, 150)]
    assert subjects(run(looks)) == []


def test_nothing_ends_because_it_could_not_be_read() -> None:
    """An answer that is absent is unknown, and unknown is never well."""
    looks = [
        look(NOON, wrong()),
        look(NOON + FIVE, unread=frozenset({"lvm"}), units={}),
        look(NOON + FIVE * 2, wrong()),
    ]
    assert len(subjects(run(looks))) == 1


def test_a_unit_that_is_gone_is_said_once_and_its_fault_has_not_ended() -> None:
    looks = [look(NOON, wrong()), look(NOON + FIVE, units={}), look(NOON + FIVE * 2, units={})]
    found = run(looks)
    assert subjects(found) == ["nas: degraded: tank", "nas: gone: tank"]


def test_what_becomes_worse_is_said_as_that_and_not_as_an_end() -> None:
    worse = wrong("failed tank", Urgency.DANGER)
    found = run([look(NOON, wrong()), look(NOON + FIVE, worse), look(NOON + FIVE * 2)])
    assert subjects(found) == ["nas: degraded: tank", "nas: DANGER: tank", "nas: ended: tank"]
    assert found[1] is not None
    assert len(found[1].events) == 1


def test_that_danger_is_over_is_said_also_if_something_smaller_is_wrong_then_or_was_all_along() -> None:
    danger, note = wrong("no-redundancy tank", Urgency.DANGER), wrong("never-scrubbed tank", Urgency.NOTE)
    for later in ([danger], [danger, note]):
        found = run([look(NOON, *later), look(NOON + FIVE, note)])
        assert found[1] is not None
        assert ("ended", "tank") in [(event, name) for event, name, _ in found[1].events]


def test_several_things_at_once_are_one_message_and_the_worst_is_first() -> None:
    (message,) = run([look(NOON, wrong("a"), wrong("b", Urgency.DANGER), wrong("c"))])
    assert message is not None
    assert message.subject == "nas: DANGER: tank and 2 more"
    assert [text for _, _, text in message.events] == ["b.", "a.", "c."]


def test_all_well_once_a_month_if_wanted_and_never_while_something_is_wrong_or_unknown() -> None:
    days = [NOON + timedelta(days=at) for at in range(70)]
    assert subjects(run([look(one, monthly=True) for one in days])) == ["nas: all well"] * 2
    assert subjects(run([look(one) for one in days])) == []
    assert subjects(run([look(one, monthly=True, unread=frozenset({"lvm"})) for one in days])) == []
    assert "nas: all well" not in subjects(run([look(one, wrong(), monthly=True) for one in days]))


def test_what_comes_and_goes_is_bundled() -> None:
    looks = [look(NOON + FIVE * at, *([wrong()] if at % 2 else [])) for at in range(288)]
    found = subjects(run(looks))
    assert 2 <= len(found) <= 6
    settled = [look(NOON + timedelta(days=1) + FIVE * at) for at in range(288)]
    assert subjects(run([*looks, *settled]))[-1] == "nas: ended: tank", "in the end it is said that it ended"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 90),  # minutes
            st.sets(st.integers(0, 5)),  # what is wrong
            st.booleans(),
            st.booleans(),
        ),
        max_size=400,
    )
)
def test_no_storm_whatever_happens(steps: list[tuple[int, set[int], bool, bool]]) -> None:
    """Six things, half of them danger, that change as they like: never more than a few messages a day and thing."""
    now, looks = NOON, []
    for minutes, numbers, complete, there in steps:
        now += timedelta(minutes=minutes)
        found = [
            wrong(f"{one}", Urgency.DANGER if one % 2 else Urgency.WARNING, f"u{one}") for one in numbers
        ]
        units = {f"u{one}": f"unit {one}" for one in (numbers if not there else range(6))}
        looks.append(look(now, *found, unread=frozenset() if complete else frozenset({"lvm"}), units=units))
    state: Reported = Reported()
    sent: list[datetime] = []
    about: dict[str, list[datetime]] = {}
    for one in looks:
        message, state = decide(state, one)
        if message is None:
            continue
        sent.append(one.now)
        for word, _, text in message.events:
            what = f"{word} {text[:8]}" if word == "gone" else text.removeprefix("Ended: ")[:2]
            about.setdefault(what, []).append(one.now)
    for times in about.values():
        for at in times:
            assert sum(at <= other < at + timedelta(days=1) for other in times) <= 10
    for at in sent:
        assert sum(at <= other < at + timedelta(hours=1) for other in sent) <= 4 + 3 * 4
    assert len(state.known) <= 12


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), max_size=60))
def test_whatever_happened_a_lasting_fault_is_known_in_the_end(before: list[bool]) -> None:
    looks = [look(NOON + FIVE * at, *([wrong()] if one else [])) for at, one in enumerate(before)]
    end = NOON + FIVE * len(before)
    looks += [look(end + FIVE * at, wrong()) for at in range(2 * 288)]
    found = [one for one in run(looks) if one is not None]
    assert found[-1].events[0][0] == "degraded"


@pytest.mark.parametrize(
    "stamp", ["", "rubbish", "2026-13-01", "2099-01-01T00:00:00+00:00", "2026-03-04T12:00:00"]
)
def test_a_time_that_makes_no_sense_is_never_a_reason_to_be_silent(stamp: str) -> None:
    _, state = decide(Reported(), look(NOON, wrong()))
    broken = tuple(
        type(one)(**{name: getattr(one, name) for name in one.__struct_fields__} | {"reported": stamp})
        for one in state.known
    )
    message, _ = decide(
        Reported(at=stamp, known=broken, sent=(stamp,) * 2, units={"u": "tank"}), look(NOON + FIVE, wrong())
    )
    assert message is not None


def test_what_was_not_sent_is_sent_again_for_three_days_and_only_on_ways_that_are_left() -> None:
    from raidtui.advice.alerting import Unsent, with_unsent

    (message,) = run([look(NOON, wrong())])
    assert message is not None
    unsent = [
        Unsent(way=way, at=NOON.isoformat(), message=message, why="connection refused") for way in ("a", "b")
    ]
    state = with_unsent(Reported(), unsent)
    assert state.failures == ("a: connection refused", "b: connection refused")
    assert [one.way for one in undelivered(state, NOON + FIVE, ["a"])] == ["a"]
    assert undelivered(state, NOON + timedelta(days=4), ["a"]) == ()
