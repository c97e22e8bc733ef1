"""A backend that only the contract knows: a RAID card whose drives have no device, in the folder that the row of another family names."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.backends import registry
from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.backends.facts import Options
from raidtui.backends.level import Level
from raidtui.backends.md.facts import md_facts
from raidtui.backends.single.backend import BACKEND as SINGLE
from raidtui.backends.single.reader import READER
from raidtui.jobs.confirm import check_erase
from raidtui.jobs.journal import read_journal
from raidtui.jobs.runner import run_job
from raidtui.jobs.store import write_job
from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import JobKind, JobRequest, Outcome
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, Role, Run, Step, Undo
from raidtui.model.spec import Backend, Spec
from raidtui.plan.build import make_plan
from raidtui.steps.seeds import derive
from tests.unit.fake_computer import FakeComputer
from tests.unit.plan_machines import SEED, disk, machine

CREATE = ("card", "create", "r1", "252:0", "252:1")


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    slots = tuple(piece.disk.slot for piece in resolved.pieces)
    create = Step(
        id="virtual-drive",
        role=Role.CREATE,
        title="Create the virtual drive",
        reason="The card erases the drives.",
        actions=(Run(argv=("card", "create", "r1", *slots)),),
        undoable=Undo.IMPOSSIBLE,
        undo=(Run(argv=("card", "delete", resolved.spec.name)),),
        undo_note="the virtual drive is deleted, but the old contents of the drives are lost",
    )
    uuid = derive(seed, "array")
    path = f"/dev/disk/by-id/wwn-{uuid}"
    return Built(core=[create], what="virtual drive", uuid=uuid, path=path, stale=False)


BUILDER: Final = Builder(
    build=_build,
    removal=lambda word, machine: None,
    boot_note=lambda spec, system: "",
    node_of=lambda plan: "",
    disks_under=lambda plan: frozenset(),
)

CARD: Final = replace(
    SINGLE,
    name=Backend.ADAPTEC,
    noun="virtual drive",
    blurb="A virtual drive of a RAID card. ",
    levels={"raid1": Level(name="raid1", min_disks=2)},
    check=lambda spec: None,
    defaults=lambda spec: replace(spec, partition=False, reserve=0),
    facts=lambda level, sizes, options: md_facts(level, sizes, Options()),
    compared=lambda wanted, disks, alike: iter([("raid1", wanted)]),
)


@pytest.fixture(autouse=True)
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The folder and the row, for the time of one test."""
    folder = ModuleType("raidtui.backends.card")
    folder.__dict__["__path__"] = []
    monkeypatch.setitem(sys.modules, folder.__name__, folder)
    for file, part in (("backend", CARD), ("builder", BUILDER), ("reader", READER)):
        module = ModuleType(f"{folder.__name__}.{file}")
        module.__dict__[file.upper()] = part
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(registry.FOLDERS, Backend.ADAPTEC, "card")
    monkeypatch.setattr(registry, "OF_CARDS", {Backend.ADAPTEC: frozenset()})
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    registry._part.cache_clear()
    yield
    registry._part.cache_clear()


def drive(number: int) -> Disk:
    """A drive behind the card."""
    return replace(
        disk(number), name="", path="", device_number="", by_id=(), wwn="", slot=f"252:{number - 1}"
    )


def behind_the_card() -> Machine:
    there = machine()
    return replace(there, disks=(drive(1), drive(2), *there.disks[2:]))


SPEC = Spec(name="tank", backend=Backend.ADAPTEC, level="raid1", members=("S-0001", "S-0002"))


def a_job(plan: Plan, where: Machine) -> Path:
    request = JobRequest(
        id="20261122-050000-tank",
        kind=JobKind.BUILD,
        title="a job",
        created="",
        spec=plan.spec,
        seed=SEED,
        fingerprint=plan.fingerprint,
        erase=("S-0001", "S-0002"),
    )
    return write_job(request, machine=where, plan=plan)


def test_drives_without_a_device_are_planned_and_confirmed_by_serial_number() -> None:
    made = make_plan(SPEC, behind_the_card(), seed=SEED)
    assert [one.path for one in made.disks] == ["", ""]
    assert made.steps[0].actions == (Run(argv=CREATE),)
    check_erase(made, ["S-0001", "S-0002"], behind_the_card())
    with pytest.raises(Refused, match="S-0002"):
        check_erase(made, ["S-0001"], behind_the_card())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"chunk": 65536}, "has no key 'chunk'"),
        ({"spares": ("S-0003",)}, "has no key 'spares'"),
        ({"options": {"recordsize": "1MiB"}}, "there is no option 'recordsize'"),
    ],
)
def test_a_key_that_a_backend_does_not_name_is_refused_for_it(
    changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        make_plan(replace(SPEC, **changes), behind_the_card(), seed=SEED)


def test_a_job_on_drives_without_a_device_runs_to_its_end() -> None:
    where = behind_the_card()
    plan = make_plan(SPEC, where, seed=SEED)
    computer = FakeComputer(plan, where)
    folder = a_job(plan, where)
    assert run_job(folder, on=computer) == 0, read_journal(folder)[-1].text
    assert computer.done == [Run(argv=CREATE)]


def test_a_drive_that_was_replaced_stops_the_job() -> None:
    where = behind_the_card()
    plan = make_plan(SPEC, where, seed=SEED)
    other = replace(where, disks=(drive(1), replace(drive(2), size_bytes=10**9), *where.disks[2:]))
    folder = a_job(plan, where)
    assert run_job(folder, on=FakeComputer(plan, other)) == Refused.exit_code
    assert read_journal(folder)[-1].outcome is Outcome.REFUSED


def test_a_drive_that_got_a_device_meanwhile_is_another_one() -> None:
    where = behind_the_card()
    plan = make_plan(SPEC, where, seed=SEED)
    shown = replace(where, disks=(drive(1), disk(2), *where.disks[2:]))
    folder = a_job(plan, where)
    computer = FakeComputer(plan, shown)
    assert run_job(folder, on=computer) == Refused.exit_code
    assert computer.done == []


def test_what_nobody_can_look_into_is_not_rolled_back() -> None:
    where = behind_the_card()
    plan = make_plan(SPEC, where, seed=SEED)
    computer, folder = FakeComputer(plan, where), a_job(plan, where)
    assert run_job(folder, on=computer) == 0
    assert run_job(folder, rollback=True, on=computer) == Refused.exit_code
    assert "is not running, so what is on it now is unknown" in read_journal(folder)[-1].text
    assert computer.done == [Run(argv=CREATE)]
