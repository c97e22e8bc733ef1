"""Every version of a volume group's metadata that is left: on its physical volumes, and in the files that LVM keeps of changes."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from raidtui.backends.lvm.metadata import Section, group_in, number, parse, part, texts_in, uuid_in, uuid_of
from raidtui.backends.recovering import Wanted
from raidtui.machine.textfile import read_bounded
from raidtui.machine.tree import HERE
from raidtui.model.errors import BadInput, Refused
from raidtui.model.recovery import Source
from raidtui.model.text import listed
from raidtui.model.units import SECTOR
from raidtui.model.uuids import bare

_ARCHIVE: Final = "/etc/lvm/archive"
_KEPT: Final = ("/etc/lvm/backup", _ARCHIVE)
_LARGEST: Final = 16 << 20


class Version(NamedTuple):
    """One version of the metadata."""

    name: str
    uuid: str
    number: int
    written: int  # seconds since 1970
    where: str  # a source or a file
    text: str
    group: Section

    @property
    def digest(self) -> str:
        """SHA-256 of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def parsed(head: bytes, where: str) -> Iterator[Version]:
    """Those on a physical volume, ``head`` being the beginning of it."""
    for text in texts_in(head):
        with suppress(BadInput):
            yield _version(text, where)


def _version(text: str, where: str) -> Version:
    whole = parse(text)
    name, group = group_in(whole)
    written = str(whole.get("creation_time", ""))
    return Version(
        name=name,
        uuid=bare(uuid_of(group)),
        number=number(group, "seqno"),
        written=int(written) if written.isdigit() else 0,
        where=where,
        text=text,
        group=group,
    )


def kept() -> Iterator[Version]:
    """What LVM keeps in files."""
    for folder in _KEPT:
        for name in sorted(HERE.names(folder)):
            with suppress(OSError, BadInput, UnicodeDecodeError):
                yield _version(read_bounded(Path(folder) / name, most=_LARGEST).decode(), f"{folder}/{name}")


def versions(heads: Mapping[str, bytes], sources: Sequence[Source], wanted: Wanted) -> list[Version]:
    """The versions of the group that is meant, each once, the newest first.

    Raises:
        Refused: the sources are of several groups.
    """
    every = [one for name, head in heads.items() for one in parsed(head, name)]
    every += kept()
    labels = {bare(uuid_in(head)) for head in heads.values()} - {""}
    named = [one for one in every if wanted.unit in {one.name, one.uuid} or bare(wanted.unit) == one.uuid]
    every = named if wanted.unit else every
    labeled = [one for one in every if labels & volumes_by_uuid(one.group).keys()]
    if len({one.uuid for one in labeled}) > 1 and not wanted.unit:
        names = listed(sorted({one.name for one in labeled}))
        raise Refused(
            f"these disks have metadata of several volume groups: {names}; name the one that is lost"
        )
    meant = labeled or (every if wanted.unit else [one for one in every if _fits(one, sources)])
    if not labeled and not wanted.unit:
        # LVM removes the backup of a group that is removed; its archive stays.
        there = {one.uuid for one in meant if not one.where.startswith(_ARCHIVE)}
        meant = [one for one in meant if one.uuid in there] if there else meant
    unique = {(one.uuid, one.number): one for one in reversed(meant)}
    return sorted(unique.values(), key=lambda one: (-one.written, -one.number))


def volumes_by_uuid(group: Section) -> dict[str, str]:
    """The names of the physical volumes by their UUID."""
    volumes = part(group, "physical_volumes")
    return {bare(uuid_of(one)): name for name, one in volumes.items()}


def member_sizes(group: Section) -> dict[str, int]:
    """The sizes of the physical volumes, by name; 0: not known."""
    found = {}
    for name, one in part(group, "physical_volumes").items():
        size = one.get("dev_size", "")
        found[name] = int(size) * SECTOR if isinstance(size, str) and size.isdigit() else 0
    return found


def _fits(version: Version, sources: Sequence[Source]) -> bool:
    """Whether its physical volumes have exactly the sizes of the sources."""
    return sorted(member_sizes(version.group).values()) == sorted(one.size_bytes for one in sources)
