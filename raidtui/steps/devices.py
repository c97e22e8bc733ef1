"""Conditions on block devices: present, blank, not in use, or a particular partition."""

import os
from collections.abc import Sequence
from typing import Final

from raidtui.machine.blocks import read_graph
from raidtui.machine.contents.signatures import probe, wipefs_answers
from raidtui.machine.devices import (
    device_number,
    extent,
    node,
    opened,
    partition_at,
    partition_numbers,
    read_at,
)
from raidtui.machine.mounts import in_namespace, umount_command
from raidtui.machine.taken.claims import exclusive_error
from raidtui.machine.taken.processes import read_openers
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.device import DeviceKind
from raidtui.model.plan import Check
from raidtui.steps.condition import Condition, Held

_GRAIN: Final = 4096  # a multiple of every logical sector


class Blank(Condition):
    """The device and its partitions can be read and have no signatures."""

    kind = "blank"
    says = "{subject} has no signatures"
    source = r"""
is_blank() {
    blank_node=$(node_of "$1") && contents=$(contents_of "$blank_node") && [ -z "$contents" ]
}"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        return blank_answers([check.subject])[0]

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        return blank_answers([check.subject for check in checks])


class Present(Condition):
    """The subject is a block device."""

    kind = "present"
    says = "{subject} exists"
    source = r"""
is_there() { [ -b "$1" ]; }"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        number = device_number(check.subject)
        return yes(f"{check.subject} is there ({number})") if number else no(f"there is no {check.subject}")


class Absent(Condition):
    """There is no such device."""

    kind = "absent"
    says = "{subject} does not exist"
    source = r"""
is_absent() { [ ! -e "$1" ] && [ ! -L "$1" ]; }"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        try:
            os.lstat(check.subject)
        except FileNotFoundError:
            return yes(f"there is no {check.subject}")
        except OSError as error:
            return unknown(f"{check.subject}: {error.strerror}")
        return no(f"{check.subject} is there")


class Numbered(Condition):
    """The subject is the block device with the expected number, by which the next commands name it."""

    kind = "numbered"
    says = "{subject} has the device number {expect}"
    source = r"""
is_numbered() {
    numbered=$(node_of "$1") || return 1
    [ "$(cat "/sys/class/block/${numbered##*/}/dev" 2>/dev/null)" = "$2" ]
}"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        number = device_number(check.subject)
        text = f"{check.subject} has the device number {number}" if number else f"there is no {check.subject}"
        return either(holds=bool(number) and number == check.expect, text=text)


class PartitionIs(Condition):
    """The subject is a partition with the expected start and size in bytes."""

    kind = "partition"
    says = "{subject} is {rest:,} bytes long and starts at byte {first:,}"
    source = r"""
is_partition() {
    folder=$(node_of "$1") || return 1
    folder=/sys/class/block/${folder##*/}
    start=$(cat "$folder/start" 2>/dev/null) && size=$(cat "$folder/size" 2>/dev/null) || return 1
    [ $((start * 512)) -eq "$2" ] && [ $((size * 512)) -eq "$3" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        number = partition_at(check.subject)
        if not number:
            return no(f"there is no partition {check.subject}")
        start, size = extent(number)
        text = f"{check.subject} has {size:,} bytes from byte {start:,}"
        return either(holds=f"{start} {size}" == check.expect, text=text)


class Unclaimed(Condition):
    """open(O_EXCL) succeeds, and no loop device or process uses the device."""

    kind = "unclaimed"
    says = "nothing uses {subject}"
    source = r"""
is_unclaimed() { is_wipefs && asked wipefs --all --no-act "$1" >/dev/null 2>&1; }"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        if held(check.subject):
            return yes(f"{check.subject} is held by this job")
        problem = exclusive_error(check.subject)
        if problem:
            problem = f"{problem}{_mounted_where(check.subject)}"
        problem = problem or _other_user(check.subject)
        return no(f"{check.subject}: {problem}") if problem else yes(f"nothing uses {check.subject}")


class Forgotten(Condition):
    """The device has no signatures, or is not connected any more."""

    kind = "forgotten"
    says = "{subject} has no signatures, or is not connected"
    source = r"""
is_forgotten() {
    is_there "$1" || return 0
    is_blank "$1"
}"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        if not device_number(check.subject):
            return yes(f"{check.subject} is not connected")
        return blank_answers([check.subject])[0]


BLANK: Final = Blank()
PRESENT: Final = Present()
ABSENT: Final = Absent()
NUMBERED: Final = Numbered()
PARTITION: Final = PartitionIs()
UNCLAIMED: Final = Unclaimed()
FORGOTTEN: Final = Forgotten()


def blank_answers(paths: Sequence[str]) -> list[Answer]:
    """Whether each device and its partitions can be read and have no signatures; one probe for all."""
    numbers = {path: device_number(path) for path in paths}
    nodes = {
        path: [node(one) for one in (number, *partition_numbers(number))] if number else []
        for path, number in numbers.items()
    }
    unreadable = {path: problem for some in nodes.values() for path in some if (problem := _read_error(path))}
    every = [path for some in nodes.values() for path in some if path not in unreadable]
    probed = probe(every)
    unreadable |= probed.failed
    answers = []
    works: bool | None = True if any(probed.found.values()) else None  # None: not asked yet
    for path in paths:
        problems = [unreadable[one] for one in nodes[path] if one in unreadable]
        found = [f"{s.type} on {one}" for one in nodes[path] for s in probed.found.get(one, ())]
        if not numbers[path]:
            answers.append(no(f"{path} does not exist"))
        elif problems or found:
            text = f"{path}: {', '.join([*problems, *found])}"
            answers.append(no(text) if found else unknown(text))
        elif not (works := wipefs_answers() if works is None else works):
            answers.append(unknown(f"{path}: wipefs does not answer, so what is on it is not known"))
        else:
            answers.append(yes(f"{path} is blank"))
    return answers


def _mounted_where(path: str) -> str:
    """Where the device at ``path`` is mounted, this and other mount namespaces; with a leading comma."""
    graph = read_graph(HERE)
    device = graph.by_number.get(device_number(path))
    devices = (device, *graph.parts(device)) if device else ()
    found = graph.mounts_on(*devices)
    return "".join(
        f", mounted at {one.mount.target}{in_namespace(HERE, one)} (to free it: {umount_command(one)})"
        for one in found[:3]
    )


def _other_user(path: str) -> str:
    """What uses the device at ``path`` without an exclusive claim: a loop device, or a process that has it open."""
    graph = read_graph(HERE)
    whole = graph.by_number.get(device_number(path))
    devices = (whole, *graph.parts(whole)) if whole else ()
    loops = [above.path for one in devices for above in graph.on(one) if above.kind is DeviceKind.LOOP]
    if loops:
        return f"the loop device {loops[0]} uses it"
    openers = read_openers(HERE, graph) if devices else {}
    found = [
        f"raidtui job {o.job} is using it" if o.job else f"process {o.pid} ({o.name}) has it open"
        for one in devices
        for o in openers.get(one.number, ())
        if o.writes or not o.job  # every job reads all disks when it starts; what it holds has a claim
    ]
    return found[0] if found else ""


def _read_error(path: str) -> str:
    """Why ``path`` cannot be read; empty if it can. A probe would just find no signature on such a device."""
    try:
        with opened(path, os.O_RDONLY) as fd:
            read_at(fd, 0, _GRAIN)
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    return ""
