"""What the conditions on members say in words."""

import pytest

from raidtui.backends.md import conditions
from raidtui.model.journal import Entry, Event
from raidtui.model.machine import Array, Member
from raidtui.model.plan import Check

UUID = "6e3d8f7a-0000-4000-8000-000000000001"


def answer(member: Member, wanted: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, str]:
    array = Array(
        name="tank",
        node="/dev/md127",
        uuid=UUID,
        level="raid1",
        raid_disks=2,
        state="clean",
        members=(member,),
    )
    monkeypatch.setattr(conditions, "array_with", lambda _: array)
    check = Check(kind="member-is", subject="/dev/sdb1", expect=f"{UUID} {wanted}")
    found = conditions.MEMBER_IS.ask(check, held=lambda _: True)
    return found.holds, found.text


def test_a_member_that_waits_is_told_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    spare = Member(path="/dev/sdb1", slot=1, state=("spare",))
    assert answer(spare, "in-sync", monkeypatch) == (
        False, "/dev/sdb1 in slot 1 of /dev/md127: not in sync"
    )  # fmt: skip
    synced = Member(path="/dev/sdb1", slot=1, state=("in_sync",))
    assert answer(synced, "in-sync", monkeypatch) == (
        True, "/dev/sdb1 in slot 1 of /dev/md127: in sync"
    )  # fmt: skip
    waiting = Member(path="/dev/sdb1", slot=None, state=("spare",))
    assert answer(waiting, "syncing", monkeypatch) == (False, "/dev/sdb1 in /dev/md127: spare")


def test_what_does_not_hold_yet_is_what_was_seen() -> None:
    check = Entry(seq=0, at="", event=Event.CHECK, text="no: /dev/sdb1 in /dev/md127: spare")
    assert check.seen == "seen: /dev/sdb1 in /dev/md127: spare"
    assert Entry(seq=1, at="", event=Event.CHECK, text="unknown: it did not end").seen.startswith("unknown: ")
