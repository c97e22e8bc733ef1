"""A part of the computer that cannot be read is a sentence in the reading, and its disks are taken."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest

from raidtui.backends.reading import with_readings
from raidtui.backends.registry import FOLDERS, READ_BY, reader
from raidtui.backends.units import check_known
from raidtui.backends.units_now import every_unit_now
from raidtui.backends.zfs.status_json import parse_json
from raidtui.backends.zfs.status_text import parse_status
from raidtui.backends.zfs.units import units_in
from raidtui.commands.inspect import describe
from raidtui.commands.text import status
from raidtui.machine import reader as of_machine
from raidtui.machine.ask import ToolAnswer
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Card, ClaimKind, Signature, Weight
from raidtui.model.problem import Problem
from raidtui.model.spec import Backend
from raidtui.model.unit import Health
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from raidtui.ui.care.overview_cards import card_lines
from tests.unit.changed_parts import change_part
from tests.unit.machine_trees import MadeTree
from tests.unit.plan_machines import SEED, TANK, machine, taken
from tests.unit.zfs_machines import pool, report, zfs_disk

CARDS = {
    Backend.MEGARAID: (Card(driver="megaraid_sas", address="0000:01:00.0"),),
    Backend.ADAPTEC: (Card(driver="smartpqi", address="0000:01:00.0"),),
}


SIGNS = {Backend.LVM: "LVM2_member", Backend.ZFS: "zfs_member", Backend.BTRFS: "btrfs"}
"""By the backend that reads them."""


class Broken(Exception):
    """Stands for any fault of a reader."""


def fail(*args: object) -> NoReturn:
    raise Broken("\x1b[2Jno leaves")


def no_tools(argv: Sequence[str]) -> ToolAnswer:
    return ToolAnswer(returncode=None, stderr=f"{argv[0]} is not installed")


@pytest.mark.parametrize("method", ["read", "units"])
@pytest.mark.parametrize("name", FOLDERS)
def test_one_backend_that_fails_is_a_problem_and_the_others_are_read(
    name: Backend, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = sorted(reader(name).claims)
    sign = SIGNS.get(READ_BY.get(name, name), "")
    signed = (Signature(device="/dev/sda", offset=0, type=sign),)
    of_it = [
        msgspec.structs.replace(taken(n, Weight.DATA, kind, "of it"), signatures=signed)
        for n, kind in enumerate(kinds, 1)
    ]
    change_part(monkeypatch, name, "reader.READER", **{method: fail})
    here = msgspec.structs.replace(machine(*of_it), cards=CARDS.get(name, ()), tools={"mdadm": "4.2"})
    found = with_readings(here, no_tools, no_tools, smart=False)

    problem = next(one for one in found.problems if one.what == name)
    assert problem.text.startswith(
        f"what {name} built cannot be read: Broken in test_backends_fence.py, line "
    )
    for one, kind in zip(found.disks, kinds, strict=False):
        assert [(claim.what, claim.weight) for claim in one.taken_by][0 :: len(one.taken_by) - 1] == [
            (ClaimKind.UNREAD, Weight.BUSY),
            (kind, Weight.DATA),
        ]
        assert not one.free
        assert not one.choosable
    assert all(one.free for one in found.disks[len(kinds) :])


def test_what_cannot_be_read_is_shown_everywhere() -> None:
    text = "what zfs built cannot be read: \x1b[2J"
    here = msgspec.structs.replace(machine(), problems=(Problem(what="zfs", text=text),))
    shown = "unknown: what zfs built cannot be read: ?[2J"
    assert shown in "\n".join(describe(here))
    assert shown in "\n".join(status.describe(status.Status((), (), problems=here.problems)))
    assert status.document(status.Status((), (), problems=here.problems)).problems == here.problems
    assert "UNKNOWN what zfs built cannot be read: ?[2J" in card_lines(here, width=80).plain


def test_nothing_is_built_or_removed_with_a_backend_whose_units_are_unknown() -> None:
    def lacks(*names: str) -> tuple[Problem, ...]:
        return tuple(Problem(what=name, text=f"what {name} built cannot be read") for name in names)

    unknown = msgspec.structs.replace(machine(), problems=lacks("mdadm"))
    for name in (Backend.MDADM, Backend.LVM_ON_MD):
        with pytest.raises(Refused, match="unknown what is here: what mdadm built cannot be read"):
            check_known(name, unknown)
    with pytest.raises(Refused, match="unknown"):
        make_plan(TANK, unknown, seed=SEED)
    with pytest.raises(Refused, match="unknown"):
        make_teardown("nosuch", unknown, seed=SEED)  # not "there is none"
    with pytest.raises(BadInput, match="nothing here is called"):
        make_teardown("nosuch", machine(), seed=SEED)
    make_plan(TANK, msgspec.structs.replace(machine(), problems=lacks("zfs", "smart")), seed=SEED)


def test_the_units_of_a_backend_that_fails_now_are_unknown_and_the_others_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in FOLDERS:
        now = fail if name is Backend.ZFS else lambda: ()
        change_part(monkeypatch, name, "reader.READER", now=now)
    assert [problem.what for problem in every_unit_now().problems] == ["zfs"]


PARTS = (
    "ArrayReader",
    "find_claims",
    "probe",
    "read_all_mounts",
    "read_cards",
    "read_exports",
    "read_mounted_btrfs",
    "read_openers",
    "read_references",
    "read_swaps",
    "read_system",
)


@pytest.mark.parametrize("part", PARTS)
def test_no_disk_is_free_while_a_part_that_may_take_it_is_unknown(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = MadeTree(tmp_path)
    made.disk("sda")
    made.disk("sdb")
    assert all(one.free for one in made.read().disks)
    monkeypatch.setattr(of_machine, part, fail)
    found = made.read()
    assert found.problems
    assert len(found.disks) == 2
    for one in found.disks:
        assert not one.free
        assert not one.choosable
        assert one.taken_by[0].what is ClaimKind.UNREAD


UNDETERMINED = """\
  pool: vault
 state: UNAVAIL
  scan: none requested
config: The configuration cannot be determined.
"""
WITHOUT_DISKS = {
    "undetermined": UNDETERMINED,
    "empty": UNDETERMINED.replace(" The configuration cannot be determined.", "\n\n"),
    "missing": UNDETERMINED.partition("config")[0],
    "nothing": "  pool:",
}


@pytest.mark.parametrize("text", WITHOUT_DISKS.values(), ids=WITHOUT_DISKS)
def test_a_pool_without_vdev_lines_is_shown_and_its_disks_are_taken(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = parse_status(text)
    (unit,) = units_in(report(pool(status=found)))
    assert (unit.members, unit.raid_disks) == ((), 0)
    assert unit.health is (Health.FAILED if text.startswith("  pool: v") else Health.ERRORS)
    sentence = reader(Backend.ZFS).unknown(unit)
    assert sentence.startswith("zpool does not list the disks of the pool tank (")
    change_part(monkeypatch, Backend.ZFS, "reader.READER", read=lambda *_: report(pool(status=found)))
    exported = [zfs_disk(n, used=False) for n in (1, 2)]
    read = with_readings(machine(*exported), no_tools, no_tools, smart=False)
    assert [one.choosable for one in read.disks[:3]] == [False, False, True]
    assert [problem.text for problem in read.problems] == [sentence]


def test_json_of_a_pool_without_leaves_is_not_online_and_well() -> None:
    text = '{"pools": {"vault": {"name": "vault", "state": "ONLINE", "pool_guid": 1, "error_count": 0, "vdevs": {"vault": {"name": "vault", "vdev_type": "root"}}}}}'
    found = parse_json(text, now=0.0, resolve=str)
    assert found is not None
    (unit,) = units_in(report(pool(status=found[0])))
    assert unit.health is Health.ERRORS
    assert unit.state == "online, its disks are not listed: redundancy unknown"
