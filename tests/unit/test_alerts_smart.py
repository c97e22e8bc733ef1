"""A disk that says that it fails arrives on every way through real servers, once, and so does its end."""

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.jobs.alerting import alert, alone
from raidtui.machine.reader import load_machine
from raidtui.model.alerts import AlertSettings, Mail
from raidtui.model.machine import Machine
from raidtui.model.smart import Smart
from tests.unit.recorded_plans import MACHINES
from tests.unit.smtp_server import Smtp
from tests.unit.test_alerts_sent import http

CLEAN: Final = load_machine(str(MACHINES / "raid5-clean.json"))
WELL: Final = Smart(passed=True, pending_sectors=0)


def with_first(smart: Smart) -> Machine:
    first, *others = CLEAN.disks
    return replace(CLEAN, disks=(replace(first, smart=smart), *others))


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("smart", "said"),
    [
        (Smart(passed=False), "SMART overall health: FAILED"),
        (Smart(passed=True, pending_sectors=8), "8 pending sectors"),
    ],
)
def test_a_disk_that_fails_arrives_on_three_ways_within_a_minute_once_and_so_does_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smart: Smart, said: str
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    paged = tmp_path / "paged"
    program = tmp_path / "page"
    program.write_text(f'#!/bin/sh\necho "$@" | tr "\\n" " " >>{paged}\necho >>{paged}\n')
    program.chmod(0o755)
    paged.touch()
    with Smtp() as server, http() as (place, posted):
        settings = AlertSettings(
            mail=Mail(to="admin@example.org", host="127.0.0.1", port=server.port, security="none"),
            program=str(program),
            urls=(f"http://{place}/x",),
        )

        def arrived(machine: Machine, at: timedelta) -> tuple[list[str], ...]:
            """What arrives on each way after a look."""
            begin = len(server.letters), len(posted), len(paged.read_text().splitlines())
            units = units_of(machine)
            found = diagnose(units, machine)
            with alone():
                said = alert(machine, units, found, settings, now=datetime.now(UTC) + at)
            assert not any(one.startswith("not sent") for one in said), said
            return (
                [re.sub("=\r?\n", "", one.text) for one in server.letters[begin[0] :]],
                [body.decode() for _, _, body in posted[begin[1] :]],
                paged.read_text().splitlines()[begin[2] :],
            )

        arrived(with_first(WELL), timedelta())  # what is wrong with the recorded computer itself
        started = time.monotonic()
        for texts in arrived(with_first(smart), timedelta(minutes=5)):
            assert len(texts) == 1
            assert said in texts[0]
        assert time.monotonic() - started < 60
        assert arrived(with_first(smart), timedelta(minutes=10)) == ([], [], [])
        for texts in arrived(with_first(WELL), timedelta(minutes=15)):
            assert len(texts) == 1
            assert "Ended: " in texts[0]
            assert said in texts[0]
        assert arrived(with_first(WELL), timedelta(minutes=20)) == ([], [], [])
