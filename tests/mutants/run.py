"""Break one line that keeps data safe at a time, in a copy, and check that a quick test notices.

``python -m tests.mutants.run [WORD…]`` runs the mutants whose names have one of the words, by default all, and prints
for each whether it was killed; the exit code is 1 if one is alive. The ``long`` tier runs it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutants.frames import FRAMES
from tests.mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("raidtui", "tests", "pyproject.toml")
WIRING = "tests/unit/test_jobs_wiring.py"
FILES = "tests/unit/test_own_files.py"
JOBS = "raidtui/jobs/"
GRAPH = "raidtui/model/"
GRAPH_TESTS = "tests/unit/test_model_device_graph.py"
CLAIMS = "tests/unit/test_machine_claims.py"
TEARDOWN = "tests/unit/test_plan_teardown.py"
MD = "raidtui/backends/md/"
FREEING = "raidtui/machine/taken/freeing.py"


MUTANTS = (
    Mutant("hold_all left out", JOBS + "runner.py", "        holding.hold_all()\n", ""),
    Mutant(
        "check_paths left out",
        JOBS + "runner.py",
        "        check_paths(self._plan, self._disks, on.number_of)\n",
        "",
    ),
    Mutant(
        "check_array_names left out",
        JOBS + "runner.py",
        "        check_array_names(self._plan, self._confirmed, live)\n",
        "",
    ),
    Mutant(
        "check_place left out",
        JOBS + "runner.py",
        "        on.check_place(folder, self._plan, self._disks)\n",
        "",
    ),
    Mutant(
        "reserve left out",
        JOBS + "runner.py",
        "        stack.enter_context(reserve(self._plan, part_of=self._request.part_of))\n",
        "",
    ),
    Mutant(
        "check_hazards left out of the plan as confirmed",
        JOBS + "runner.py",
        "        check_hazards(plan, self._request.accepted)\n        return plan\n\n    def _known_tools",
        "        return plan\n\n    def _known_tools",
    ),
    Mutant(
        "check_hazards left out of the plan made again",
        JOBS + "runner.py",
        "        plan = derive_plan(self._request, machine)\n        check_hazards(plan, self._request.accepted)\n",
        "        plan = derive_plan(self._request, machine)\n",
    ),
    Mutant(
        "check_erase left out of the job",
        JOBS + "runner.py",
        "        check_erase(plan, self._request.erase, self._confirmed)\n",
        "",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "the fingerprint not compared",
        JOBS + "runner.py",
        "if plan.fingerprint != self._request.fingerprint:",
        "if False:",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "check_array_is_ours left out of a resume",
        JOBS + "runner.py",
        "            check_array_is_ours(self._plan, live, before=self._on_array_before())\n            if self._plan",
        "            if self._plan",
    ),
    Mutant(
        "check_array_is_ours left out when an array was started again",
        JOBS + "runner.py",
        "            check_all_read(self._plan, live)\n            check_array_is_ours(self._plan, live, before=self._on_array_before())\n",
        "            check_all_read(self._plan, live)\n",
    ),
    Mutant(
        "check_still_ours left out",
        JOBS + "runner.py",
        "            check_still_ours(self._plan, self._confirmed, live, written=written)\n",
        "",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "check_untouched left out of a resume",
        JOBS + "runner.py",
        "                    self._on.check_untouched(self._folder / CAPSULE, disk)\n",
        "                    pass\n",
    ),
    Mutant(
        "check_unchanged left out",
        JOBS + "runner.py",
        "            check_unchanged(self._plan, self._confirmed, live, self._replan)\n",
        "            pass\n",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "the disks not compared when they are held",
        JOBS + "runner.py",
        "        check_same_disks(self._disks.values(), on.disks())\n",
        "",
    ),
    Mutant(
        "the signatures not compared when the disks are held",
        JOBS + "runner.py",
        "        check_same_signatures(self._disks.values(), on.probe)\n",
        "",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "a rollback not verified",
        JOBS + "runner.py",
        "        self._verify_rollback(irreversible=irreversible)\n",
        "",
    ),
    Mutant(
        "the capsule restored over what was built",
        JOBS + "runner.py",
        "if step.undoable is Undo.CAPSULE and irreversible:",
        "if False:",
    ),
    Mutant(
        "a rollback that does not ask for files",
        JOBS + "runner.py",
        "            self._check_nothing_stored()\n",
        "            pass\n",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "O_EXCL dropped",
        JOBS + "holding.py",
        "os.O_RDONLY | os.O_EXCL",
        "os.O_RDONLY",
        ("tests/unit/test_jobs_holding.py",),
    ),
    Mutant(
        "the device of the open descriptor not compared",
        JOBS + "holding.py",
        "if (number := device_number(fd)) != disk.device_number:",
        'if number := "":',
        ("tests/unit/test_jobs_holding.py",),
    ),
    Mutant(
        "the SHA-256 of the capsule not compared",
        JOBS + "capsule.py",
        " or hashlib.sha256(content).hexdigest() != region.sha256",
        "",
    ),
    Mutant("restored bytes not verified", JOBS + "capsule.py", "    if wrong:\n", "    if False:\n"),
    Mutant(
        "the capsule of another disk taken",
        JOBS + "capsule.py",
        "if (index.serial, index.wwn, index.size_bytes) != (disk.serial, disk.wwn, disk.size_bytes):",
        "if False:",
        ("tests/unit/test_jobs_capsule.py",),
    ),
    Mutant(
        "fsync before the rename dropped",
        JOBS + "durable.py",
        "        os.fsync(fd)\n        os.replace(beside, path)\n",
        "        os.replace(beside, path)\n",
    ),
    Mutant(
        "fsync of the journal dropped",
        JOBS + "journal.py",
        "            if not self._waits:\n                os.fsync(self._fd)\n",
        "",
        ("tests/unit/test_jobs_journal.py",),
    ),
    Mutant(
        "a job requested without check_erase",
        JOBS + "start.py",
        "    check_erase(plan, erase, machine)\n    check_hazards(plan, accepted)\n",
        "    check_hazards(plan, accepted)\n",
    ),
    Mutant(
        "a job requested without check_hazards",
        JOBS + "start.py",
        "    check_hazards(plan, accepted)\n",
        "",
    ),
    Mutant(
        "a teardown requested without a check",
        JOBS + "start.py",
        "    _check(plan, machine, erase, ())\n",
        "",
    ),
    Mutant(
        "a job requested with an incomplete reading",
        JOBS + "start.py",
        "    if not machine.complete:\n",
        "    if False:\n",
    ),
    Mutant(
        "a process started without check_private",
        JOBS + "launch.py",
        "    check_private(folder.parent.parent, folder)\n",
        "",
    ),
    Mutant(
        "a job written without check_private",
        JOBS + "store.py",
        "    check_private(state_folder())\n",
        "",
    ),
    Mutant(
        "a link in the state folder followed",
        "raidtui/machine/own_files.py",
        "os.O_NOFOLLOW | os.O_NONBLOCK",
        "os.O_NONBLOCK",
        (FILES,),
    ),
    Mutant(
        "links in the state folder not refused",
        "raidtui/machine/own_files.py",
        "    if path.is_symlink():\n",
        "    if False:\n",
        (FILES,),
    ),
    Mutant(
        "a hard link in the state folder taken",
        "raidtui/machine/own_files.py",
        " or about.st_nlink > 1",
        "",
        (FILES,),
    ),
    Mutant(
        "a state folder that others may write to taken",
        "raidtui/machine/own_files.py",
        '_of_sudo("SUDO_UID")} or others:',
        '_of_sudo("SUDO_UID")}:',
        ("tests/unit/test_jobs_state_folder.py", FILES),
    ),
    Mutant(
        "a tool's answer taken though it was ended",
        "raidtui/machine/ask.py",
        "    if done.returncode is None:\n        return ToolAnswer(returncode=None,",
        "    if done.returncode is None:\n        return ToolAnswer(returncode=0,",
        ("tests/unit/test_machine_child.py",),
    ),
    Mutant(
        "a cancel ends any command",
        JOBS + "steps.py",
        "and self._step.role in _CAN_BE_CUT_SHORT",
        "and self._step.role is not None",
        ("tests/unit/test_jobs_runner.py",),
    ),
    Mutant(
        "loop devices not on what they show",
        GRAPH + "device_graph.py",
        "(*device.holders, *loops)",
        "device.holders",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "the partitions of what is on a disk forgotten",
        GRAPH + "device_graph.py",
        "lambda one: (*self.parts(one), *self.on(one))",
        "lambda one: self.on(one)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a disk made of others is not the bottom",
        GRAPH + "device_graph.py",
        "        if device.kind is DeviceKind.DISK:\n            return ()\n",
        "",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a partition does not lie on its disk",
        GRAPH + "device_graph.py",
        "*((device.disk,) if device.disk else ())",
        "*()",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "an image not found on the disk with its file",
        GRAPH + "device_graph.py",
        "self.holding(loop.backing) if loop.is_image else self.at(loop.backing)",
        "self.at(loop.backing)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a file is on the filesystem that is covered",
        GRAPH + "device_graph.py",
        "len(one.mount.target) >= len(deepest.mount.target)",
        "len(one.mount.target) > len(deepest.mount.target)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a file looked for in another namespace",
        GRAPH + "device_graph.py",
        "            if one.here and lies_in(file",
        "            if lies_in(file",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "mounts in other namespaces forgotten",
        GRAPH + "device_graph.py",
        "(one.here or one.apart) and is_of",
        "one.here and is_of",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "mounts that end with one of ours counted",
        GRAPH + "device_graph.py",
        "if (one.here or one.apart) and is_of(one.mount, numbers, paths)",
        "if is_of(one.mount, numbers, paths)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a mount found by its source only",
        GRAPH + "device_graph.py",
        "    if mount.device_number in numbers or mount.device in nodes:\n        return True\n",
        "    return mount.source in nodes\n",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "Btrfs' mounts not found by the node",
        GRAPH + "device_graph.py",
        "    if mount.device_number in numbers or mount.device in nodes:\n",
        "    if mount.device_number in numbers:\n",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a folder whose name begins alike taken for the folder",
        GRAPH + "device_graph.py",
        "path.startswith(f\"{folder.rstrip('/')}/\")",
        "path.startswith(folder)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "what is over a mount left there",
        GRAPH + "device_graph.py",
        '(other != "/" and lies_in(target, other)) or lies_in(other, target)',
        "lies_in(other, target)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "a filesystem of several devices is on one",
        GRAPH + "device_graph.py",
        "self._sets.get(device.name, (device.name,))",
        "(device.name,)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "swap files forgotten",
        "raidtui/machine/reader.py",
        "(own.get(device.name), *on_it)",
        "(own.get(device.name),)",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "mounts elsewhere left out of a recorded machine",
        GRAPH + "device_graph.py",
        "machine.mounts), *elsewhere),",
        "machine.mounts),),",
        (GRAPH_TESTS,),
    ),
    Mutant(
        "images not detached before their disk is unmounted",
        "raidtui/machine/taken/freeing.py",
        "    way.end_files(block, place=one.mount.target)\n",
        "",
        (CLAIMS,),
    ),
    Mutant(
        "files not ended before a unit is removed",
        "raidtui/machine/taken/freeing.py",
        "        for block in stack:\n            self.end_files(block)\n",
        "",
        (CLAIMS,),
    ),
    Mutant(
        "a loop device that goes by itself detached again",
        "raidtui/machine/taken/freeing.py",
        "        elif not block.autoclear:\n",
        "        else:\n",
        (CLAIMS,),
    ),
    Mutant(
        "overlays left on the disk",
        "raidtui/machine/taken/freeing.py",
        "lies_in(folder, target) for folder in overlay_folders(mount)",
        "lies_in(folder, target) for folder in ()",
        (CLAIMS,),
    ),
    Mutant(
        "an empty name means everything without one",
        GRAPH + "config_lines.py",
        "bool(value) and value in known",
        "value in known",
        ("tests/unit/test_model_config_lines.py",),
    ),
    Mutant(
        "a link by UUID not taken for the UUID",
        GRAPH + "config_lines.py",
        "    for known in TAGS:\n        if path",
        "    for known in ():\n        if path",
        ("tests/unit/test_model_config_lines.py",),
    ),
    Mutant(
        "links of udev forgotten in fstab",
        "raidtui/steps/footprint.py",
        "links=own.links.union(*(device.links for device in here))",
        "links=own.links",
        ("tests/unit/test_steps_footprint.py",),
    ),
    Mutant(
        "the partition table of an array under another is not wiped",
        MD + "teardown.py",
        "writable = found.state in _WRITABLE and (table or not emptied)",
        "writable = found.state in _WRITABLE and not emptied",
        (TEARDOWN,),
    ),
    Mutant(
        "other partitions of the array under one are not asked for",
        MD + "teardown.py",
        '    if others:\n        raise Refused(\n            f"{called_here(array)} is on a partition',
        '    if False:\n        raise Refused(\n            f"{called_here(array)} is on a partition',
        (TEARDOWN,),
    ),
    Mutant(
        "an array under another is still in use when its lines go",
        MD + "teardown.py",
        "free=(address(found),) if writable and not emptied else (),",
        "free=(address(found),) if writable else (),",
        (TEARDOWN,),
    ),
    Mutant(
        "an array on a partition of another is on no array",
        "raidtui/machine/md/health.py",
        'nodes = {*array.below, *(member.path for member in array.members)} - {""}',
        'nodes = {member.path for member in array.members} - {""}',
        (TEARDOWN,),
    ),
    Mutant(
        "the topmost array is not looked for",
        "raidtui/machine/md/health.py",
        "return array if above is None else topmost(above, others)",
        "return array",
        (TEARDOWN,),
    ),
    Mutant(
        "the reader forgets the arrays under an array",
        "raidtui/machine/md/arrays.py",
        "            below=self._arrays_under(md),\n",
        "",
        ("tests/unit/test_machine_arrays.py",),
    ),
    Mutant(
        "what is degraded under an array is not said of it",
        MD + "units.py",
        "health=Health.DEGRADED if well and bad else unit.health",
        "health=unit.health",
        ("tests/unit/test_backends_md_units.py",),
    ),
    Mutant(
        "a teardown is named for an array under which other partitions are",
        FREEING,
        "        or any(part.path not in blocks for _, *parts in below for part in parts)\n",
        "",
        (CLAIMS,),
    ),
    Mutant(
        "a teardown is named for an array that is also on a volume",
        FREEING,
        "        or any(whole.is_virtual and whole.path not in nodes for whole in wholes)\n",
        "",
        (CLAIMS,),
    ),
    Mutant(
        "what was mounted twice is unmounted once",
        GRAPH + "text.py",
        "found += [one] * (commands[:place].count(one) - found.count(one))",
        "found += [one] * (1 - found.count(one))",
        ("tests/unit/test_model.py",),
    ),
    Mutant(
        "an ARRAY line means an array by its name although its UUID is another's",
        GRAPH + "config_lines.py",
        "            return uuid == self.uuid\n",
        "            pass\n",
        ("tests/unit/test_model_config_lines.py",),
    ),
    Mutant(
        "an ARRAY line of another host means the array of this one",
        GRAPH + "config_lines.py",
        'other_host = ":" in whole and bool(self.full)',
        "other_host = False",
        ("tests/unit/test_model_config_lines.py",),
    ),
    Mutant(
        "a link to a partition of an array is not the array's",
        GRAPH + "config_lines.py",
        '                if value.startswith(f"{_BY}id/md-"):',
        "                if False:",
        ("tests/unit/test_model_config_lines.py",),
    ),
    Mutant(
        "a volume group with a clone is removed",
        "raidtui/backends/lvm/teardown.py",
        "    if same := next((clones[uuid] for uuid in uuids.values() if uuid in clones), None):",
        "    if same := []:",
        ("tests/unit/test_backends_lvm_build.py",),
    ),
    Mutant(
        "the disks of an array of arrays are not all found",
        GRAPH + "device_graph.py",
        "if d.name in under or d.identity in known)",
        "if d.identity in known)",
        (TEARDOWN,),
    ),
    Mutant(
        "a disk is freed by what only says more about it",
        GRAPH + "machine.py",
        "for claim in self.taken_by if claim.weight is not Weight.DATA)",
        "for claim in self.taken_by)",
        ("tests/unit/test_model.py",),
    ),
    *FRAMES,
)


def is_killed(mutant: Mutant, copy: Path) -> bool:
    """Whether the tests fail with ``mutant`` applied in ``copy``, which is left as it was."""
    path = copy / mutant.file
    before = path.read_text()
    if before.count(mutant.text) != 1:
        raise SystemExit(
            f"{mutant.name}: its text is {before.count(mutant.text)} times in {mutant.file}, not once"
        )
    path.write_text(before.replace(mutant.text, mutant.instead))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *mutant.tests],
            cwd=copy,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        )
    finally:
        path.write_text(before)
    if done.returncode not in {0, 1} or (done.returncode and " failed" not in done.stdout):
        raise SystemExit(f"{mutant.name}: the tests did not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 1


def main(words: list[str]) -> int:
    """Apply the mutants that are named; return 1 if one is alive."""
    chosen = [one for one in MUTANTS if not words or any(word in one.name for word in words)]
    alive = 0
    with tempfile.TemporaryDirectory(prefix="raidtui-mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, copy / name)
        for mutant in chosen:
            killed = is_killed(mutant, copy)
            alive += not killed
            print(f"{'killed' if killed else 'ALIVE '}  {mutant.name}", flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} killed")
    return 1 if alive else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
