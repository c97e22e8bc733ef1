"""Signatures of filesystems, arrays and partition tables: a fresh low-level probe by libblkid, through wipefs.

udev's own record of them is stale right after a write, and blkid names one signature where there are several;
wipefs shows all of them, the backup of a partition table at the end included.
"""

from collections.abc import Mapping, Sequence

from msgspec import DecodeError

from raidtui.machine.ask import Ask, ask_patiently
from raidtui.model.errors import Refused
from raidtui.model.machine import Signature
from raidtui.model.struct import Record, decode_json

PARTITION_TABLES = frozenset({"gpt", "dos", "PMBR", "sun", "sgi", "bsd", "mac", "atari", "amiga", "unixware"})
"""libblkid's words for partition tables; PMBR is the one that protects a GPT from old programs."""


class _Found(Record, frozen=True, kw_only=True):
    device: str  # the last part of the path
    offset: str  # "0x438"
    type: str | None = None
    uuid: str | None = None
    label: str | None = None


class _Document(Record, frozen=True, kw_only=True):
    signatures: list[_Found]


class Probed(Record, frozen=True, kw_only=True):
    """What was found on several devices, by path; ``failed`` has those that could not be read, and why.

    Every device is in one of the two: what could not be read is unknown, which is not the same as blank.
    """

    found: Mapping[str, tuple[Signature, ...]]
    failed: Mapping[str, str]


def read_signatures(path: str, *, ask: Ask = ask_patiently) -> tuple[Signature, ...]:
    """Every signature on the device ``path``, in the order of their offsets; those of its partitions are not read.

    Raises:
        Refused: it cannot be read, so nobody knows what is on it.
    """
    probed = probe([path], ask=ask)
    if path in probed.failed:
        raise Refused(f"cannot read what is on {path}: {probed.failed[path]}")
    return probed.found[path]


def probe(paths: Sequence[str], *, ask: Ask = ask_patiently) -> Probed:
    """The signatures of every device of ``paths``, with one process for all of them if they can be opened."""
    if not paths:
        return Probed(found={}, failed={})
    problem = ""
    if len({_name(path) for path in paths}) == len(
        paths
    ):  # wipefs names a device by the last part of its path
        answer = ask(["wipefs", "--json", "--", *paths])
        try:
            if answer.returncode == 0:
                return Probed(found=_by_path(paths, answer.stdout), failed={})
            problem = answer.stderr.strip() or "wipefs gives no reason"
        except (DecodeError, ValueError, KeyError):
            problem = "wipefs printed something that raidtui cannot read"
    if len(paths) == 1:
        return Probed(found={}, failed={paths[0]: problem})
    # wipefs says nothing about any of them if it cannot open one: ask one by one, in parallel, since a disk that
    # does not answer is what takes time here. A disk that had to spin up for the first question answers this one.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=8) as pool:
        single = list(pool.map(lambda path: probe([path], ask=ask), paths))
    return Probed(
        found={path: some for one in single for path, some in one.found.items()},
        failed={path: why for one in single for path, why in one.failed.items()},
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _by_path(paths: Sequence[str], text: str) -> Mapping[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {path: [] for path in paths}
    paths_by_name = {_name(path): path for path in paths}
    # Nothing at all is said of devices without a signature.
    document = decode_json(text, _Document) if text.strip() else _Document(signatures=[])
    for one in document.signatures:
        path = paths_by_name[one.device]
        found[path].append(
            Signature(
                device=path,
                offset=int(one.offset, 16),
                type=one.type or "",
                label=one.label or "",
                uuid=one.uuid or "",
            )
        )
    return {path: tuple(sorted(some, key=lambda s: (s.offset, s.type))) for path, some in found.items()}
