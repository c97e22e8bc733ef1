"""Mutants over the frames: what a build, a removal and a replacement have in common, whichever backend is in the middle."""

from tests.mutants.mutant import Mutant

BUILD_FRAME = "raidtui/plan/build.py"
REMOVAL_FRAME = "raidtui/plan/removal.py"
LINES = "raidtui/steps/files.py"
OWN_MOUNTS = "raidtui/steps/footprint.py"
REPLACE_FRAME = "raidtui/plan/replace.py"
REPLACE_END = "raidtui/plan/replaced.py"
BUILD_TESTS = (
    "tests/unit/test_plan_build.py",
    "tests/unit/test_plan_complete.py",
    "tests/unit/test_plan_recorded.py",
)
LVM_TESTS = ("tests/unit/test_backends_lvm_build.py",)
TEARDOWN_TESTS = (
    "tests/unit/test_plan_teardown.py",
    "tests/unit/test_plan_recorded.py",
)
FOOT_TESTS = (
    "tests/unit/test_steps_footprint.py",
    "tests/unit/test_plan_teardown.py",
)
REPLACE_TESTS = (
    "tests/unit/test_plan_replace.py",
    "tests/unit/test_md_care_plans.py",
)

FRAMES = (
    Mutant(
        "a build does not ask whether its disks can be used",
        BUILD_FRAME,
        "    check_usable(resolved, machine)\n",
        "",
        BUILD_TESTS,
    ),
    Mutant(
        "a build does not ask whether its UUIDs are new",
        BUILD_FRAME,
        "    check_uuids_are_new(seed, uuids, machine, erased=erased)\n",
        "",
        BUILD_TESTS,
    ),
    Mutant(
        "a build keeps no capsule",
        BUILD_FRAME,
        "    yield replace(capsule, before=(*built.free, *capsule.before))\n",
        "",
        BUILD_TESTS,
    ),
    Mutant(
        "what must hold before anything is written is not asked",
        BUILD_FRAME,
        "before=(*built.free, *capsule.before)",
        "before=capsule.before",
        LVM_TESTS,
    ),
    Mutant(
        "a build does not wipe",
        BUILD_FRAME,
        "    yield wipe_step(pieces, what=built.what)\n",
        "",
        BUILD_TESTS,
    ),
    Mutant(
        "stale signatures left on what was built",
        BUILD_FRAME,
        "    if built.stale:\n",
        "    if False:\n",
        BUILD_TESTS,
    ),
    Mutant(
        "a plan without its hazards",
        BUILD_FRAME,
        "hazards=sort_hazards(settled(whole, hazards, machine)),",
        "hazards=(),",
        BUILD_TESTS,
    ),
    Mutant(
        "mkfs on a bare disk that the job keeps open",
        BUILD_FRAME,
        "if built.on_disk else ()",
        "if False else ()",
        BUILD_TESTS,
    ),
    Mutant("a build that nothing releases", BUILD_FRAME, "        release=built.release,\n", "", BUILD_TESTS),
    Mutant(
        "the system's disk is removed",
        REMOVAL_FRAME,
        "    if any(claim.weight is Weight.SYSTEM for claim in disk.taken_by):\n",
        "    if False:\n",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a removal of a disk without an identity",
        REMOVAL_FRAME,
        "    check_identity(disk, machine)\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "what else is on a disk is not named in a removal",
        REMOVAL_FRAME,
        "first.role, shares)",
        "first.role)",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "lines of fstab go while the unit is in use",
        REMOVAL_FRAME,
        "        before=tuple(UNCLAIMED.of(device) for unit in named for device in unit.free),\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a partition table with other partitions is erased",
        REMOVAL_FRAME,
        "if ours and all(kind in leftover for device, kind in parts.items() if device not in members):",
        "if ours:",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a partition table of another kind is erased",
        REMOVAL_FRAME,
        "ours = all(parts.get(device) == kind for device, kind in members.items())",
        "ours = True",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "nobody asks whether a removed unit comes back",
        REMOVAL_FRAME,
        "                *(check for unit in units for check in unit.gone),\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "nobody asks whether the members are blank at the end",
        REMOVAL_FRAME,
        "                *(BLANK.of(place) for place in dict.fromkeys(blank)),\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "an erased table that a rollback says it restores",
        REMOVAL_FRAME,
        "    return removal_step(\n",
        "    return Step(\n        role=Role.REMOVE,\n",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a table erased on a disk that the job keeps open",
        REMOVAL_FRAME,
        "        holds=tuple(wholes),\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "the other units of a removal are not confirmed",
        REMOVAL_FRAME,
        "        also=tuple(plans[1:]),\n",
        "",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a removal that restores no line",
        LINES,
        "undo=(*_ensure(old), *_drop(new), *then),",
        "undo=(*_drop(new), *then),",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a member that is mounted itself is unmounted while the job keeps it open",
        REMOVAL_FRAME,
        "if mounted else ()",
        "if False else ()",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "joined steps forget what must hold after all but the first",
        REMOVAL_FRAME,
        "after=tuple(dict.fromkeys(check for one in some for check in one.after)),",
        "after=some[0].after,",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "lines go before the unit is unmounted",
        REMOVAL_FRAME,
        "    steps = [step for unit in units for step in _unmount(unit, machine)]\n    steps += _drop_lines(units, machine)\n",
        "    steps = _drop_lines(units, machine)\n    steps += [step for unit in units for step in _unmount(unit, machine)]\n",
        TEARDOWN_TESTS,
    ),
    Mutant(
        "a mount in another namespace forgotten in a removal",
        OWN_MOUNTS,
        "        if own.owns(one.mount):\n",
        "        if False:\n",
        FOOT_TESTS,
    ),
    Mutant(
        "a swap file on the unit forgotten in a removal",
        OWN_MOUNTS,
        "            if file != device.path:\n",
        "            if False:\n",
        FOOT_TESTS,
    ),
    Mutant(
        "an image on the unit forgotten in a removal",
        OWN_MOUNTS,
        "            if loop.is_image:\n",
        "            if False:\n",
        FOOT_TESTS,
    ),
    Mutant(
        "what is mounted over a unit is unmounted with it",
        OWN_MOUNTS,
        "            if at or over or inside:\n",
        "            if False:\n",
        FOOT_TESTS,
    ),
    Mutant(
        "a new disk in use taken for a replacement",
        REPLACE_FRAME,
        "    if busy:\n",
        "    if False:\n",
        REPLACE_TESTS,
    ),
    Mutant(
        "a replacement that is too small",
        REPLACE_FRAME,
        "        if new.size_bytes < least:\n",
        "        if False:\n",
        REPLACE_TESTS,
    ),
    Mutant(
        "a replacement with larger sectors",
        REPLACE_FRAME,
        "        if not sectors_fit(",
        "        if False and not sectors_fit(",
        REPLACE_TESTS,
    ),
    Mutant(
        "a member added to a unit that has lost too many",
        REPLACE_FRAME,
        "        if need.unit.health is Health.FAILED:\n",
        "        if False:\n",
        REPLACE_TESTS,
    ),
    Mutant(
        "the old member forgotten before it has left",
        REPLACE_END,
        "            before=tuple(need.out() for need in there),\n",
        "",
        REPLACE_TESTS,
    ),
    Mutant(
        "redundancy not proven after a replacement",
        REPLACE_END,
        "                after=tuple(dict.fromkeys(need.proof() for need in some)),\n",
        "",
        REPLACE_TESTS,
    ),
    Mutant(
        "overlapping places on the new disk",
        REPLACE_FRAME,
        "    if overlap or len({",
        "    if len({",
        REPLACE_TESTS,
    ),
)
