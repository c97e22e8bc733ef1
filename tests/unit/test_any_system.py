"""Whatever the configuration, the kernel's files and the disks of a computer hold, reading and judging it ends well.

The rest of the inputs, and how a failure is repeated: `tests.unit.test_any_input`.
"""

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui.advice.alerting import Reported
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.btrfs.chunks import parse_item, parse_text
from raidtui.backends.btrfs.scrubs import read_scrub
from raidtui.backends.lvm.metadata import group_in, texts_in, uuid_in
from raidtui.backends.lvm.metadata import parse as parse_metadata
from raidtui.backends.lvm.status import parse_line
from raidtui.backends.md.recovery.stored import read_stored
from raidtui.bench.bonnie import read_lines
from raidtui.jobs.alerting import read_reported
from raidtui.machine.alerts import REPORTED
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.configured import read_references
from raidtui.machine.contents.gpt_copy import partitions_in_copy
from raidtui.machine.contents.unknown_data import read_unknown_data
from raidtui.machine.devices import read_at
from raidtui.machine.kernel_log import last_error, read_checks
from raidtui.machine.mounts import read_all_mounts, read_swaps
from raidtui.machine.system import read_system
from raidtui.machine.tree import Tree
from raidtui.model.recovery import Source
from raidtui.model.struct import to_json
from raidtui.model.units import MIB
from tests.unit.machine_trees import superblock_bytes
from tests.unit.mutation import count_of, try_mutations
from tests.unit.plan_machines import machine
from tests.unit.test_machine_superblock_old import old

DATA: Final = Path(__file__).parent / "data"
SIZE: Final = 64 * MIB
"""Of a disk's image."""
FILES: Final = {
    "/etc/fstab": b"UUID=0a1b-2c3d /srv/tank\\040x ext4 defaults,nofail 0 2\n# none\n/dev/md/tank /srv xfs\n",
    "/etc/crypttab": b"safe UUID=0a1b-2c3d none luks\n",
    "/etc/mdadm/mdadm.conf": b"DEVICE partitions\nMAILADDR root\nAUTO +1.x homehost -all\nHOMEHOST <system>\n"
    b"ARRAY /dev/md/tank level=raid5 num-devices=3\n  UUID=11111111:22222222:33333333:44444444 name=nas:tank\n",
    "/proc/swaps": b"Filename Type Size Used Priority\n/dev/sda2 partition 1048572 0 -2\n",
    "/proc/self/mountinfo": b"36 22 9:127 / /srv/my\\040photos rw shared:2 - xfs /dev/md127 rw,noquota\n",
    "/proc/sys/dev/raid/speed_limit_min": b"1000\n",
    "/proc/cpuinfo": b"processor\t: 0\nmodel name\t: A Processor\n",
    "/etc/cron.d/mdadm": b"57 0 * * 0 root [ -x /usr/share/mdadm/checkarray ] && checkarray --cron --all --quiet\n",
    "/etc/crontab": b"17 * * * * root cd / && run-parts --report /etc/cron.hourly\n",
    "/etc/systemd/system/mdcheck_start.timer": b"[Timer]\nOnCalendar=Sun *-*-1..7 1:00:00\n",
    "/etc/os-release": b'ID=debian\nID_LIKE="fedora suse"\n',
    "/etc/smartd.conf": b"DEVICESCAN -d removable -n standby -m root -M exec /usr/share/smartmontools/run\n",
    "/etc/default/mdadm": b"START_DAEMON=true\nDAEMON_OPTIONS='--syslog'\n",
    "/dev/kmsg": b"4,12,34,-;md: data-check of RAID array md0\n3,13,35,-;blk_update_request: I/O error, dev sda, sector 1\n",
}
DMSETUP: Final = b"tank-data: 0 4194304 raid raid5_ls 3 AAA 2097152/2097152 idle 0 0 -\n"
METADATA: Final = b"""tank {
id = "u5-x"
seqno = 3
physical_volumes { pv0 { id = "a" device = "/dev/sda1" pe_start = 2048 pe_count = 9 } }
logical_volumes { data { segment_count = 1
segment1 { start_extent = 0 extent_count = 9 type = "striped" stripes = ["pv0", 0] } } }
}
"""
SCRUB: Final = (
    b"scrub status:1\n1-2:1|data_extents_scrubbed:9|t_start:1700000000|t_resumed:0|duration:3|finished:1\n"
)
BONNIE: Final = (
    b"1.98,2.00,nas,1,1700000000,64M,,8192,5,500,99,90000,20,70000,15,,,90000,9,500.1,3,,,,,,,,,,,,,,,,,1us\n"
)


def system(content: bytes, folder: Path) -> None:
    """Every file has the content in turn; the others are as they should be."""
    root = folder / "root"
    changed = next((file for file in FILES if content.startswith(file.encode() + b"\n")), "")
    for file, good in FILES.items():
        path = root / file.removeprefix("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.removeprefix(file.encode() + b"\n") if file == changed else good)
    (root / "run/systemd/system").mkdir(parents=True, exist_ok=True)
    tree = Tree(root)
    found = read_system(tree)
    read_references(tree, found.mdadm_conf)
    read_all_mounts(tree)
    read_swaps(tree)
    read_checks(tree)
    last_error(tree)
    diagnose((), msgspec.structs.replace(machine(), system=found))


def named(file: str) -> bytes:
    return file.encode() + b"\n" + FILES[file]


def metadata(content: bytes, folder: Path) -> None:
    uuid_in(content)
    list(texts_in(content))
    group_in(parse_metadata(content.decode(errors="replace")))


def scrub(content: bytes, folder: Path) -> None:
    file = folder / "var/lib/btrfs/scrub.status.1-2"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    read_scrub("1-2", Tree(folder))


def stored(content: bytes, folder: Path) -> None:
    image = folder / "input"
    image.write_bytes(content.ljust(MIB, b"\0"))
    read_stored(Source(name="a", path=str(image), size_bytes=image.stat().st_size))


def gpt(*, entries_at: int = 2, first: int = 2048, own: int = 1) -> bytes:
    """A GPT in sectors of 512 bytes, with one partition, and right checksums."""
    entries = struct.pack("<16s16sQQQ56s", b"k" * 16, b"u" * 16, first, first, 0, b"").ljust(128 * 4, b"\0")
    words = (0x10000, 92, 0, 0, own, 0, 34, 99, b"g" * 16, entries_at, 4, 128, zlib.crc32(entries))
    header = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", *words)
    header = header[:16] + struct.pack("<I", zlib.crc32(header)) + header[20:]
    return header.ljust(512, b"\0") + entries


def whole_disk(content: bytes, folder: Path) -> None:
    """The content at the start of a disk, and at its end."""
    image = folder / "image"
    with image.open("wb") as file:
        file.truncate(SIZE)
        os.pwrite(file.fileno(), content[:MIB], 512)
        os.pwrite(file.fileno(), content[:MIB][-512 * 33 :], SIZE - min(len(content), 512 * 33))
    read_unknown_data(str(image), SIZE, ask=lambda argv: ToolAnswer(returncode=2))


def reported(content: bytes, folder: Path) -> None:
    state = Path(os.environ["RAIDTUI_STATE"])
    state.mkdir(exist_ok=True)
    (state / REPORTED).write_bytes(content)
    read_reported()


Target = tuple[Callable[[], list[bytes]], Callable[[bytes, Path], object]]
TARGETS: Final[dict[str, Target]] = {
    "system": (lambda: [named(file) for file in FILES], system),
    "dmsetup status": (lambda: [DMSETUP], lambda c, _: parse_line(c.decode(errors="replace"))),
    "LVM metadata": (lambda: [METADATA], metadata),
    "Btrfs chunk tree": (
        lambda: [(DATA / "btrfs/chunks.txt").read_bytes()],
        lambda c, _: parse_text(c.decode(errors="replace").splitlines()),
    ),
    "Btrfs chunk": (lambda: [bytes(range(48)) + bytes(64)], lambda c, _: parse_item(c)),
    "Btrfs scrub": (lambda: [SCRUB], scrub),
    "md superblock, its shape": (lambda: [superblock_bytes(), old()], stored),
    "disk": (lambda: [gpt(), gpt(first=2**63), gpt(entries_at=2**63)], whole_disk),
    "alerts reported": (lambda: [to_json(Reported()).encode()], reported),
    "bonnie++": (lambda: [BONNIE], lambda c, _: read_lines(c.decode(errors="replace").splitlines())),
}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", TARGETS)
def test_any_content_is_a_value_or_a_sentence(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    make_seeds, target = TARGETS[name]
    try_mutations(name, make_seeds(), target, tmp_path, count_of(request, len(TARGETS)))


@pytest.mark.parametrize("changes", [{"first": 2**63}, {"first": 2**64 - 1}, {"entries_at": 2**63}])
def test_a_copy_of_a_gpt_that_points_beyond_the_disk(changes: dict[str, int], tmp_path: Path) -> None:
    """Its checksums are right, as of the table of a larger disk, or one that somebody made."""
    last = SIZE // 512 - 1
    table = gpt(**{"own": last, "entries_at": last - 1, **changes})
    image = tmp_path / "image"
    with image.open("w+b") as file:
        file.truncate(SIZE)
        os.pwrite(file.fileno(), table[:512], last * 512)
        os.pwrite(file.fileno(), table[512:], (last - 1) * 512)

        assert partitions_in_copy(file.fileno(), bytes(1024), SIZE, 512) == 0


def test_a_place_that_no_device_has_is_an_error_of_reading(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(bytes(4096))
    with (tmp_path / "image").open("rb") as file, pytest.raises(OSError, match="no device has a byte"):
        read_at(file.fileno(), 2**64, 4096)


def test_a_name_with_a_nul_is_no_file(tmp_path: Path) -> None:
    """As a damaged fstab or crontab has."""
    tree = Tree(tmp_path)
    assert (tree.bytes("/a\0b"), tree.names("/a\0b"), tree.link("/a\0b")) == (b"", [], "")
    assert (tree.exists("/a\0b"), tree.modified("/a\0b"), tree.block_number("/a\0b")) == (False, 0, None)
