"""Which disks of a firmware RAID failed: only the metadata on its disks says so, and mdadm reads that.

A disk that failed keeps what was written before, so the newest metadata counts. Formats: super-intel.c and super-ddf.c of
mdadm, as ``mdadm --examine`` prints them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.machine.ask import Ask
from raidtui.machine.md.health import is_container
from raidtui.model.machine import Array

_IMSM: Final = re.compile(r"^ *Disk\d+ Serial : (\S+)\n +State : (.*)$", re.ASCII | re.MULTILINE)
_DDF: Final = re.compile(r"^ +\d+ +([0-9a-f]{8}) +\d+K (\S*) +(\S+/.*)$", re.ASCII | re.MULTILINE)
_NEWNESS: Final = re.compile(r"^ *(?:Generation|Seq) : ([0-9a-f]{1,16})$", re.ASCII | re.MULTILINE)
_FAILED: Final = re.compile(r"\bfailed\b", re.IGNORECASE)
_AGAIN: Final = re.compile(
    r"(:\d+)+$", re.ASCII
)  # what mdadm appends to the serial number of one that failed, for each volume


class _Examined(NamedTuple):
    """What the metadata on one disk says: its own key, and the state of each disk by key."""

    newness: int
    own: str
    states: Mapping[str, str]


def with_failed(arrays: Sequence[Array], ask: Ask) -> tuple[Array, ...]:
    """``arrays``, with the disks that failed of each container one of whose volumes lacks a member."""
    lacking = {one.node for one in arrays if one.degraded}
    return tuple(
        replace(one, failed=_failed(one, ask)) if is_container(one) and lacking & set(one.volumes) else one
        for one in arrays
    )


def _failed(container: Array, ask: Ask) -> tuple[str, ...]:
    answers = ((one.path, ask(["mdadm", "--examine", one.path])) for one in container.members if one.path)
    examined = {path: _parse(path, answer.stdout) for path, answer in answers if answer.returncode == 0}
    newest = max(examined.values(), key=lambda one: one.newness, default=None)
    if newest is None:
        return ()
    paths = {one.own: path for path, one in examined.items() if one.own}
    failed = (_AGAIN.sub("", key) for key, state in newest.states.items() if _FAILED.search(state))
    return tuple(dict.fromkeys(found for key in failed if (found := paths.get(key, key)) and _tells(found)))


def _tells(found: str) -> bool:
    """Whether it is a path or a serial number: a number of DDF that no disk here has says nothing to a person."""
    return not re.fullmatch(r"[0-9a-f]{8}", found, re.ASCII)


def _parse(path: str, text: str) -> _Examined:
    newness = next((int(one, 16) for one in _NEWNESS.findall(text)), 0)
    if disks := _IMSM.findall(text):  # its own comes first
        return _Examined(newness, _AGAIN.sub("", disks[0][0]), dict(disks))
    rows = list(_DDF.findall(text))
    own = next((key for key, device, _ in rows if device == path), "")
    return _Examined(newness, own, {key: state for key, _, state in rows})
