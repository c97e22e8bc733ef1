"""A removal, a replacement and a growth are rehearsed: md assembles the real array from copies of its members."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from raidtui.backends.units import find_unit
from raidtui.commands._rehearsal import rehearse
from raidtui.commands._rehearsal_units import MEMBER_BYTES
from raidtui.jobs.rehearsed import order_of
from raidtui.jobs.runner import derive_plan
from raidtui.lab.guest import Guest
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow, Replace
from raidtui.model.units import MIB
from raidtui.steps.seeds import new_seed
from tests.kernel.driving import serials, spec_text
from tests.kernel.test_rehearse import read_off

FOUR: Final = serials(4)


def replacement(_: Machine) -> JobRequest:
    return order_of(procedure=Replace(old=FOUR[0], new=FOUR[3]), seed=new_seed())


def growth(machine: Machine) -> JobRequest:
    unit = find_unit("tank", machine)
    assert unit is not None
    return order_of(procedure=Grow(unit=unit.uuid, add=(FOUR[3],)), seed=new_seed())


def removal(_: Machine) -> JobRequest:
    return order_of(array="tank", seed=new_seed())


@pytest.mark.parametrize(
    ("order", "written"),
    [
        pytest.param(removal, 0, marks=pytest.mark.first(0)),
        pytest.param(replacement, 1, marks=pytest.mark.first(0)),
        pytest.param(growth, 3, marks=pytest.mark.first(0)),
    ],
)
def test_the_same_commands_run_on_copies_of_the_members_and_no_disk_is_written_to(
    own_guest: Callable[[str], Guest], tmp_path: Path, order: Callable[[Machine], JobRequest], written: int
) -> None:
    guest = own_guest("4x1200MiB")
    spec, erase = spec_text("raid5", FOUR[:3]), ",".join(FOUR[:3])
    guest.run(["raidtui", "apply", "-", f"--erase={erase}"], stdin=spec, check=True, timeout=300)
    guest.shell("mdadm --wait /dev/md/tank || :; echo photos >/srv/tank/file; sync", timeout=300)
    machine = read_off(guest, tmp_path)
    images = [Path(one.path) for one in machine.disks]
    before = [hashlib.sha256(image.read_bytes()).hexdigest() for image in images]
    made = order(machine)
    told: list[str] = []
    shown = rehearse(made, derive_plan(made, machine), machine, recorded=False, report=told.append)
    assert (shown.passed, shown.sentence) == (True, ""), told
    assert shown.done == len(shown.steps) > 3
    assert (shown.left_out, shown.instead) == ((), ()), "to the letter"
    assert shown.after_reboot is True
    assert shown.written_bytes >= written * MEMBER_BYTES, "what syncs was really written"
    assert shown.written_bytes < 4 * MEMBER_BYTES + 200 * MIB
    assert [hashlib.sha256(image.read_bytes()).hexdigest() for image in images] == before
