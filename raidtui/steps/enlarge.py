"""Let what is on a device take the space that the device has gained: a mounted filesystem, or a physical volume of LVM."""

import os
from collections.abc import Iterator
from typing import Final

from raidtui.machine.ask import Ask, ask
from raidtui.model.answer import Answer, either, unknown, yes
from raidtui.model.device_graph import TABLES, graph_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Run, Step, member_step
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import MIB
from raidtui.steps.condition import Condition, Held
from raidtui.steps.filesystems import GEOMETRY, MOUNTED
from raidtui.steps.flush import flushed
from raidtui.steps.mkfs import BLOCK, Stripes, expected_geometry

PHYSICAL_VOLUME: Final = "LVM2_member"
_EXT: Final = frozenset({"ext3", "ext4"})
_GROWS: Final = _EXT | {"xfs", "btrfs"}
_FILES: Final = frozenset(
    {"ext2", "vfat", "exfat", "ntfs", "f2fs", "jfs", "reiserfs", "nilfs2", "hfsplus", "udf", "bcachefs"}
)
_SLACK: Final = 16 * MIB  # what a filesystem may leave at its end: less than a group of blocks has room for
# A smaller ext4 has blocks of 1 KiB, in which its stripes are counted, unless mkfs was told otherwise.
_SMALL: Final = 512 * MIB
_HOURS: Final = 6 * 3600


class Content(Record, frozen=True, kw_only=True):
    """What is on a device, as far as it grows with it."""

    kind: str = ""  # ext4, xfs, btrfs, LVM2_member; empty: nothing that grows
    uuid: str = ""
    place: str = ""  # where it is mounted
    outside: str = ""  # what else is on it, which does not grow by itself: "a partition table"


def content_of(unit: Unit, machine: Machine) -> Content:
    """What is on ``unit``. Pure.

    Raises:
        Refused: it cannot grow while it is mounted, is not mounted, or is not known.
    """
    name = harmless(unit.shown)
    if unit.unread:
        raise Refused(f"what is on {name} could not be read: {harmless(unit.unread)}")
    graph = graph_of(machine)
    device = graph.at(unit.node)
    names = {unit.node, unit.path} - {""}
    if device is not None:
        names |= {*device.links, *((f"/dev/mapper/{device.dm_name}",) if device.dm_name else ())}
    kinds = [one for one in unit.signatures if one.device in names]
    tables = [one.type for one in kinds if one.type in TABLES]
    found = [one for one in kinds if one.type not in TABLES]
    if device is not None and graph.parts(device):
        return Content(outside="a partition table")
    if unit.signatures and not kinds:
        raise Refused(f"{harmless(unit.signatures[0].device)} is not known as a name of {name}")
    if not found:
        return Content(outside="a partition table" if tables else "")
    if len(found) > 1:
        words = " and ".join(harmless(one.type) for one in found)
        raise Refused(f"{name} shows {words} at once, so it is not certain what is on it")
    one = found[0]
    if one.type == PHYSICAL_VOLUME:
        return Content(kind=one.type, uuid=one.uuid)
    if one.type in _FILES:
        raise Refused(
            f"{name} has the filesystem {one.type}, which cannot grow while it is mounted; raidtui grows ext4, XFS and Btrfs"
        )
    if one.type not in _GROWS:
        return Content(outside=harmless(one.type))
    if device is not None and len(graph.together(device)) > 1:
        raise Refused(
            f"{name} is one of several devices of a Btrfs, and raidtui grows only one on a single device"
        )
    mounts = [each.mount for each in graph.mounts_on(device) if each.here] if device is not None else []
    if not mounts:
        raise Refused(
            f"the filesystem of {name} is not mounted: mount it first, for it grows while it is mounted"
        )
    mount = next((each for each in mounts if each.root == "/"), mounts[0])
    if "ro" in mount.options.split(","):
        raise Refused(
            f"the filesystem of {name} is mounted read-only at {harmless(mount.target)}, and cannot grow so"
        )
    return Content(kind=one.type, uuid=one.uuid, place=mount.target)


def enlarge_steps(content: Content, device: str, on: Stripes) -> Iterator[Step]:
    """The steps that let ``content`` take all of ``device``, which has grown to what ``on`` says."""
    kind, place = content.kind, content.place
    if not kind:
        return
    if kind == PHYSICAL_VOLUME:
        yield member_step(
            id="enlarge",
            title="Let LVM use the new space: enlarge the physical volume",
            reason="The volume group has it free then; no volume grows by itself.",
            actions=(Run(argv=("pvresize", device)), flushed(device)),
            before=(LVM_READS.of(device),),
            after=(FILLS.of(device, f"{kind} {on.size_bytes}"),),
        )
        return
    command = {
        "xfs": ("xfs_growfs", "-d", place),
        "btrfs": ("btrfs", "filesystem", "resize", "max", place),
    }.get(kind, ("resize2fs", device))
    yield member_step(
        id="enlarge",
        title=f"Let the {kind} filesystem at {harmless(place)} use the new space",
        reason="It stays mounted and in use.",
        actions=(Run(argv=command, timeout_seconds=_HOURS),),
        before=(MOUNTED.of(place, content.uuid),),
        after=(FILLS.of(device, f"{kind} {on.size_bytes}"),),
    )
    stripes = expected_geometry("ext4", on) if kind in _EXT and on.size_bytes >= _SMALL else ""
    if stripes:
        yield member_step(
            id="stripes",
            title=f"Tell the {kind} filesystem the new stripe width",
            reason=f"It keeps that of fewer members otherwise, and writes parts of stripes. In blocks of {BLOCK:,} bytes.",
            actions=(Run(argv=("tune2fs", "-E", ",".join(stripes.split()), device)),),
            after=(GEOMETRY.of(device, stripes),),
        )


_SIZE_OF: Final = r"""
size_of() {
    case $1 in
    ext*) asked dumpe2fs -h "$2" 2>/dev/null | awk '/^Block count:/ { n = $3 } /^Block size:/ { s = $3 } END { printf "%.0f", n * s }' ;;
    xfs) asked xfs_info "$2" | sed -n 's/^data .*bsize=\([0-9]*\) .*blocks=\([0-9]*\),.*/\1 \2/p' | awk '{ printf "%.0f", $1 * $2 }' ;;
    btrfs) asked btrfs filesystem show --raw "$2" | awk '$1 == "devid" { s += $4 } END { printf "%.0f", s }' ;;
    LVM2_member) asked lvm pvs --noheadings --units b --nosuffix -o pv_size,vg_extent_size "$(node_of "$2")" | awk '/^ *[0-9]+ +[0-9]+ *$/ { printf "%.0f", $1 + $2 }' ;;
    esac
}"""


class LvmReads(Condition):
    """LVM reads the physical volume and the metadata of its volume group.

    pvresize(8) does not check that: if a power cut damaged the metadata, it writes a label in no group, without a metadata area.
    """

    kind = "lvm-reads"
    says = "LVM can read {subject} and its volume group"
    helpers = _SIZE_OF
    source = r"""
lvm_reads() {
    size=$(size_of LVM2_member "$1")
    case $size in '' | 0 | *[!0-9]*) return 1 ;; esac
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        if size := read_size(PHYSICAL_VOLUME, check.subject):
            return yes(f"{check.subject} has {size:,} bytes")
        return unknown("LVM does not say how large it is; if metadata is damaged, 'raidtui care' finds it")


class Fills(Condition):
    """What is on the device has at least the expected size, but for a rest: ``ext4 1073741824``."""

    kind = "fills"
    says = "the {first} on {subject} fills {rest:,} bytes"
    helpers = _SIZE_OF
    source = r"""
fills() {
    size=$(size_of "$2" "$1")
    case $size in '' | 0 | *[!0-9]*) return 1 ;; esac
    [ $((size + 16777216)) -ge "$3" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        kind, _, wanted = check.expect.partition(" ")
        size = read_size(kind, check.subject)
        if not size:
            return unknown(f"the {kind} on {check.subject} does not say how large it is")
        return either(
            holds=size + _SLACK >= int(wanted), text=f"the {kind} on {check.subject} has {size:,} bytes"
        )


def read_size(kind: str, device: str, with_: Ask | None = None) -> int:
    """The size of what is on ``device``, as its own tool says it, in bytes; 0: it does not say."""
    with_ = with_ or ask
    if kind in _EXT:
        words = _fields(["dumpe2fs", "-h", device], with_)
        return _product(_after(words, "Block count:"), _after(words, "Block size:"))
    if kind == "xfs":
        line = next((one for one in _fields(["xfs_info", device], with_) if one.startswith("data ")), "")
        found = dict(word.rstrip(",").split("=", 1) for word in line.split() if "=" in word[1:])
        return _product(found.get("bsize", ""), found.get("blocks", ""))
    if kind == "btrfs":
        lines = _fields(["btrfs", "filesystem", "show", "--raw", device], with_)
        sizes = [line.split()[3] for line in lines if line.split()[:1] == ["devid"] and len(line.split()) > 3]
        return sum(int(one) for one in sizes) if sizes and all(one.isdecimal() for one in sizes) else 0
    argv = [
        "lvm",
        "pvs",
        "--noheadings",
        "--units",
        "b",
        "--nosuffix",
        "-o",
        "pv_size,vg_extent_size",
        os.path.realpath(device),
    ]
    words = [word for line in _fields(argv, with_) for word in line.split()]
    return sum(map(int, words)) if len(words) == 2 and all(one.isdecimal() for one in words) else 0


def _fields(argv: list[str], with_: Ask) -> list[str]:
    answer = with_(argv)
    return [line.strip() for line in answer.stdout.splitlines()] if answer.returncode == 0 else []


def _after(lines: list[str], label: str) -> str:
    return next((line.removeprefix(label).strip() for line in lines if line.startswith(label)), "")


def _product(count: str, size: str) -> int:
    return int(count) * int(size) if count.isdecimal() and size.isdecimal() else 0


FILLS: Final = Fills()
LVM_READS: Final = LvmReads()
