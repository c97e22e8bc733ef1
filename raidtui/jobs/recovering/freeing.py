"""Find out what keeps the members of a lost unit in use, and stop that if a person allows it."""

import errno
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.kernel import write_kernel_file
from raidtui.jobs.recovering.tool import do
from raidtui.machine.devices import device_number, opened, partition_numbers
from raidtui.machine.mounted import find_mounts
from raidtui.machine.recovery_trial import place
from raidtui.machine.taken.freeing import LVM
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.recovery import Source
from raidtui.model.text import harmless, listed

_HOLDS_NOTHING: Final = frozenset({"inactive", "clear", ""})
_PATIENCE: Final = 5.0


def free(sources: Sequence[Source], *, stop: bool, release: Sequence[Sequence[str]] = ()) -> tuple[str, ...]:
    """Stop the arrays that hold members: those that are not started always, those that run only with ``stop``.

    An array that is not started is stopped without a write. One that runs writes its superblocks while it stops.

    Args:
        release: the commands that stop what else than an array may be active on the members.

    Returns:
        The nodes of what was stopped.

    Raises:
        Refused: a member is in use by something else, or by an array that runs, or this one is in use.
        StepFailed: the kernel does not stop it.
    """
    stopped = []
    for one in sources:
        if one.image:
            continue
        if release and (holders := _above(one.path)):
            if not stop:
                raise Refused(
                    f"/dev/{holders[0]} runs with {one.name}, and a trial needs its members: unmount what is on it, then use "
                    "'raidtui recover' with --stop, which deactivates it"
                )
            for command in release:
                do(Commands(place()), command)
            stopped += [f"/dev/{each}" for each in holders]
        for holder in _holders(one.path):
            if not (state := Path(f"/sys/block/{holder}/md/array_state")).exists():
                raise Refused(
                    f"{one.name} is in use by /dev/{holder}, which is not an array; see 'raidtui inspect'"
                )
            if state.read_text().strip() not in _HOLDS_NOTHING:
                _check_unused(one.name, holder, stop=stop)
            write_kernel_file(str(state), "clear")
            _wait(holder, state)
            stopped.append(f"/dev/{holder}")
        if used := [
            mount.target for mount in find_mounts() if mount.device_number == device_number(one.path)
        ]:
            raise Refused(f"{one.name} is mounted at {harmless(used[0])}; unmount it first")
        _check_closed(one)
    return tuple(stopped)


def _above(path: str) -> list[str]:
    """What holds a member, or an array of it: other devices than arrays."""
    found = []
    for one in _holders(path):
        is_array = Path(f"/sys/block/{one}/md").exists()
        found += _holders(f"/dev/{one}") if is_array else [one]
    return found


def _check_closed(source: Source) -> None:
    """What the kernel has open shows as no holder if a filesystem of several devices is mounted from it."""
    try:
        with opened(source.path, os.O_RDONLY | os.O_EXCL):
            pass
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise Refused(
                f"{source.name} is in use: unmount what is on it first; see 'raidtui inspect'"
            ) from error


def _check_unused(name: str, array: str, *, stop: bool) -> None:
    node = f"/dev/{array}"
    own = {device_number(node), *partition_numbers(device_number(node))}
    own |= {device_number(f"/dev/{one}") for one in _all_above(node)}
    mounted = [harmless(mount.target) for mount in find_mounts() if mount.device_number in own]
    if not stop:
        first = f"unmount {listed(mounted)}, then " if mounted else ""
        raise Refused(
            f"{node} runs with {name}, and a trial needs its members: {first}use 'raidtui recover' with --stop. "
            "That stops it, which updates the superblock on each of its members"
        )
    if mounted:
        raise Refused(f"{node} or a volume on it is mounted at {listed(mounted)}; unmount that first")
    for volume in _volumes_above(node):
        # LVM cannot read the metadata of its group while the array has failed.
        do(Commands(place()), ("dmsetup", "remove", volume))
    if above := _holders(node):
        raise Refused(f"{node} is in use by /dev/{above[0]}; stop that first")


def _all_above(path: str) -> Iterator[str]:
    """Every device on it, and on these."""
    for one in _holders(path):
        yield one
        yield from _all_above(f"/dev/{one}")


def _volumes_above(path: str) -> list[str]:
    """The names in the device mapper of LVM's volumes on it, those that are on others first."""
    folders = [Path(f"/sys/block/{one}/dm") for one in dict.fromkeys(reversed([*_all_above(path)]))]
    return [
        (one / "name").read_text().strip()
        for one in folders
        if one.is_dir() and (one / "uuid").read_text().startswith(LVM)
    ]


def _holders(path: str) -> list[str]:
    folder = Path(f"/sys/dev/block/{device_number(path)}/holders")
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def _said(state: Path) -> str:
    """What md says; empty while the array is being taken down, when a read fails."""
    try:
        return state.read_text().strip()
    except OSError:
        return ""


def _wait(array: str, state: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while state.exists() and _said(state) != "clear":
        if time.monotonic() > deadline:
            raise StepFailed(f"the kernel does not stop /dev/{array}")
        time.sleep(0.05)
