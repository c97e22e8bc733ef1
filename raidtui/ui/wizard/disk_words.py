"""Texts about disks. Text from a disk passes through `harmless` here."""

from raidtui.model.disk_label import label_of
from raidtui.model.machine import UNSIGNED, Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.text import harmless
from raidtui.model.units import age_words, both, decimal

_SHOWN_END = 10  # characters of a by-id name in a column


def spec_name(disk: Disk, machine: Machine) -> str:
    """The name by which a spec can refer to this disk and no other here: serial, WWN or by-id name; or empty."""
    if not (_NAMES and _NAMES[0][0] is machine):  # cached: called for each of up to a thousand disks
        _NAMES[:] = [(machine, _spec_names(machine))]
    return _NAMES[0][1].get(disk.key, "")


_NAMES: list[tuple[Machine, dict[str, str]]] = []  # the names of the last machine


def _spec_names(machine: Machine) -> dict[str, str]:
    """The name of each disk, by its key. Compares only disks that may share a name."""
    called: dict[str, list[Disk]] = {}
    for disk in machine.disks:
        for word in {_plain(w) for w in (disk.serial, disk.wwn, *disk.by_id) if w}:
            called.setdefault(word, []).append(disk)

    def names_one(word: str) -> bool:
        alike = {disk.key: disk for disk in called.get(_plain(word), ())}
        return sum(disk.is_called(word) for disk in alike.values()) == 1

    found: dict[str, str] = {}
    for disk in machine.disks:
        found[disk.key] = next((w for w in (disk.serial, disk.wwn, *disk.by_id) if w and names_one(w)), "")
    return found


def _plain(word: str) -> str:
    """The common form of all spellings of a name that may match; `Disk.is_called` decides."""
    bare = word.lower().removeprefix("/dev/disk/by-id/").removeprefix("0x")
    return bare.removeprefix("wwn-0x").removeprefix("0x")


def health(disk: Disk) -> tuple[str, str]:
    """The SMART status in a word or two, and its style."""
    smart = disk.smart
    if smart is None:
        return "-", ""
    bad = (smart.pending_sectors or 0) + (smart.uncorrectable_sectors or 0) + (smart.media_errors or 0)
    if smart.passed is False or smart.below_limit:
        return "FAILING", "bold $text-error"
    if bad:
        return f"{bad} bad", "bold $text-error"
    if smart.reallocated_sectors:
        return f"{smart.reallocated_sectors} moved", "$text-warning"
    if (smart.percentage_used or 0) >= 80:
        return f"{smart.percentage_used} % worn", "$text-warning"
    return ("OK", "$text-success") if smart.passed else ("-", "")


def number(disk: Disk) -> str:
    """Its serial number, and what is on its label if a USB bridge hides that."""
    label = label_of(disk)
    return f"{harmless(disk.serial) or 'none'}{f' (on its label {harmless(label)})' if label else ''}"


def short_number(disk: Disk) -> str:
    """Its serial number for a column; without one the end of its name, which confirms it; empty if it has none."""
    end = disk.identity[-_SHOWN_END:]
    return harmless(disk.serial) or (f"…{harmless(end)}" if end else "")


def age(disk: Disk) -> str:
    """How long the disk has run, in years or days; empty if it does not say."""
    return age_words(disk.smart.power_on_hours if disk.smart is not None else None)


def temperature(disk: Disk) -> str:
    """The temperature of the disk; empty if it does not say."""
    degrees = disk.smart.temperature_celsius if disk.smart is not None else None
    return "" if degrees is None else f"{degrees} °C"


def health_in_full(disk: Disk) -> str:
    """All SMART values, in one line."""
    smart = disk.smart
    if smart is None:
        return "SMART: unknown (needs smartctl, root and a disk that supports it)"
    verdict = (
        "FAILING: replace it"
        if smart.below_limit
        else {True: "passed", False: "FAILING: replace it", None: "no verdict"}[smart.passed]
    )
    parts: list[str] = [f"SMART: {verdict}"]
    for value, text in (
        (smart.temperature_celsius, "{} °C"),
        (smart.power_on_hours, "{:,} h on"),
        (smart.reallocated_sectors, "{} reallocated"),
        (smart.pending_sectors, "{} pending"),
        (smart.uncorrectable_sectors, "{} uncorrectable"),
        (smart.crc_errors, "{} CRC errors (cable)"),
        (smart.percentage_used, "{} % worn"),
        (smart.media_errors, "{} media errors"),
    ):
        if value is not None:
            parts.append(text.format(value))
    if smart.erc_read_deciseconds is not None:
        limit = smart.erc_read_deciseconds
        parts.append(
            f"gives up after {limit / 10:g} s (ERC)" if limit else "error recovery has no limit (ERC off)"
        )
    return ", ".join(parts)


def kind(disk: Disk) -> str:
    """Exact size, transport, rotating or flash, and sector sizes."""
    sector = f"{disk.logical_sector_bytes}/{disk.physical_sector_bytes}"
    turns = "rotating" if disk.rotational else "flash"
    removable = ", removable" if disk.removable else ""
    return (
        f"{disk.size_bytes:,} bytes = {both(disk.size_bytes)}, {harmless(disk.transport) or 'unknown bus'}, "
        f"{turns}{removable}, sectors {sector}"
    )


def size(disk: Disk) -> str:
    """The size as printed on the disk's label."""
    return decimal(disk.size_bytes) if disk.size_bytes else "none"


def losses(disk: Disk) -> tuple[str, ...]:
    """What erasing the disk would destroy, a line each; empty for a blank disk."""
    return tuple(harmless(claim.detail) for claim in _data(disk))


def _data(disk: Disk) -> list[Claim]:
    """What would be erased, the partition table last: a list is cut, and it says least of what is lost."""
    found = [claim for claim in disk.taken_by if claim.weight is Weight.DATA]
    return sorted(found, key=lambda claim: claim.what is ClaimKind.PARTITION_TABLE)


def contents(disk: Disk) -> tuple[str, ...]:
    """The `losses` that are on the disk itself."""
    return tuple(harmless(one.detail) for one in _data(disk) if one.what is not ClaimKind.CONFIGURED)


def named_in(disk: Disk) -> tuple[str, ...]:
    """The configuration files that name the disk although it is not in use, a line each, with the fix."""
    found = [claim for claim in disk.taken_by if claim.what is ClaimKind.CONFIGURED]
    return tuple(harmless(f"{claim.detail.split(', though')[0]}: {claim.how_to_free}") for claim in found)


def on_it(disk: Disk) -> str:
    """The losses in short form for a column; with the name of the array first."""
    return "; ".join(dict.fromkeys(harmless(_shortly(claim)) for claim in _data(disk)))


def _shortly(claim: Claim) -> str:
    if claim.what is ClaimKind.CONFIGURED:
        return claim.detail.split(" (")[0].split(",")[0]
    if claim.what is ClaimKind.MD_MEMBER:
        _, quote, name = claim.detail.split(",")[0].partition(' "')
        return f"in array {name.rstrip(chr(34))}" if quote else "in an array"
    if claim.what in UNSIGNED:
        return claim.detail.split(",")[0]
    if claim.what is ClaimKind.CARD:
        return claim.detail.replace("in virtual drive ", "in ").split(" (")[0]
    return "old data" if claim.detail.startswith("remains of ") else claim.detail


def obstacles(disk: Disk) -> tuple[Claim, ...]:
    """The claims that prevent choosing the disk, most severe first."""
    order = (Weight.SYSTEM, Weight.UNUSABLE, Weight.BUSY)
    found = [claim for claim in disk.taken_by if claim.weight is not Weight.DATA]
    return tuple(sorted(found, key=lambda claim: order.index(claim.weight)))


def to_free(disk: Disk) -> str:
    """How it is freed, as a sentence."""
    return harmless(f"To free it: {' && '.join(disk.to_free)}")


def why_not(disk: Disk, machine: Machine) -> str:
    """Why this disk cannot be chosen, with the fix; empty if it can."""
    for claim in obstacles(disk):
        return f"{disk.shown} cannot be chosen: {harmless(claim.detail)}. {to_free(disk)}"
    if not spec_name(disk, machine):
        from raidtui.advice.nameless import WHY, how_to_name  # not for the first picture

        how = how_to_name(disk, machine.system.hypervisor)
        return f"{disk.shown} cannot be chosen: {WHY}. {how}"
    return ""


def state(disk: Disk, machine: Machine) -> tuple[str, str]:
    """Free, or what is on it, or what uses it, in short form for a column; and the style."""
    blocked = obstacles(disk)
    if blocked:
        return harmless(_shortly(blocked[0])), "$text-muted"
    if not spec_name(disk, machine):
        return "no identity", "$text-muted"
    if disk.free and disk.taken_by:
        return "free, not overwritten", "$text-warning"
    if losses(disk):
        return on_it(disk), "$text-warning"
    return ("free", "$text-success") if machine.complete else ("contents unknown", "$text-warning")
