"""Unit tests start no process: a program that answers differently on another computer would answer for it."""

import os
import subprocess

import pytest


class StartedAProcess(AssertionError):
    """A test that is not marked ``processes`` started one."""


@pytest.fixture(autouse=True)
def no_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbid it, except in tests marked ``processes``, which are about a program itself."""
    if request.node.get_closest_marker("processes"):
        return

    def refuse(*args: object, **more: object) -> None:
        raise StartedAProcess(f"a unit test may not start a process: {args[1:2] or args[:1]}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    monkeypatch.setattr(subprocess.Popen, "__del__", lambda self: None)
    monkeypatch.setattr(os, "fork", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fsync return at once: no unit test cuts the power, and the disk of a busy computer is slow."""
    monkeypatch.setattr(os, "fsync", lambda number: None)
