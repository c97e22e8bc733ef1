"""A command of the lab runs on the caller's terminal, if there is one, so that sentences are wrapped for it."""

import os

import pytest

from raidtui.lab import session
from raidtui.lab.guest import Setup


@pytest.mark.parametrize(
    ("terminals", "way"), [({0, 1, 2}, "terminal"), ({0, 1}, "streams"), (set(), "streams")]
)
def test_a_command_gets_the_terminal_where_all_its_streams_are_one(
    monkeypatch: pytest.MonkeyPatch, terminals: set[int], way: str
) -> None:
    ways: list[str] = []
    monkeypatch.setattr(os, "isatty", terminals.__contains__)
    monkeypatch.setattr(session, "open_terminal", lambda *_: ways.append("terminal"))
    monkeypatch.setattr(session, "run_command", lambda *_: ways.append("streams"))
    session.run_here(Setup(disks="1x32MiB"), ["raidtui", "tour"])
    assert ways == [way]
