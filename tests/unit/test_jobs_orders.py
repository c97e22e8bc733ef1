"""Orders to units: each is logged with what it did, and a failure is one sentence."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.backends.control import Control, Order, PutBack, Write
from raidtui.jobs.orders import FILE, Did, Line, carry_out
from raidtui.model.errors import StepFailed
from raidtui.model.plan import Run
from raidtui.model.spec import Backend
from raidtui.model.struct import from_json
from raidtui.model.unit import Health, Unit

SCRUB = Order(actions=(Run(argv=("btrfs", "scrub", "start", "/srv/tank")),))
TANK = Unit(
    backend=Backend.BTRFS,
    name="tank",
    uuid="1-2",
    marks=("1-2",),
    level="raid1",
    size_bytes=1,
    path="/dev/sda",
    node="/dev/sda",
    health=Health.OK,
    state="in sync",
)


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], None]:
    """Have commands end with that code and print that, without starting one."""

    def has(code: int, text: str) -> None:
        def run(argv: list[str], **about: object) -> "subprocess.CompletedProcess[bytes]":
            about["stdout"].write(text.encode())  # type: ignore[attr-defined]
            return subprocess.CompletedProcess(argv, code)

        monkeypatch.setattr(subprocess, "run", run)
        monkeypatch.setattr("raidtui.jobs.orders.find_tool", lambda name: f"/sbin/{name}")

    return has


def logged(state: Path) -> list[Line]:
    return [from_json(line, Line, origin=FILE) for line in (state / FILE).read_bytes().splitlines()]


def test_a_command_is_logged_with_what_it_printed(state: Path, says: Callable[[int, str], None]) -> None:
    says(0, "scrub started on /srv/tank\n")
    carry_out(SCRUB, Control.SCRUB, TANK)
    (line,) = logged(state)
    assert (line.backend, line.unit, line.uuid, line.control) == (Backend.BTRFS, "tank", "1-2", Control.SCRUB)
    assert line.did == (
        Did(argv=("btrfs", "scrub", "start", "/srv/tank"), returncode=0, output="scrub started on /srv/tank"),
    )


def test_a_command_that_fails_is_logged_and_is_one_sentence(
    state: Path, says: Callable[[int, str], None]
) -> None:
    says(1, "scrubbing\nERROR: scrub is already running\n")
    with pytest.raises(
        StepFailed, match=r"^btrfs scrub start /srv/tank failed: ERROR: scrub is already running$"
    ):
        carry_out(SCRUB, Control.SCRUB, TANK)
    (line,) = logged(state)
    assert line.did[0].output == "scrubbing\nERROR: scrub is already running"
    assert line.error == "btrfs scrub start /srv/tank failed: ERROR: scrub is already running"


def test_values_that_the_kernel_was_given_are_logged_and_put_back(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "sync_speed_max"
    file.write_text("200000 (system)\n")
    carry_out(Order(actions=(Write(path=str(file), text="5000", keep=True),)), Control.SLOWER, TANK)
    assert file.read_text() == "5000"
    carry_out(Order(actions=(PutBack(paths=(str(file),)),)), Control.RESTORE, TANK)
    assert file.read_text() == "system"
    assert [(line.control, line.did) for line in logged(state)] == [
        (Control.SLOWER, (Did(path=str(file), text="5000"),)),
        (Control.RESTORE, (Did(path=str(file), text="system"),)),
    ]


def test_a_file_that_cannot_be_read_is_one_sentence_too(state: Path, tmp_path: Path) -> None:
    with pytest.raises(StepFailed, match=r"^the order slower failed: .*: Is a directory$"):
        carry_out(Order(actions=(Write(path=str(tmp_path), text="5000", keep=True),)), Control.SLOWER, TANK)
    assert logged(state)[0].error.endswith("Is a directory")


def test_an_order_that_was_carried_out_stands_where_the_log_cannot_be_written(
    state: Path, says: Callable[[int, str], None]
) -> None:
    (state / FILE).mkdir(parents=True)
    says(0, "")
    carry_out(SCRUB, Control.SCRUB, TANK)
