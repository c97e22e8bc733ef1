"""What starts a degraded array at boot: read, said before a build and by doctor, and a finding where nothing does."""

from pathlib import Path

import msgspec
import pytest

from raidtui import cli
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.md.builder import BUILDER
from raidtui.machine.system import degraded_started_by
from raidtui.machine.tree import Tree
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine
from raidtui.model.spec import Spec
from tests.ui import machines
from tests.unit.test_machine_commands import MACHINES

TIMER = "mdadm-last-resort@.timer"
RULE = "64-md-raid-assembly.rules"


def computer(root: Path, *, rule: str = f'ENV{{SYSTEMD_WANTS}}+="{TIMER}"') -> Path:
    for name in (
        "run/systemd/system",
        "lib/systemd/system",
        "lib/udev/rules.d",
        "etc/systemd/system",
        "etc/udev/rules.d",
    ):
        (root / name).mkdir(parents=True)
    for name in (TIMER, "mdadm-last-resort@.service"):
        (root / "lib/systemd/system" / name).touch()
    (root / "lib/udev/rules.d" / RULE).write_text(rule)
    return root


def test_the_timer_of_mdadm_does_it(tmp_path: Path) -> None:
    assert degraded_started_by(Tree(computer(tmp_path))) == TIMER


@pytest.mark.parametrize(
    "mask",
    [
        f"etc/systemd/system/{TIMER}",
        "etc/systemd/system/mdadm-last-resort@.service",
        f"etc/udev/rules.d/{RULE}",
    ],
)
def test_what_is_masked_does_nothing(mask: str, tmp_path: Path) -> None:
    root = computer(tmp_path)
    (root / mask).symlink_to("/dev/null")
    assert degraded_started_by(Tree(root)) == ""


def test_a_rule_that_starts_no_timer_does_nothing(tmp_path: Path) -> None:
    assert degraded_started_by(Tree(computer(tmp_path, rule="# ours"))) == ""


def test_without_systemd_it_is_not_known(tmp_path: Path) -> None:
    root = computer(tmp_path)
    (root / "run/systemd/system").rmdir()
    assert degraded_started_by(Tree(root)) is None


def with_array(started_by: str | None, *, named: bool = True, **changes: object) -> Machine:
    array = machines.running_array(**changes)
    found = machines.machine([machines.disk(1)], [array])
    uuid = array.uuid.replace("-", "")
    line = f"ARRAY /dev/md/tank metadata=1.2 UUID={':'.join(uuid[at : at + 8] for at in range(0, 32, 8))}"
    system = msgspec.structs.replace(
        found.system, degraded_started_by=started_by, mdadm_conf_arrays=(line,) if named else ()
    )
    return msgspec.structs.replace(found, system=system)


def test_an_array_of_a_computer_where_nothing_does_is_a_finding() -> None:
    (finding,) = diagnose([], with_array(""))
    assert finding.kind is Kind.DEGRADED_BOOT
    assert "does not start at boot if a member is missing" in finding.what
    assert finding.first is None


@pytest.mark.parametrize(
    "whole",
    [
        with_array(TIMER),
        with_array(None),
        with_array("", named=False),
        with_array("", level="raid0"),
        with_array("", metadata="external:/md127/0"),
    ],
)
def test_else_there_is_none(whole: Machine) -> None:
    assert diagnose([], whole) == ()


def test_it_is_said_before_the_build() -> None:
    def note(started_by: str | None, level: str = "raid5") -> str:
        system = msgspec.structs.replace(machines.machine([]).system, degraded_started_by=started_by)
        return BUILDER.boot_note(Spec(name="tank", level=level), system)

    assert note(TIMER).endswith(f"With a member missing at boot, {TIMER} starts the array after 30 seconds.")
    assert note("").endswith("With a member missing at boot, nothing on this computer starts the array.")
    assert "member missing" not in note(None) + note("", "raid0")


def test_doctor_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["doctor", "--machine", str(MACHINES / "blank-4.json")])
    assert "missing at boot is not known" in " ".join(capsys.readouterr().out.split())
