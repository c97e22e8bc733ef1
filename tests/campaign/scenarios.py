"""The plans whose every crash point is tried, each recorded once, and what must be there after a crash."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from raidtui.lab.guest import Guest, Setup
from tests.campaign.crashes import Recording
from tests.campaign.recording import recorded
from tests.kernel.driving import apply, nodes, prepare, serials, spec_text

HERE: Final = Path(__file__).parent
ETC: Final = ("/etc/fstab", "/etc/mdadm/mdadm.conf")
A, B, C, NEW = FOUR = serials(4)
FIFTH: Final = serials(8)[-1]  # the last disk of the guest, where a scenario needs one more
DATA: Final = "head -c 6000000 /dev/urandom >/srv/tank/data; sync; sha256sum </srv/tank/data"

# Disks with a past, which a rollback must restore byte for byte.
OLD: Final = """
for d in /dev/ubda /dev/ubdb; do
    printf 'label: gpt\\nsize=20MiB\\nsize=30MiB\\n' | sfdisk -q --wipe always $d
done
udevadm settle
mkfs.ext4 -q -L old /dev/ubda1
mkswap /dev/ubdb2 >/dev/null
"""


@dataclass(frozen=True)
class Scenario:
    """One plan.

    Args:
        kind: build, remove, or care: a unit that exists before and after.
        words: the command that asks for the plan; the spec of a build is /root/spec.toml.
        members: disks of the plan, by serial number.
        spec: what is built, before the run or by it.
        before: a script that prepares the disks further.
        after: the serial numbers of the unit's members at the end.
        level: of the unit at the end.
        lacks: the serial number of the member that the unit lacks before.
    """

    kind: str
    words: tuple[str, ...]
    members: tuple[str, ...]
    spec: str
    built: tuple[str, ...] = ()
    before: str = ""
    after: tuple[str, ...] = ()
    level: str = ""
    lacks: str = ""
    disk: str = "64MiB"

    @property
    def engine(self) -> str:
        """The engine of the lab that can build it."""
        return "qemu" if 'backend = "zfs"' in self.spec else "uml"

    @property
    def disks(self) -> str:
        """The disks of the guest: four for members, a bystander, one for marks, one for the state, a fifth member."""
        fifth = f",1x{self.disk}" if FIFTH in self.members else ""
        return f"4x{self.disk},1x16MiB,1x16MiB,1x64MiB{fifth}"


def build(
    level: str, members: Sequence[str], *, before: str = OLD, disk: str = "64MiB", **options: Any
) -> Scenario:
    return Scenario(
        kind="build",
        words=("apply", "/root/spec.toml", "--erase", ",".join(members)),
        members=tuple(members),
        spec=spec_text(level, members, **options),
        before=before,
        after=tuple(members),
        level=level,
        disk=disk,
    )


def care(
    level: str, built: Sequence[str], words: Sequence[str], after: Sequence[str], *, disk: str = "64MiB",
    before: str = "", kind: str = "care", to: str = "", lacks: str = "", **options: Any,
) -> Scenario:  # fmt: skip
    return Scenario(
        kind=kind,
        words=tuple(words),
        members=tuple(dict.fromkeys([*built, *after])),
        spec=spec_text(level, built, **options),
        built=tuple(built),
        before=before,
        after=tuple(after),
        level=to or level,
        lacks=lacks,
        disk=disk,
    )


def grow(level: str, built: Sequence[str], *new: str, to: str = "", **options: Any) -> Scenario:
    more = new or (NEW,)
    joined = ",".join(more)
    words = ("grow", "tank", *(("--level", to) if to else ()), "--add", joined, "--erase", joined)
    return care(level, built, words, (*built, *more), to=to, **options)


def remove(level: str, built: Sequence[str], **options: Any) -> Scenario:
    return care(
        level, built, ("teardown", "tank", "--erase", ",".join(built)), built, kind="remove", **options
    )


ZFS: Final = {"backend": "zfs", "filesystem": "zfs", "disk": "256MiB"}
BTRFS: Final = {"backend": "btrfs", "disk": "320MiB"}
SWAP: Final = ("replace", B, NEW, "--erase", NEW)
REBUILD: Final = ("care", "tank", "--do", "replace", "--erase")  # onto the first disk that is free
# Nothing of the old disk is here any more.
GONE: Final = """
mdadm -q /dev/md/tank --fail /dev/ubdb1 --remove /dev/ubdb1; mdadm -q --zero-superblock /dev/ubdb1; wipefs -qa /dev/ubdb1 /dev/ubdb
"""
SCENARIOS: Final[dict[str, Scenario]] = {
    "build-md-raid1": build("raid1", (A, B)),
    "build-md-raid5": build("raid5", (A, B, C)),
    "build-lvm-raid1": build("raid1", (A, B), backend="lvm"),
    "build-lvm-on-md-raid1": build("raid1", (A, B), backend="lvm-on-md"),
    "build-btrfs-raid1": build("raid1", (A, B), **BTRFS),
    "replace-md-raid5": care("raid5", (A, B, C), SWAP, (A, NEW, C)),
    "replace-md-raid5-gone": care("raid5", (A, B, C), (*REBUILD, NEW), (A, NEW, C), before=GONE, lacks=B),
    "replace-md-raid1-gone": care("raid1", (A, B), (*REBUILD, C), (A, C), before=GONE, lacks=B),
    "replace-lvm-raid1": care("raid1", (A, B), SWAP, (A, NEW), backend="lvm"),
    "replace-lvm-linear": care("linear", (A, B), SWAP, (A, NEW), backend="lvm"),
    "replace-btrfs-single": care("single", (A, B), SWAP, (A, NEW), **BTRFS),
    "replace-btrfs-raid1": care("raid1", (A, B), SWAP, (A, NEW), **BTRFS),
    "grow-md-raid5": grow("raid5", (A, B, C)),
    "grow-md-raid5-by-two": grow("raid5", (A, B, C), NEW, FIFTH, chunk="64KiB"),
    "grow-md-raid5-of-four": grow("raid5", FOUR, FIFTH, chunk="64KiB"),
    "grow-md-raid1": grow("raid1", (A, B)),
    "grow-md-raid1-to-raid5": grow("raid1", (A, B), to="raid5"),
    "grow-md-raid5-to-raid6": grow("raid5", (A, B, C), to="raid6"),
    "grow-hybrid": grow("hybrid1", (A, B), backend="hybrid"),
    "grow-md-former-raid5": grow("raid6", FOUR, FIFTH, layout="left-symmetric-6"),
    "grow-lvm-raid1": grow("raid1", (A, B), backend="lvm"),
    "grow-lvm-linear": grow("linear", (A, B), backend="lvm"),
    "grow-btrfs-raid1": grow("raid1", (A, B), **BTRFS),
    "grow-btrfs-raid1-to-raid1c3": care(
        "raid1", (A, B, C), ("grow", "tank", "--level", "raid1c3"), (A, B, C), to="raid1c3", **BTRFS
    ),
    "replace-hybrid": care("hybrid1", (A, B), SWAP, (A, NEW), backend="hybrid"),
    "replace-lvm-on-md-raid1": care("raid1", (A, B), SWAP, (A, NEW), backend="lvm-on-md"),
    "configure-md-raid1": care(
        "raid1",
        (A, B),
        ("care", "tank", "--do", "configure"),
        (A, B),
        before="sed -i /ARRAY/d /etc/mdadm/mdadm.conf",
    ),
    "spare-md-raid5": care("raid5", (A, B, C), ("care", "tank", "--do", "add-spare", "--erase", NEW), FOUR),
    "remove-md-raid5": remove("raid5", (A, B, C)),
    "remove-lvm-raid1": remove("raid1", (A, B), backend="lvm"),
    "remove-btrfs-raid1": remove("raid1", (A, B), **BTRFS),
    "build-zfs-mirror": build("mirror", (A, B), before="", **ZFS),
    "replace-zfs-mirror": care("mirror", (A, B), SWAP, (A, NEW), **ZFS),
    "grow-zfs-mirror": grow("mirror", (A, B), **ZFS),
    "remove-zfs-mirror": remove("mirror", (A, B), **ZFS),
}

# The state folder and /etc on an ext4 that keeps no promise beyond fsync: a file renamed over another one is not
# written to the disk for that reason.
STATE: Final = """
dd if=/dev/urandom of={bystander} bs=64k count=8 seek=100 status=none; mkfs.ext4 -q -F -L bystander {bystander}
mkfs.ext4 -q {state}; mkdir -p /run/state; mount -o noauto_da_alloc {state} /run/state
mkdir -m 755 /run/state/etc; mkdir -m 700 /run/state/raidtui
mkdir -p -m 700 /var/lib/raidtui; cp -a /etc/. /run/state/etc; mount --bind /run/state/etc /etc; mount --bind /run/state/raidtui /var/lib/raidtui
"""
MARKS, STATE_DISK, BYSTANDER = 5, 6, 4


def record(name: str, folder: Path) -> Recording:
    """Run a scenario once and record it in ``folder``: the recording and the file ``data`` with its bytes."""
    scenario = SCENARIOS[name]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    disks = folder / "disks"
    guest = Guest(Setup(disks=scenario.disks, disk_dir=disks, engine=scenario.engine))
    with recorded(guest, disks, folder / "data") as recorder:
        files = {disk.file_name: disk.size for disk in guest.disks}
        others = nodes(guest, [disk.serial for disk in guest.disks[BYSTANDER : STATE_DISK + 1]])
        guest.shell(STATE.format(bystander=others[0], state=others[-1]))
        guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=scenario.spec)
        facts = {}
        if scenario.built:
            done = apply(guest, scenario.spec, scenario.built, "--wait-sync")
            assert done.code == 0, done.stderr
            facts["data"] = guest.shell(DATA).stdout
            guest.shell("rm -r /var/lib/raidtui/jobs/*")
        guest.shell(f"{scenario.before}\nudevadm settle; sync")
        before = {file: guest.shell(f"cat {file}").stdout for file in ETC}
        begin = len(recorder.records)
        job = prepare(guest, *scenario.words)
        root = str(HERE.parent.parent)
        marking = [sys.executable, str(HERE / "marking.py"), others[MARKS - BYSTANDER]]
        ran = guest.run([*marking, "--", "job", "run", job["folder"]], env={"PYTHONPATH": root}, timeout=600)
        assert ran.returncode == 0, ran.stderr
        guest.shell("sync")
        end = len(recorder.records)
        after = {file: guest.shell(f"cat {file}").stdout for file in ETC}
    recording = Recording(
        scenario=name,
        sizes=files,
        records=tuple(recorder.records[:end]),
        begin=begin,
        marks=MARKS,
        files={file: (before[file], after[file]) for file in ETC},
        facts=facts,
    )
    (folder / "recording.json").write_bytes(msgspec.json.encode(recording))
    shutil.rmtree(disks)
    return recording


def kept(name: str, folder: Path) -> Recording:
    """The recording in ``folder``, made now if there is none."""
    file = folder / "recording.json"
    return msgspec.json.decode(file.read_bytes(), type=Recording) if file.exists() else record(name, folder)
