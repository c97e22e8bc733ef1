"""Resolve a spec once (disks, defaults, facts of the layout), and check whether this computer can build it."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from raidtui.backends import registry
from raidtui.backends.contract import NeededTool, Resolved
from raidtui.backends.facts import Facts, Options
from raidtui.backends.options import OF_BACKENDS, Option, not_an_option, own_value
from raidtui.backends.registry import backend, builder, builds
from raidtui.backends.units import check_known
from raidtui.machine.tools import TOOLS, is_older
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.packages import to_install
from raidtui.model.spec import Spec
from raidtui.model.text import harmless
from raidtui.model.units import MIB, both
from raidtui.steps.mount_names import check_mountpoint_is_free, complete_filesystem
from raidtui.steps.pieces import DEFAULT_RESERVE, Piece, called, member_sizes, pieces_of

# mkfs.xfs 5.19 and later refuses less than 300 MiB, mkfs.btrfs less than about 109 MiB; ext4's journal needs a few MiB.
_SMALLEST: Final = {"ext4": 8 * MIB, "xfs": 300 * MIB, "btrfs": 128 * MIB}


def resolve(spec: Spec, machine: Machine) -> Resolved:
    """Return ``spec`` as it will be built; resolving the result's spec again changes nothing.

    `check_usable` checks whether disks, name and mount point are free, not this function: a spec can be shown and
    calculated while its unit is running.

    Raises:
        BadInput: the backend or the filesystem does not accept a value, or a disk is not there.
        ToolMissing: a disk is not there, and the program that reads this backend's cards is not installed.
        Refused: a disk is not there, and a card did not answer.
    """
    builder(spec.backend)  # refuses a backend that cannot build
    known = backend(spec.backend)
    check_spec(spec)
    if not spec.members:
        raise BadInput(
            f"the spec {spec.name} has sizes instead of members, which only 'raidtui calc' takes"
            if spec.sizes
            else f'the spec {spec.name} names no disks; write members = ["SERIAL", "SERIAL"]'
        )
    _check_cards(spec, machine)
    _check_once(spec, machine)
    whole = known.defaults(spec)
    if not whole.partition and whole.reserve:
        raise BadInput(
            "a reserve needs partitions, and these members are whole disks; "
            "leave the reserve out, or set partition = true"
        )
    if not whole.partition and whole.slice is not None:
        raise BadInput(
            "a slice of each disk is a partition, and members that are whole disks have none; "
            "leave the slice out, or set partition = true"
        )
    placed = _placed(whole, machine)
    facts = placed.facts
    own = known.own_filesystem
    filesystem = complete_filesystem(whole.filesystem, whole.name, own=own)
    smallest = 0 if own else _SMALLEST.get(filesystem.type, 0)
    if facts.array_bytes < smallest:
        what = "partition" if whole.alone else "array"
        raise BadInput(
            f"{filesystem.type} needs at least {both(smallest)}, and the {what} has {both(facts.array_bytes)}"
        )
    return replace(placed, spec=replace(whole, filesystem=filesystem))


def check_spec(spec: Spec) -> None:
    """Check what ``spec`` says of itself, the same on every computer: name, level, keys, label and mount point.

    Raises:
        BadInput: the backend or the filesystem does not accept a value.
    """
    known = backend(spec.backend)
    known.check(spec)
    _check_options(spec, known.options)
    complete_filesystem(spec.filesystem, spec.name, own=known.own_filesystem)


def is_built(spec: Spec) -> bool:
    """Whether its backend builds; some can only be calculated."""
    return spec.backend in builds()


def place(spec: Spec, machine: Machine) -> Resolved:
    """Place ``spec`` on its disks, with every default of its backend, without the checks of `resolve`.

    So it also works for an unfinished spec and for a backend that can only be calculated.

    Raises:
        BadInput: a disk is not there, or is too small for its partition.
        CannotBuild: the backend would refuse.
        Refused: a disk is behind a RAID card, which only another backend can reach.
    """
    return _placed(backend(spec.backend).defaults(spec), machine)


def place_sizes(spec: Spec, tools: Mapping[str, str]) -> Resolved:
    """Place a ``spec`` that has sizes in place of members.

    They are the sizes of the members, or of the disks if the spec asks for partitions.

    Args:
        tools: the programs that would build it, with their versions.

    Raises:
        BadInput: the backend or the filesystem does not accept a value.
        CannotBuild: the backend would refuse.
    """
    if is_built(spec):
        check_spec(spec)
    partition = spec.partition is True or spec.slice is not None or spec.alone
    whole = backend(spec.backend).defaults(replace(spec, partition=partition))
    reserve = DEFAULT_RESERVE if whole.reserve is None else whole.reserve

    members, spares = (
        member_sizes(sizes, partition=partition, reserve=reserve, most=spec.slice)
        for sizes in (spec.sizes, spec.spare_sizes)
    )
    options = replace(options_of(whole), spare_sizes=spares, tools=tuple(tools.items()))
    facts = backend(spec.backend).facts(spec.level, members, options)
    return Resolved(spec=whole, pieces=(), facts=facts)


def options_of(spec: Spec) -> Options:
    """The layout options that ``spec`` gives."""
    return Options(
        chunk=spec.chunk,
        layout=spec.layout,
        metadata=spec.metadata or "",
        consistency=spec.consistency,
        own=tuple(sorted(spec.options.items())),
    )


def _placed(whole: Spec, machine: Machine) -> Resolved:
    for word in whole.disks:
        _check_reach(machine.disk(word), whole)
    pieces = pieces_of(whole, machine)
    return Resolved(spec=whole, pieces=pieces, facts=_facts_of(whole, pieces, machine))


def layout_options(spec: Spec, pieces: tuple[Piece, ...], machine: Machine) -> Options:
    """The layout options of ``spec`` on these disks: with what the disks and the programs here decide."""
    return replace(
        options_of(spec),
        spare_sizes=tuple(piece.extent.length for piece in pieces if piece.role == "spare"),
        logical_sector=max((piece.disk.logical_sector_bytes for piece in pieces), default=512),
        physical_sector=max((piece.disk.physical_sector_bytes for piece in pieces), default=0),
        rotational=any(piece.disk.rotational for piece in pieces),
        tools=tuple(machine.tools.items()),
    )


def _facts_of(spec: Spec, pieces: tuple[Piece, ...], machine: Machine) -> Facts:
    members = [piece.extent.length for piece in pieces if piece.role == "member"]
    return backend(spec.backend).facts(spec.level, members, layout_options(spec, pieces, machine))


def check_usable(resolved: Resolved, machine: Machine) -> None:
    """Check that nothing on this computer prevents building ``resolved``.

    Raises:
        Refused: a disk is in use, unusable or a system disk (the text says how to free it), or the unit would not
            come back after a reboot.
        BadInput: the name or the mount point is taken.
        ToolMissing: a program of the backend, or the filesystem's mkfs, is absent or too old.
    """
    spec, maker = resolved.spec, builder(resolved.spec.backend)
    for piece in resolved.pieces:
        _check_free(piece.disk)
    check_known(spec.backend, machine)
    maker.check_free(resolved, machine)
    if spec.filesystem.type != "none":
        check_mountpoint_is_free(spec.filesystem.mountpoint, machine)
    for tool in maker.tools:
        _check_tool(tool, machine)
    if spec.filesystem.type != "none" and not backend(spec.backend).own_filesystem:
        _check_tool(NeededTool(f"mkfs.{spec.filesystem.type}"), machine)


def _check_options(spec: Spec, options: Mapping[str, Option]) -> None:
    """Check that every key of ``spec`` is among ``options``, and that the backend's own keys have valid values."""
    values = {key: getattr(spec, key) for key in OF_BACKENDS} | {"spares": spec.spares or spec.spare_sizes}
    for key, value in values.items():
        if value and key not in options:
            raise BadInput(not_an_option(key, spec.backend))
    for key, text in spec.options.items():
        own_value(key, text, options, level=spec.level)


def _check_cards(spec: Spec, machine: Machine) -> None:
    """If a drive is not found, check that its card was read: an unread card hides its drives."""
    reader = registry.card_readers(machine.cards).get(spec.backend)
    if reader is not None and not all(any(d.is_called(word) for d in machine.disks) for word in spec.disks):
        reader.check_read(machine)


def _check_once(spec: Spec, machine: Machine) -> None:
    seen: dict[str, str] = {}
    for word in spec.disks:
        disk = machine.disk(word)
        if disk.key in seen:
            other = seen[disk.key]
            both_names = (
                f"{word!r} is named twice" if other == word else f"{other!r} and {word!r} are the same disk"
            )
            raise BadInput(f"{both_names}; each disk can be a member or a spare once")
        seen[disk.key] = word


def _check_reach(disk: Disk, spec: Spec) -> None:
    """Check that the backend can reach ``disk``: a drive without a device can only be reached through its RAID card."""
    if not disk.has_device and spec.backend not in registry.OF_CARDS:
        driver = disk.controller.driver if disk.controller else ""
        families = [name.value for name, drivers in registry.OF_CARDS.items() if driver in drivers]
        families = families or [name.value for name in registry.OF_CARDS]
        raise Refused(
            f"{called(disk)} ({disk.shown}) is a drive behind a RAID card, which the kernel cannot reach; "
            f"build on it with backend = {' or '.join(map(repr, families))}"
        )


def _check_free(disk: Disk) -> None:
    for weight in (Weight.SYSTEM, Weight.UNUSABLE, Weight.BUSY):
        claims = [claim for claim in disk.taken_by if claim.weight is weight]
        if not claims:
            continue
        claimed = "; ".join(dict.fromkeys(harmless(f"{claim.device}: {claim.detail}") for claim in claims))
        name = f"{called(disk)} ({disk.shown})"
        if weight is Weight.SYSTEM:
            raise Refused(f"{name} is a disk of the running system ({claimed}); it cannot be erased")
        ways = harmless(" && ".join(disk.to_free))
        state = "cannot be used" if weight is Weight.UNUSABLE else "is in use"
        raise Refused(f"{name} {state} ({claimed})" + (f"; to free it: {ways}" if ways else ""))


def _check_tool(tool: NeededTool, machine: Machine) -> None:
    install = to_install([TOOLS[tool.name].package], machine.system.family)
    version = machine.tools.get(tool.name)
    if version is None:
        raise ToolMissing(f"{tool.name} is not installed; {install}")
    if tool.at_least and version and is_older(version, tool.at_least):
        raise ToolMissing(f"{tool.name} is {version} here and must be {tool.at_least} or newer; {install}")
