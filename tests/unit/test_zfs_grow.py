"""What a pool can become: exact sizes, what is refused and why; and the plan that takes it there."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.advice.growths import table_of
from raidtui.backends.conditions import condition
from raidtui.backends.facts import Options
from raidtui.backends.growing import Shape
from raidtui.backends.units import units_of
from raidtui.backends.zfs import conditions
from raidtui.backends.zfs.facts import zfs_facts
from raidtui.backends.zfs.grow_conditions import POOL_HOLDS, POOL_SETTLED, POOL_SHAPE
from raidtui.backends.zfs.report import Expansion, Pool, PoolReport
from raidtui.backends.zfs.space import pool_space
from raidtui.commands.text.grow import table
from raidtui.model.answer import Truth
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Plan, Run
from raidtui.model.procedure import Grow
from raidtui.plan.care import make_care
from tests.unit.plan_machines import disk
from tests.unit.test_conditions_broken import World, by_words, holds
from tests.unit.test_zfs_replace import with_guids
from tests.unit.zfs_machines import GUID, dataset, pool, report, unlabelled, zfs_disk, zfs_machine

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
PART = 9_893_314_560
FREE = [disk(5), disk(6), disk(7)]
PROPERTIES = {"checkpoint": "-", "readonly": "off"}
YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN


def status(*vdevs: str, state: str = "ONLINE", scan: str = "", more: str = "") -> str:
    """``mirror 2`` makes a mirror of two devices, in the order of the disks; ``stripe 1`` a device alone."""
    lines: list[str] = []
    used = 0
    for number, one in enumerate(vdevs):
        kind, width = one.split()
        if kind != "stripe":
            lines.append(f"\t  {kind}-{number}  ONLINE  0  0  0")
        for _ in range(int(width)):
            used += 1
            indent = "  " if kind == "stripe" else "    "
            lines.append(
                f"\t{indent}/dev/sd{'abcdefgh'[used - 1]}1  {state if used == 1 else 'ONLINE'}  0  0  0"
            )
    scanned = f"  scan: {scan}\n" if scan else ""
    body = "\n".join(lines)
    return (
        f"  pool: tank\n state: ONLINE\n{scanned}config:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        f"\ttank  ONLINE  0  0  0\n{body}\n{more}\nerrors: No known data errors\n"
    )


def kept(
    *vdevs: str,
    properties: dict[str, str] | None = None,
    version: str = "2.1.11",
    text: str = "",
    **changes: Any,
) -> PoolReport:
    found = pool(
        text or status(*vdevs), status=with_guids(text or status(*vdevs)),
        properties=PROPERTIES if properties is None else properties, **changes,
    )  # fmt: skip
    return report(found, datasets=[dataset(used_bytes=0, available_bytes=shown(*vdevs))], version=version)


def shown(*vdevs: str) -> int:
    """What zfs list shows of the empty pool."""
    kind = vdevs[0].split()[0]
    return pool_space(
        kind, [[PART] * int(one.split()[1]) for one in vdevs], whole_disks=False
    ).available_bytes


def nas(*vdevs: str, free: int = 3, **changes: Any) -> Machine:
    used = sum(int(one.split()[1]) for one in vdevs)
    return zfs_machine(kept(*vdevs, **changes), *(zfs_disk(n) for n in range(1, used + 1)), *FREE[:free])


def rows(machine: Machine) -> dict[str, Shape]:
    (unit,) = units_of(machine)
    return {one.shape.change: one.shape for one in table_of(unit, machine).rows}


def plan(machine: Machine, *add: int, **order: Any) -> Plan:
    disks = tuple(FREE[number - 5].identity for number in add)
    return make_care(Grow(unit=GUID, add=disks, **order), machine, seed=SEED)


def zpool(made: Plan) -> list[str]:
    """The commands of zpool, with the last letters of the new devices."""
    runs = [
        a.argv for step in made.steps for a in step.actions if isinstance(a, Run) and a.argv[0] == "zpool"
    ]
    return [" ".join(word.rpartition("/")[2] for word in words[1:]) for words in runs]


def test_a_single_disk_becomes_a_mirror_a_mirror_gets_a_copy_or_a_second_mirror() -> None:
    found = rows(nas("stripe 1"))
    assert (found["+1 disk"].level, found["+1 disk"].survives) == ("mirror", 1)
    assert found["+1 disk"].unit_bytes == found["today"].unit_bytes == shown("stripe 1")
    assert "any failed disk" in found["+1 disk, stripe"].refused

    found = rows(nas("mirror 2"))
    assert (found["+1 disk"].members, found["+1 disk"].survives) == (3, 2)
    assert found["+1 disk"].unit_bytes == shown("mirror 2")
    assert (found["+2 disks"].members, found["+2 disks"].survives) == (4, 1)
    assert found["+2 disks"].unit_bytes == shown("mirror 2", "mirror 2")


def test_a_pool_of_several_vdevs_grows_by_one_like_them() -> None:
    found = rows(nas("mirror 2", "mirror 2"))
    assert found["+2 disks"].unit_bytes == shown("mirror 2", "mirror 2", "mirror 2")
    assert "it has 2 mirrors" in found["+1 disk"].refused
    found = rows(nas("raidz1 3"))
    assert found["+3 disks"].unit_bytes == shown("raidz1 3", "raidz1 3")
    assert "never gives a vdev back" in found["+3 disks"].undo
    found = rows(nas("stripe 1", "stripe 1"))
    assert found["+1 disk"].unit_bytes == shown(*["stripe 1"] * 3)
    assert "any failed disk loses all of it" in found["+1 disk"].risk
    assert (found["+2 disks"].level, found["+2 disks"].survives) == ("mirror", 1)


@pytest.mark.parametrize(
    ("vdevs", "add", "commands"),
    [
        (["stripe 1"], (5,), ["attach -o ashift=12 tank 1000 NEW"]),
        (["mirror 2"], (5,), ["attach -o ashift=12 tank 1001 NEW"]),
        (["mirror 2"], (5, 6), ["add -n -o ashift=12 tank mirror NEW NEW", "add -o ashift=12 tank mirror NEW NEW"]),
        (["raidz1 3"], (5, 6, 7), ["add -n -o ashift=12 tank raidz1 NEW NEW NEW", "add -o ashift=12 tank raidz1 NEW NEW NEW"]),
        (["stripe 1"] * 2, (5,), ["add -n -o ashift=12 tank NEW", "add -o ashift=12 tank NEW"]),
    ],
)  # fmt: skip
def test_the_commands(vdevs: list[str], add: tuple[int, ...], commands: list[str]) -> None:
    made = plan(nas(*vdevs), *add)
    new = {disk(number).stable_path.rpartition("/")[2] + "-part1" for number in add}
    found = [" ".join("NEW" if word in new else word for word in line.split()) for line in zpool(made)]
    assert found == commands
    assert all("-f" not in line.split() for line in found)
    assert ("scrub" in {step.id for step in made.steps}) == ("attach" in commands[0])
    assert made.steps[-1].id == "prove"
    (changing,) = (step for step in made.steps if step.id in {"add", "attach"})
    assert unlabelled(changing) == [one.subject for one in changing.before if one.kind == "blank"]


@pytest.mark.parametrize(
    ("vdevs", "add", "hazard"),
    [
        (["raidz1 3"], (5, 6, 7), "vdev-for-good"),
        (["stripe 1"] * 2, (5,), "vdev-without-redundancy"),
        (["mirror 2"], (5, 6), ""),
        (["mirror 2"], (5,), ""),
    ],
)
def test_what_cannot_be_undone_is_said_before(vdevs: list[str], add: tuple[int, ...], hazard: str) -> None:
    found = {one.id for one in plan(nas(*vdevs), *add).hazards}
    assert found & {"vdev-for-good", "vdev-without-redundancy"} == ({hazard} if hazard else set())


def test_each_disk_of_a_stripe_gets_a_copy() -> None:
    made = plan(nas("stripe 1", "stripe 1"), 5, 6)
    assert [line.split()[4] for line in zpool(made) if line.startswith("attach")] == ["1000", "1001"]
    assert POOL_SHAPE.of(GUID, "mirror 2 2") in made.steps[-1].after


def test_the_proof_is_what_the_pool_becomes() -> None:
    made = plan(nas("mirror 2"), 5, 6)
    assert made.steps[-1].after == (
        POOL_SHAPE.of(GUID, "mirror 2 2"),
        POOL_HOLDS.of(GUID, str(shown("mirror 2", "mirror 2"))),
    )


def test_larger_devices_are_used_after_their_partitions() -> None:
    machine = nas("mirror 2")
    assert "members on larger disks" in rows(machine)["larger members"].needs
    with pytest.raises(Refused, match="already uses all"):
        plan(machine, to_largest=True)
    wide = tuple(
        msgspec.structs.replace(one, size_bytes=2 * one.size_bytes) if one.partitions else one
        for one in machine.disks
    )
    machine = msgspec.structs.replace(machine, disks=wide)
    assert rows(machine)["larger members"].unit_bytes > 1.9 * shown("mirror 2")
    made = plan(machine, to_largest=True)
    assert zpool(made) == ["online -e tank 1001", "online -e tank 1002"]
    assert [step.id for step in made.steps] == ["widen-1", "widen-2", "expand", "prove"]


def test_devices_that_are_larger_than_what_the_pool_uses_of_them() -> None:
    """As after zpool-replace(8) with larger disks, which ZFS partitions itself."""
    machine = nas("mirror 2", properties=PROPERTIES | {"expandsize": str(4 * 10**9)})
    shape = rows(machine)["larger members"]
    assert shape.unit_bytes == shown("mirror 2") + 3_875_000_000
    assert zpool(plan(machine, to_largest=True)) == ["online -e tank 1001", "online -e tank 1002"]


def test_one_larger_disk_of_a_mirror_gives_nothing() -> None:
    machine = nas("mirror 2")
    first, *rest = machine.disks
    machine = msgspec.structs.replace(
        machine, disks=(msgspec.structs.replace(first, size_bytes=2 * first.size_bytes), *rest)
    )
    assert not rows(machine)["larger members"].procedure


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"properties": {}}, "properties could not be read"),
        ({"properties": PROPERTIES | {"checkpoint": "64K"}}, "has a checkpoint"),
        ({"properties": PROPERTIES | {"readonly": "on"}}, "read-only"),
        ({"text": status("mirror 2", scan="scrub in progress since Sun\n\t1M scanned, 1M issued, 2M total\n\t5.0% done")}, "it is busy: scrub"),
        ({"text": status("mirror 2", scan="scrub paused since Sun\n\t1M scanned, 1M issued, 2M total\n\t5.0% done")}, "paused: resume or stop"),
        ({"text": status("mirror 2", state="OFFLINE")}, "lacks a disk"),
        ({"text": status("mirror 2").replace("sdb1  ONLINE  0", "sdb1  ONLINE  3")}, "errors are counted"),
        ({"text": status("mirror 2", "raidz1 3")}, "mirror and raidz1"),
        ({"text": status("mirror 2").replace("sdb1", "sdz1")}, "not every device"),
    ],
)  # fmt: skip
def test_what_cannot_grow_now_says_why(changes: dict[str, Any], words: str) -> None:
    machine = nas("mirror 2", **changes)
    assert words in rows(machine)["more disks"].refused
    assert words in rows(machine)["larger members"].refused
    with pytest.raises(Refused, match=words):
        plan(machine, 5)


def test_vdevs_of_different_widths_and_devices_without_guids_are_refused() -> None:
    assert "different numbers" in rows(nas("mirror 2", "mirror 3", free=0))["more disks"].refused
    machine = zfs_machine(
        report(pool(status("mirror 2"), properties=PROPERTIES)), zfs_disk(1), zfs_disk(2), *FREE
    )
    assert "GUIDs" in rows(machine)["more disks"].refused


@pytest.mark.parametrize(("add", "words"), [((5, 6, 7), "does by 1 or 2"), ((), "either by disks")])
def test_other_numbers_of_disks_are_refused(add: tuple[int, ...], words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(nas("mirror 2"), *add)
    with pytest.raises(Refused, match="no way to another"):
        plan(nas("mirror 2"), level="raidz1")


@pytest.mark.parametrize(
    ("version", "vdevs", "words"),
    [
        ("2.1.11", 1, "needs OpenZFS 2.3, and 2.1.11 is loaded"),
        ("", 1, "a power cut while a raidz expansion starts"),
        ("2.3.9", 1, "a power cut while a raidz expansion starts"),
        ("2.3.9", 2, "a power cut while a raidz expansion starts"),
    ],
)
def test_a_raidz_is_not_expanded_and_why(version: str, vdevs: int, words: str) -> None:
    machine = nas(*["raidz1 2"] * vdevs, version=version)
    assert words in rows(machine)["+1 disk"].refused
    with pytest.raises(Refused, match=words):
        plan(machine, 5)


def test_what_a_wider_raidz_would_show_and_hold() -> None:
    """Counted by the ratio of three disks, 2 to 1, and written as 3 to 1 from then on, with its padding."""
    why = rows(nas("raidz1 3", version="2.3.9"))["+1 disk"].refused
    assert "zfs list would show 25.3 GB, and it would hold about 27.6 GB" in why
    assert "a new file of 1 GB is listed as 917 MB" in why


def answer(check: Check, found: Pool | None, monkeypatch: pytest.MonkeyPatch, size: int = 0) -> Truth:
    known = report(found, datasets=[dataset(used_bytes=100, available_bytes=size)]) if found else None
    monkeypatch.setattr(conditions, "imported", lambda ask: known)
    return condition(check).ask(check, lambda path: False).truth


RESILVERS = status(
    "mirror 2", scan="resilver in progress since Sun\n\t1M scanned, 1M issued, 2M total\n\t5.0% done"
)
AWAITS = status("mirror 2").replace("sdb1  ONLINE  0  0  0", "sdb1  ONLINE  0  0  0  (awaiting resilver)")


@pytest.mark.parametrize(
    ("check", "found", "truth"),
    [
        (POOL_SHAPE.of(GUID, "mirror 2 2"), pool(status("mirror 2", "mirror 2")), YES),
        (POOL_SHAPE.of(GUID, "mirror 2 2"), pool(status("mirror 2")), NO),
        (POOL_SHAPE.of(GUID, "stripe 1 1"), pool(status("stripe 1", "stripe 1")), YES),
        (POOL_SHAPE.of(GUID, "mirror 2"), pool(status("mirror 2", state="FAULTED")), NO),
        (POOL_SHAPE.of(GUID, "mirror 2"), pool(status()), UNKNOWN),
        (POOL_SHAPE.of(GUID, "mirror 2"), None, UNKNOWN),
        (POOL_SHAPE.of("1", "mirror 2"), pool(status("mirror 2")), NO),
        (POOL_SETTLED.of(GUID), pool(status("mirror 2")), YES),
        (POOL_SETTLED.of(GUID), pool(RESILVERS), NO),
        (POOL_SETTLED.of(GUID), pool(AWAITS), NO),
        (POOL_SETTLED.of(GUID), pool(status()), UNKNOWN),
        (POOL_SETTLED.of("1"), pool(status("mirror 2")), NO),
        (POOL_HOLDS.of(GUID, "1100"), pool(status("mirror 2")), YES),
        (POOL_HOLDS.of(GUID, "1120"), pool(status("mirror 2")), NO),
        (POOL_HOLDS.of("1", "1"), pool(status("mirror 2")), NO),
    ],
)
def test_the_conditions(
    check: Check, found: Pool | None, truth: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(check, found, monkeypatch, size=1000) is truth


@pytest.mark.processes
@pytest.mark.parametrize(
    ("kind", "args", "text", "truth"),
    [
        ("pool-shape", ["stripe", "1", "1"], status("stripe 1", "stripe 1"), True),
        ("pool-shape", ["stripe", "1"], status("stripe 1", "stripe 1"), False),
        ("pool-shape", ["raidz1", "3", "3"], status("raidz1 3", "raidz1 3"), True),
        ("pool-shape", ["raidz1", "3"], status("raidz2 3"), False),
        ("pool-shape", ["mirror", "2"], status("mirror 2", state="FAULTED"), False),
        ("pool-shape", ["mirror", "2"], status("mirror 2", more="\tlogs\n\t  /dev/x  ONLINE  0  0  0"), True),
        ("pool-settled", [], RESILVERS, False),
        ("pool-settled", [], AWAITS, False),
        ("pool-settled", [], status("mirror 2"), True),
    ],
)  # fmt: skip
def test_the_conditions_of_a_script(
    tmp_path: Path, kind: str, args: list[str], text: str, truth: bool
) -> None:
    tool = by_words(guid=f"tank\t{GUID}", status=text.rstrip("\n"))
    assert holds(tmp_path, kind, World({"zpool": tool}, [GUID, *args])) is truth


def test_an_expansion_is_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    its = with_guids(status("raidz1 3"))
    running = msgspec.structs.replace(its, expansion=Expansion(running=True))
    assert answer(POOL_SETTLED.of(GUID), pool(status=running), monkeypatch) is NO
    over = msgspec.structs.replace(its, expansion=Expansion())
    assert answer(POOL_SETTLED.of(GUID), pool(status=over), monkeypatch) is YES


def test_the_table_as_text() -> None:
    machine = nas("mirror 2")
    (unit,) = units_of(machine)
    lines = list(table(table_of(unit, machine), machine))
    assert all(len(line) <= 80 for line in lines)
    text = "\n".join(lines)
    (new,) = rows(machine)["+1 disk"].add
    assert f"raidtui grow tank --add {new} --erase {new}" in text
    assert "2 vdevs, each a mirror of 2 disks" in text
    assert "ZFS has no way from one kind of vdev to another" in text


def test_a_single_disk_gets_a_copy_later() -> None:
    found = zfs_facts("stripe", [PART], Options())
    assert (found.grows_by, found.grows_bytes) == (1, 0)
