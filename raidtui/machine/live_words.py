"""Words of this computer that complete an argument, found in a few milliseconds: nothing is read from a disk."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Final

from raidtui.machine.tree import HERE, Tree
from raidtui.model.paths import FINDINGS, MDADM_CONFS, runtime_folder, state_folder

# Serial numbers and names come from disks, and a shell would run what is in $(…): other words are left out.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_][\w.:+@/-]*", re.ASCII)
_LSBLK: Final = ("lsblk", "--nodeps", "--pairs", "--output", "TYPE,SERIAL,SIZE,MODEL")
_LSBLK_SECONDS: Final = 1.0  # who waits for a completion presses the key again
_EXPECTED: Final = re.compile(r"\s*ARRAY\s+/dev/md/(\S+)", re.IGNORECASE)
_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__))


def serials(printed: str) -> Iterator[tuple[str, str]]:
    """The serial numbers in what lsblk ``printed``, each with size and model."""
    for line in printed.splitlines():
        values = dict(re.findall(r'([A-Z]+)="([^"]*)"', line))
        if values.get("TYPE") == "disk" and values.get("SERIAL"):
            yield values["SERIAL"], f"{values.get('SIZE', '')} {values.get('MODEL', '')}".strip()


def _serials_here(tree: Tree) -> Iterator[tuple[str, str]]:
    try:
        done = subprocess.run(
            _LSBLK, capture_output=True, text=True, errors="replace", timeout=_LSBLK_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    yield from serials(done.stdout)


def units(tree: Tree = HERE) -> Iterator[tuple[str, str]]:
    """The names of arrays, volume groups, pools and Btrfs filesystems that the kernel knows, or mdadm.conf expects."""
    for file in MDADM_CONFS:
        for line in tree.lines(file):
            if expected := _EXPECTED.match(line):
                yield expected[1], f"array, in {file}"
    named = {os.path.basename(tree.link(f"/dev/md/{name}")): name for name in tree.names("/dev/md")}
    for name in tree.names("/sys/block"):
        folder = f"/sys/block/{name}"
        if tree.exists(f"{folder}/md"):
            yield named.get(name, name), f"array, {tree.text(f'{folder}/md/level') or 'inactive'}"
        elif tree.text(f"{folder}/dm/uuid").startswith("LVM-"):
            # In the name of a volume, one hyphen ends the group's name and two stand for one in it.
            group = re.split(r"(?<!-)-(?!-)", tree.text(f"{folder}/dm/name"))[0]
            yield group.replace("--", "-"), "volume group"
    for name in tree.names("/sys/fs/btrfs"):
        if label := tree.text(f"/sys/fs/btrfs/{name}/label"):
            yield label, "Btrfs"
    for name in tree.names("/proc/spl/kstat/zfs"):
        if tree.exists(f"/proc/spl/kstat/zfs/{name}/state"):
            yield name, "ZFS pool"


def _jobs(_: Tree) -> Iterator[tuple[str, str]]:
    folder = state_folder() / "jobs"
    if os.access(folder, os.R_OK):
        yield from ((name, "") for name in sorted(os.listdir(folder), reverse=True))


def _findings(tree: Tree) -> Iterator[tuple[str, str]]:
    """What was found wrong by the last look at this computer, and the units: of some 'care' does more."""
    yield from units(tree)
    if (folder := runtime_folder()) is not None:
        for line in tree.lines(str(folder / FINDINGS)):
            name, _, about = line.partition("\t")
            yield name, about


def _bundled(folder: str) -> Iterator[tuple[str, str]]:
    names = os.listdir(os.path.join(_PACKAGE, folder))
    yield from ((name.removesuffix(".toml"), "") for name in sorted(names) if name.endswith(".toml"))


KINDS: Final[dict[str, Callable[[Tree], Iterator[tuple[str, str]]]]] = {
    "serial": _serials_here,
    "unit": units,
    "finding": _findings,
    "job": _jobs,
    "profile": lambda _: _bundled("bench/grids"),
    "study": lambda _: _bundled("sweep/studies"),
}
"""What can be completed."""


def complete(kind: str, begun: str, tree: Tree = HERE) -> list[str]:
    """The words of a kind that continue ``begun``: each with a tab and what it is, if there is something to say.

    Args:
        kind: one of `KINDS`.
        begun: what has been typed; after a comma, the last word of the list is completed.
    """
    before, comma, last = begun.rpartition(",")
    chosen = before.split(",")
    found = dict(KINDS[kind](tree))
    return [
        f"{before}{comma}{word}" + (f"\t{about}" if about else "")
        for word, about in found.items()
        if word.startswith(last) and word not in chosen and _PLAIN.fullmatch(word)
    ]
