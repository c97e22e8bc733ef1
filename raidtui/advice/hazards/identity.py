"""Hazards of mistaken identity: one disk counted twice, or disks that cannot be distinguished."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from raidtui.advice.nameless import how_to_name
from raidtui.backends.look import Check, Look, claims, on_disks
from raidtui.backends.registry import backend
from raidtui.model.machine import ClaimKind
from raidtui.model.plan import Hazard, Severity

# Placeholders that USB bridges report instead of the disk's identity.
_MADE_UP: Final = frozenset({"0123456789", "0123456789abcdef", "000000000000", "5000000000000001"})


def named_twice(look: Look) -> Iterator[Hazard]:
    """A disk named twice in the spec."""
    times = Counter(disk.key for disk in (*look.members, *look.spares))
    yield from on_disks(
        "same-disk",
        Severity.BLOCK,
        [(disk, f"named {times[disk.key]} times") for disk in look.disks if times[disk.key] > 1],
        meaning="One disk cannot be two members: if it fails, both fail.",
        advice="Name each disk once, as a member or as a spare.",
        source=backend(look.spec.backend).manual,
    )


def seen_twice(look: Look) -> Iterator[Hazard]:
    """Two device nodes with the same WWN, or the same model and serial: two paths to one disk."""
    known: dict[str, str] = {}
    seen = []
    for disk in look.disks:
        claimed = claims(disk, lambda claim: claim.what is ClaimKind.DUPLICATE)
        keys = [disk.wwn.lower()] if disk.wwn else []
        if disk.serial:
            keys.append(f"{disk.model}/{disk.serial}")
        other = next((known[key] for key in keys if key in known), "")
        known.update(dict.fromkeys(keys, disk.path))
        if claimed or other:
            seen.append((disk, claimed or f"{disk.path} answers with the same identity as {other}"))
    yield from on_disks(
        "duplicate",
        Severity.BLOCK,
        seen,
        meaning="One failure takes both of these: they are one disk seen over two paths, or two units of one drive.",
        advice="Of two paths, disconnect one: raidtui does not build on multipath devices. Leave out two units of one drive.",
        source="multipath(8); the WWN of the disks",
    )


def no_identity(look: Look) -> Iterator[Hazard]:
    """A placeholder serial number or WWN from a USB bridge, or neither."""
    inside = look.machine.system.hypervisor if look.machine is not None else ""
    seen = []
    for disk in look.disks:
        serial = disk.serial.lower().strip("-_ ")
        wwn = disk.wwn.lower().removeprefix("0x")
        if (
            not disk.serial and not disk.wwn
        ):  # a by-id name without either names only where the disk is connected
            place = ": its name is that of its place" if disk.identity else ""
            seen.append((disk, f"neither serial number nor WWN{place}"))
        elif serial in _MADE_UP or wwn in _MADE_UP:
            seen.append(
                (
                    disk,
                    f"serial {disk.serial or 'none'}, WWN {disk.wwn or 'none'}, as some USB bridges answer",
                )
            )
    yield from on_disks(
        "no-identity",
        Severity.HIGH,
        seen,
        meaning=(
            "The wrong disk may be erased: this one cannot be distinguished from others of its kind. The right one cannot be found "
            "again after a failure either."
        ),
        advice=". ".join(dict.fromkeys(how_to_name(disk, inside) for disk, _ in seen)),
        source="usb-storage quirk u (ignore UAS)",
    )


CHECKS: Final[tuple[Check, ...]] = (named_twice, seen_twice, no_identity)
