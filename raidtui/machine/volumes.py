"""Read LVM's volume groups."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.machine.tree import Tree
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record, decode_json
from raidtui.model.text import as_number


class PhysicalVolume(Record, frozen=True, kw_only=True):
    """An LVM physical volume; ``group`` is empty if it is in no volume group."""

    group: str
    group_uuid: str  # without dashes, as in dm/uuid
    group_devices: int  # number of physical volumes in the group
    missing: int = 0  # how many of these are missing
    other_system: str = ""  # system ID of its owner, if that is another computer
    cluster: str = ""  # the lock type of a shared group: sanlock, dlm or idm
    exported: bool = False  # exported by vgexport, for another system to import
    used: int | None = None  # extents of it in volumes; None: not known
    ours: bool = False  # its tag shows that raidtui built it


# Include volume groups of other systems and clusters (lvmsystemid(7)), and those left out by RHEL's devices file.
_ALL_GROUPS: Final = ("--foreign", "--shared")
_NO_DEVICES_FILE: Final = ("--devicesfile", "")  # since lvm2 2.03.12
_JSON: Final = frozenset({"", *'{}[],"'})  # what a line of it begins with
_UNKNOWN_OPTION: Final = 3  # EINVALID_CMD_LINE of lvm2's errors.h
_SOME_FAILED: Final = 5  # ECMD_FAILED: whatever could be read is still printed
TAG: Final = "raidtui."
"""Prefix of the tag on a volume group that raidtui built; the mark of its plan follows."""

_COLUMNS: Final = "pv_name,vg_name,vg_uuid,pv_count,vg_missing_pv_count,vg_systemid,vg_lock_type,vg_exported,vg_tags,pv_pe_alloc_count"


def read_physical_volumes(tree: Tree, graph: DeviceGraph, ask: Ask) -> Mapping[str, PhysicalVolume]:
    """Read LVM's physical volumes by kernel name; empty if LVM is not installed.

    Includes those of other systems, clusters and exported groups, which LVM's commands leave out by default. A
    missing one has no name and is only counted.

    Raises:
        StepFailed: LVM does not answer, or not in its JSON.
    """
    # --readonly takes no lock and changes nothing, not even LVM's own metadata.
    text = ask_lvm(ask, "pvs", "--readonly", "-o", _COLUMNS)
    unknown = "so it is unknown whether its volume group is in use"
    if text is None:
        # `lvm version` reads no disk: it only tells whether LVM is installed.
        if ask(["lvm", "version"]).returncode is not None:
            raise StepFailed(f"LVM does not answer, {unknown}")
        return {}
    try:
        rows = decode_json(text, _Report).report[0].pv
    except (DecodeError, IndexError) as error:
        raise StepFailed(f"LVM printed something that raidtui cannot read, {unknown}") from error
    own = read_system_id(ask) if any(row.vg_systemid for row in rows) else ""
    found = {}
    for row in rows:
        name = tree.device_named(row.pv_name)
        name = name.removeprefix("mapper/") if name not in graph.by_name else name
        if not name:  # "[unknown]", or "[unknown]:1": a missing disk
            continue
        found[name] = PhysicalVolume(
            group=row.vg_name,
            group_uuid=row.vg_uuid.replace("-", ""),
            group_devices=lvm_number(row.pv_count),
            missing=lvm_number(row.vg_missing_pv_count),
            other_system=row.vg_systemid if row.vg_systemid != own else "",
            cluster=row.vg_lock_type if row.vg_lock_type != "none" else "",
            exported=bool(row.vg_exported),
            used=as_number(row.pv_pe_alloc_count),
            ours=any(tag.startswith(TAG) for tag in row.vg_tags.split(",")),
        )
    return found


def ask_lvm(ask: Ask, report: str, *options: str) -> str | None:
    """Run the LVM ``report`` (pvs, fullreport …) and return its JSON; ``None`` if it fails.

    Includes other systems, clusters, and devices left out by RHEL's devices file.
    """
    question = ["lvm", report, *_ALL_GROUPS, "--reportformat", "json", *options]
    answer = ask([*question, *_NO_DEVICES_FILE])
    if answer.returncode == _UNKNOWN_OPTION:
        answer = ask(question)
    return _without_words(answer.stdout) if answer.returncode in {0, _SOME_FAILED} else None


def _without_words(text: str) -> str:
    """The lines of JSON alone: LVM may print "Retrying metadata scan." between them, on the same stream."""
    return "\n".join(line for line in text.splitlines() if line.lstrip()[:1] in _JSON)


def lvm_number(text: str) -> int:
    """Parse a number in LVM's output, which writes every value as text; 0 if it is empty."""
    return as_number(text) or 0


def read_system_id(ask: Ask) -> str:
    """The system ID of this computer; empty if it has none, and then a group with any ID is not ours."""
    answer = ask(["lvm", "systemid"])
    return answer.stdout.partition("system ID:")[2].strip() if answer.returncode == 0 else ""


class _Row(Record, frozen=True, kw_only=True):
    """One physical volume; LVM writes every value as text."""

    pv_name: str
    vg_name: str = ""
    vg_uuid: str = ""
    pv_count: str = ""
    vg_missing_pv_count: str = ""
    vg_systemid: str = ""
    vg_lock_type: str = ""
    vg_exported: str = ""
    vg_tags: str = ""
    pv_pe_alloc_count: str = ""


class _Rows(Record, frozen=True, kw_only=True):
    pv: Sequence[_Row] = ()


class _Report(Record, frozen=True, kw_only=True):
    report: Sequence[_Rows] = ()
