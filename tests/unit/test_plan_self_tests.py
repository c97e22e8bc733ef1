"""Self-tests through smartd.conf: one line changes, what the administrator wrote stays, and it can be undone."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.machine.reader import load_machine
from raidtui.machine.system import smartd_conf
from raidtui.machine.tree import Tree
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import DropLine, EnsureLine, Plan
from raidtui.model.procedure import SelfTests
from raidtui.model.system import SmartdConf
from raidtui.plan.care import make_care
from raidtui.plan.self_tests import SCHEDULE

CLEAN = load_machine(str(Path(__file__).parent.parent / "machines" / "raid5-clean.json"))
FILE = "/etc/smartd.conf"
DEBIAN = "DEVICESCAN -d removable -n standby -m root -M exec /usr/share/smartmontools/smartd-runner"
SEED = "5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11"


def having(*lines: str) -> Machine:
    return replace(
        CLEAN, system=replace(CLEAN.system, smartd=SmartdConf(file=FILE, lines=lines), systemd=True)
    )


def made(machine: Machine, *, on: bool = True) -> Plan:
    return make_care(SelfTests(on=on), machine, seed=SEED)


def test_the_line_of_debian_gets_a_schedule_and_loses_it_again() -> None:
    change, restart = made(having(DEBIAN)).steps
    drop, ensure = change.actions
    assert isinstance(drop, DropLine)
    assert isinstance(ensure, EnsureLine)
    assert (drop.line, ensure.line) == (DEBIAN, f"{DEBIAN} {SCHEDULE} # self-tests by raidtui")
    assert change.undo == (DropLine(path=FILE, line=ensure.line), EnsureLine(path=FILE, line=DEBIAN))
    assert restart.id == "restart"
    back = made(having(ensure.line), on=False).steps[0]
    assert back.actions == change.undo


def test_the_schedule_is_what_smartd_takes_and_the_tests_of_two_disks_differ() -> None:
    """smartd matches T/MM/DD/d/HH:NNN against it."""
    pattern = re.compile(SCHEDULE.removeprefix("-s "))
    assert pattern.fullmatch("S/11/28/6/02:001")
    assert pattern.fullmatch("L/12/01/2/03:003")
    assert not pattern.fullmatch("L/12/02/3/03:003")
    assert not pattern.fullmatch("S/11/27/5/02:001")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((), "no line DEVICESCAN"),
        (("/dev/sda -a",), "no line DEVICESCAN"),
        ((DEBIAN, "DEVICESCAN -a"), "2 lines DEVICESCAN"),
        ((DEBIAN, "/dev/sda -a"), "directives after DEVICESCAN"),
        ((f"{DEBIAN} \\",), "continued on the next one"),
        ((f"{DEBIAN} -s L/../../7/04",), "a schedule of self-tests already"),
        ((f"{DEBIAN} # ours",), "ends in a comment"),
    ],
)
def test_what_the_administrator_wrote_is_not_changed(lines: tuple[str, ...], why: str) -> None:
    with pytest.raises(Refused, match=why):
        made(having(*lines))


def test_what_is_so_already_or_not_known_is_refused() -> None:
    with pytest.raises(Refused, match="has set no self-tests"):
        made(having(DEBIAN), on=False)
    with pytest.raises(Refused, match="as raidtui set it"):
        made(having(f"{DEBIAN} {SCHEDULE} # self-tests by raidtui"))
    with pytest.raises(Refused, match="smartd is not installed"):
        made(CLEAN)


def test_the_file_is_read_without_comments(tmp_path: Path) -> None:
    assert smartd_conf(Tree(tmp_path)) is None
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "smartd.conf").write_text(f"# comment\n\n{DEBIAN}\n")
    assert smartd_conf(Tree(tmp_path)) == SmartdConf(file=FILE, lines=(DEBIAN,))
