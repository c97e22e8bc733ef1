"""Read the signatures of filesystems, arrays and partition tables with wipefs, a fresh low-level libblkid probe.

udev's database is stale right after a write, and blkid reports one signature even if there are several; wipefs
reports all, including the backup GPT at the end.
"""

from collections.abc import Mapping, Sequence

from msgspec import DecodeError

from raidtui.machine.ask import Ask, ask_patiently
from raidtui.model.errors import Refused
from raidtui.model.machine import Signature
from raidtui.model.struct import Record, decode_json

PARTITION_TABLES = frozenset({"gpt", "dos", "PMBR", "sun", "sgi", "bsd", "mac", "atari", "amiga", "unixware"})
"""libblkid's names for partition tables; PMBR is the protective MBR of a GPT."""


class _Found(Record, frozen=True, kw_only=True):
    device: str  # the last part of the path
    offset: str  # "0x438"
    type: str | None = None
    uuid: str | None = None
    label: str | None = None


class _Document(Record, frozen=True, kw_only=True):
    signatures: list[_Found]


class Probed(Record, frozen=True, kw_only=True):
    """Signatures by path; ``failed`` has the devices that could not be read, and why.

    Every device is in one of the two: an unreadable device is unknown, not blank.
    """

    found: Mapping[str, tuple[Signature, ...]]
    failed: Mapping[str, str]


def read_signatures(path: str, *, ask: Ask = ask_patiently) -> tuple[Signature, ...]:
    """Read every signature on the device ``path``, by offset, without its partitions.

    Raises:
        Refused: the device cannot be read, so its contents are unknown.
    """
    probed = probe([path], ask=ask)
    if path in probed.failed:
        raise Refused(f"cannot read what is on {path}: {probed.failed[path]}")
    return probed.found[path]


def probe(paths: Sequence[str], *, ask: Ask = ask_patiently) -> Probed:
    """Read the signatures of all ``paths``, in one wipefs process if all of them can be opened."""
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
    # wipefs prints nothing at all if it cannot open one of them: probe them one by one. In parallel, because a disk
    # that does not answer takes long. A disk that the first probe spun up answers now.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=8) as pool:
        single = list(pool.map(lambda path: probe([path], ask=ask), paths))
    return Probed(
        found={path: some for one in single for path, some in one.found.items()},
        failed={path: why for one in single for path, why in one.failed.items()},
    )


def wipefs_answers() -> bool:
    """Whether wipefs works: of a blank disk it prints nothing, as one that is broken may do."""
    return "util-linux" in ask_patiently(["wipefs", "--version"]).stdout


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _by_path(paths: Sequence[str], text: str) -> Mapping[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {path: [] for path in paths}
    paths_by_name = {_name(path): path for path in paths}
    # wipefs prints nothing for devices without a signature.
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
