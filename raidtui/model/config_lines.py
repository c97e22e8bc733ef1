"""What a line of fstab, crypttab or mdadm.conf means: the device under any spelling of its name. Pure.

Sources: fstab(5), crypttab(5), blkid(8); mdadm.conf(5) for arrays.
"""

import posixpath
import re
from collections.abc import Iterable
from typing import Final

from raidtui.model.struct import Record
from raidtui.model.uuids import bare

TAGS: Final = ("UUID", "LABEL", "PARTUUID", "PARTLABEL")
_BY: Final = "/dev/disk/by-"


class Name(Record, frozen=True, kw_only=True):
    """How a line names a device."""

    tag: str  # one of `TAGS`; PATH: a node or link; MD_UUID: of an array, in mdadm.conf
    value: str


class Names(Record, frozen=True, kw_only=True):
    """All names of some devices; UUIDs are `bare`."""

    paths: frozenset[str] = frozenset()  # nodes and links
    uuids: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    partition_uuids: frozenset[str] = frozenset()
    partition_labels: frozenset[str] = frozenset()
    array_uuids: frozenset[str] = frozenset()  # of the arrays that they are members of

    def have(self, name: Name) -> bool:
        match name.tag:
            case "UUID":
                known, value = self.uuids, bare(name.value)
            case "PARTUUID":
                known, value = self.partition_uuids, bare(name.value)
            case "MD_UUID":
                known, value = self.array_uuids, bare(name.value)
            case "LABEL":
                known, value = self.labels, name.value
            case "PARTLABEL":
                known, value = self.partition_labels, name.value
            case _:
                known, value = self.paths, name.value
                if value.startswith(f"{_BY}id/md-"):  # a partition of an array is of the array
                    value = re.sub(r"-part\d+$", "", value)
        return bool(value) and value in known


GROUP: Final = "spare-group="
"""What precedes the name of the spare group in an ARRAY line. mdadm.conf(5)."""


def uuid_in(line: str) -> str:
    """The array's UUID in an ARRAY line, bare; empty if it has none."""
    words = (word.partition("=") for word in line.split()[1:])
    return next((bare(value) for key, _, value in words if key.lower() == "uuid"), "")


class ArrayNames(Record, frozen=True, kw_only=True):
    """All names of an array that a line of mdadm.conf may have."""

    uuid: str  # bare
    full: frozenset[str] = frozenset()  # in the superblocks of its members, with the host: lab:tank
    name: str = ""  # without the host; empty if another array has it too
    paths: frozenset[str] = frozenset()

    def are_in(self, line: str) -> bool:
        """Whether the ARRAY line means the array: by its UUID, else by the name in its superblocks, or its path."""
        words = line.split()[1:]
        keys = {key.lower(): value for key, _, value in (word.partition("=") for word in words)}
        if uuid := uuid_in(line):
            return uuid == self.uuid
        if whole := keys.get("name", ""):
            other_host = ":" in whole and bool(self.full)
            return whole in self.full or (
                whole.rpartition(":")[2] == self.name and bool(self.name) and not other_host
            )
        return bool(self.paths & set(words[:1]))


def is_group(word: str) -> bool:
    """Whether a word of an ARRAY line names its spare group; mdadm ignores case."""
    return word.lower().startswith(GROUP)


def group_in(lines: Iterable[str]) -> str:
    """The spare group in the ARRAY lines of an array; empty if it has none. mdadm.conf(5)."""
    words = (word for line in lines for word in line.split())
    return next((word[len(GROUP) :] for word in words if is_group(word)), "")


def set_name(word: str) -> str:
    """The name in a word ``name=host:tank`` of an ARRAY line; empty for any other word."""
    key, _, value = word.partition("=")
    return value.rpartition(":")[2] if key.lower() == "name" else ""


def name_in(source: str) -> Name:
    """The device that the field ``source``, without escapes, names; a PATH outside /dev if it is none: ``tmpfs``.

    A link of udev that stands for a tag is that tag: /dev/disk/by-uuid/… is UUID=….
    """
    tag, equals, value = source.partition("=")
    if equals and tag.upper() in {*TAGS, "ID"}:
        value = value.strip("\"'")
        return (
            Name(tag="PATH", value=f"{_BY}id/{value}")
            if tag.upper() == "ID"
            else Name(tag=tag.upper(), value=value)
        )
    path = posixpath.normpath(source)
    for known in TAGS:
        if path.startswith(f"{_BY}{known.lower()}/"):
            return Name(tag=known, value=decoded(path.removeprefix(f"{_BY}{known.lower()}/")))
    return Name(tag="PATH", value=path)


def link_of(name: Name) -> str:
    """The path that leads to the device: the link that udev makes for a tag."""
    return name.value if name.tag not in TAGS else f"{_BY}{name.tag.lower()}/{encoded(name.value)}"


def decoded(text: str) -> str:
    r"""Decode a value that udev encoded, such as ``ID_MODEL_ENC``: ``WDC\x20WD40`` is ``WDC WD40``."""
    raw = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())
    return raw.decode("utf-8", "replace")


def encoded(text: str) -> str:
    """Encode a label as udev does in the name of a link: ``my data`` is ``my\\x20data``."""
    return "".join(
        one
        if (one.isascii() and (one.isalnum() or one in "#+-.:=@_")) or not one.isascii()
        else f"\\x{ord(one):02x}"
        for one in text
    )
