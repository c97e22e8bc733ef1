"""Each safety check of a job is made, at its place, and what it finds stops the job before anything is changed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.jobs import capsule as capsules
from raidtui.jobs import durable, launch, runner, start, store
from raidtui.jobs.disk_locks import lock_disk
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.journal import Entry, Outcome
from raidtui.model.machine import Machine, Signature
from raidtui.model.plan import Hazard, Plan, RestoreCapsule, Severity
from raidtui.model.units import MIB
from tests.unit.fake_computer import FakeComputer
from tests.unit.plan_machines import array, disk, machine, member_disk, teardown
from tests.unit.test_jobs_capsule import SIZE, a_disk, an_image, no_texts
from tests.unit.test_jobs_runner import ACTIONS, MACHINE, PLAN, a_job, another, finished, kill_at, run

DANGER = Hazard(
    id="danger", severity=Severity.HIGH, meaning="It burns.", seen="smoke", advice="Run.", source=""
)


def refused(folder: Path, on: FakeComputer) -> Entry:
    """Run the job, which must refuse and change nothing."""
    done = len(on.done)
    code, end = run(folder, on)
    assert (code, end.outcome) == (3, Outcome.REFUSED), end.text
    assert len(on.done) == done
    return end


def half_done(number: int = ACTIONS // 2) -> tuple[Path, FakeComputer]:
    """A job that was killed after so many actions."""
    folder, on = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(number, folder, on)
    return folder, on


# The job's process, before its first step.


def test_a_disk_that_cannot_be_held_stops_the_job() -> None:
    on = FakeComputer(PLAN, MACHINE)
    on.in_use = "S-0002 (/dev/sdb) is in use by /dev/dm-0"
    assert refused(a_job(), on).text == on.in_use


def test_a_state_folder_on_a_disk_of_the_job_stops_it() -> None:
    on = FakeComputer(PLAN, MACHINE)
    on.place_is_on = "S-0002"
    assert "the state folder is on S-0002" in refused(a_job(), on).text


def test_a_path_that_leads_to_another_disk_stops_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    on = FakeComputer(PLAN, MACHINE)
    monkeypatch.setattr(on, "number_of", lambda path: "9:9")
    assert "leads to the device 9:9" in refused(a_job(), on).text


def test_a_name_that_means_another_array_now_stops_the_job() -> None:
    folder, on = half_done()
    on.machine = msgspec.structs.replace(
        MACHINE, arrays=(array(uuid="12345678-1234-1234-1234-123456789abc", members=()),)
    )
    assert "which the commands would write to, is now tank" in refused(folder, on).text


def test_a_disk_of_another_job_stops_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_ASKING_SECONDS", 0.01)
    with lock_disk("S-0002"):
        assert "another job is using the disk S-0002" in refused(a_job(), FakeComputer(PLAN, MACHINE)).text


@pytest.mark.parametrize("seen", [1, 2], ids=["on the confirmed machine", "on the live machine"])
def test_a_hazard_that_was_not_accepted_stops_the_job(seen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Machine] = []

    def derive(request: object, where: Machine) -> Plan:
        calls.append(where)
        return msgspec.structs.replace(PLAN, hazards=(DANGER,)) if len(calls) == seen else PLAN

    folder = a_job()
    monkeypatch.setattr(runner, "derive_plan", derive)
    assert "It burns" in refused(folder, FakeComputer(PLAN, MACHINE)).text


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (disk(2, serial="S-9999"), "its serial number was S-0002 and is S-9999"),
        (disk(2, size_bytes=9_000_000_000), "its size in bytes was 10000000000 and is 9000000000"),
        (disk(2, sequence=7), "its sequence number (diskseq) was not there and is 7"),
        (disk(2, device_number="8:99"), "was removed just now"),
    ],
)
def test_disks_are_compared_once_more_when_they_are_held(now: Any, why: str) -> None:
    on = FakeComputer(PLAN, MACHINE)
    on.at_last = tuple(now if one.path == now.path else one for one in MACHINE.disks)
    assert why in refused(a_job(), on).text


# A resume and a rollback.


def test_a_resume_refuses_an_array_that_somebody_else_uses() -> None:
    folder, on = half_done(ACTIONS - 6)
    luks = Signature(device="/dev/md127", offset=0, type="crypto_LUKS", uuid="9-9")
    members = tuple(member_disk(number, PLAN.array_uuid) for number in (1, 2, 3))
    on.machine = machine(
        *members, arrays=(array(uuid=PLAN.array_uuid, signatures=(luks,)),), initramfs="update-initramfs"
    )
    assert "crypto_LUKS 9-9 on it, which this job did not put there" in refused(folder, on).text


def test_an_array_that_was_started_again_is_looked_at_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, on = half_done(ACTIONS - 6)
    on.reboot()
    looked: list[int] = []

    def look(plan: Plan, live: Machine, *, before: object) -> None:
        looked.append(len(on.done))
        if len(looked) == 2:
            raise Refused("it holds something else")

    monkeypatch.setattr(runner, "check_array_is_ours", look)
    code, end = run(folder, on)
    assert code != 0
    assert "it holds something else" in end.text


def test_a_resume_refuses_a_disk_that_was_written_to() -> None:
    first = next(n for n, step in enumerate(PLAN.steps) if step.destroys)
    folder, on = half_done(sum(len(step.actions) for step in PLAN.steps[:first]) + 4)
    on.untouched = False
    assert "was written to" in refused(folder, on).text


def test_a_rollback_is_verified() -> None:
    folder, on = half_done(6)
    really = on.read
    reads: list[Machine] = []

    def read(known_tools: Any) -> Machine:
        reads.append(really(known_tools))
        found = Signature(device="/dev/sdb", offset=0, type="xfs", uuid="9-9")
        return reads[0] if len(reads) == 1 else another(2, signatures=(found,))

    on.read = read  # type: ignore[method-assign]
    code, end = run(folder, on, rollback=True)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert "was restored, but does not look as it did before" in end.text


def test_what_was_overwritten_is_not_restored_from_the_capsule() -> None:
    folder = a_job()
    on = finished(PLAN, folder)
    # A job that is done is not rolled back; one that was killed at its last entry is.
    (folder / "journal.jsonl").write_bytes(
        b"".join((folder / "journal.jsonl").read_bytes().splitlines(True)[:-1])
    )
    on.done.clear()
    assert run(folder, on, rollback=True)[0] == 0
    assert not [one for one in on.done if isinstance(one, RestoreCapsule)]


# The capsule, and files that survive a power cut.


def test_a_capsule_with_other_bytes_of_the_same_length_is_damaged(tmp_path: Path) -> None:
    image, folder = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    capsules.save(folder, a_disk(image), [], no_texts)
    saved = capsules.folder_of(folder, "LAB-0001") / f"{SIZE // 4096 * 4096 - MIB}.raw"
    saved.write_bytes(bytes(len(saved.read_bytes())))
    with pytest.raises(Refused, match="the capsule is damaged"):
        capsules.restore(folder, a_disk(image), ours=frozenset())


def test_what_was_restored_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image, folder = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    capsules.save(folder, a_disk(image), [], no_texts)
    image.write_bytes(bytes(SIZE))
    monkeypatch.setattr(capsules, "write_at", lambda fd, offset, content: None)
    with pytest.raises(StepFailed, match="does not hold what was restored"):
        capsules.restore(folder, a_disk(image), ours=frozenset())


def test_a_file_is_on_disk_before_it_takes_its_name_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    did: list[str] = []
    really = os.replace

    def replace(source: Path, target: Path) -> None:
        did.append("rename")
        really(source, target)

    monkeypatch.setattr(os, "fsync", lambda fd: did.append(Path(os.readlink(f"/proc/self/fd/{fd}")).name))
    monkeypatch.setattr(os, "replace", replace)
    durable.write_file(tmp_path / "file", b"new")
    assert did == [".file.raidtui", "rename", tmp_path.name]


# The process that starts a job.


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(start, "_check_tools", lambda plan: None)


HELD = machine(*(member_disk(number) for number in (1, 2, 3)), arrays=(array(),))
REQUESTS: dict[str, Callable[..., Any]] = {
    "build": lambda plan, where, erase: start.build_request(plan, where, erase=erase),
    "teardown": lambda plan, where, erase: start.teardown_request(plan, where, array="tank", erase=erase),
}


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize("kind", REQUESTS)
def test_a_job_is_requested_only_for_disks_that_were_named_on_a_machine_that_was_read_whole(
    kind: str,
) -> None:
    where = HELD if kind == "teardown" else MACHINE
    plan, ask = (teardown(HELD) if kind == "teardown" else PLAN), REQUESTS[kind]
    where = msgspec.structs.replace(where, complete=True)
    named = tuple(one.identity for one in plan.disks)
    assert ask(plan, where, named).erase == named
    with pytest.raises(Refused, match="name every disk"):
        ask(plan, where, named[:-1])
    with pytest.raises(Refused, match="read without root"):
        ask(plan, msgspec.structs.replace(where, complete=False), named)
    blocked = msgspec.structs.replace(plan, hazards=(DANGER,))
    with pytest.raises(Refused, match="It burns"):
        ask(blocked, where, named)


def test_a_state_folder_that_others_may_write_to_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(state: Path, job: Path | None = None) -> None:
        if job is not None:
            raise Refused(f"others may write to {job.name} in {state.name}")

    monkeypatch.setattr(launch, "check_private", check)
    monkeypatch.setattr(launch, "_has_systemd", lambda: False)
    monkeypatch.setattr(launch, "_as_session", lambda *words: pytest.fail("it was started"))
    folder = a_job()
    with pytest.raises(Refused, match=f"others may write to {folder.name} in state"):
        launch.launch(folder, "run")


def test_a_new_job_is_not_written_where_others_may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(state: Path, job: Path | None = None) -> None:
        raise Refused("others may write")

    monkeypatch.setattr(store, "check_private", check)
    with pytest.raises(Refused, match="others may write"):
        a_job()
