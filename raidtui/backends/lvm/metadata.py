"""The metadata of a volume group, as each physical volume holds it: read its text, and make the volumes small.

The label is in one of the first four sectors, the text in a ring behind the header of its area; both are described in
LVM's lib/format_text/layout.h, the text in lvm2's man/vgcfgbackup and lib/format_text/format-text.c.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, TypeAlias, cast

from raidtui.machine.contents.inner_begins import AREA, LABEL
from raidtui.model.errors import BadInput
from raidtui.model.units import MIB, SECTOR

HEAD_BYTES: Final = MIB  # what pvcreate leaves before the first extent, the metadata area included
_LABEL_SECTORS: Final = 4
_AREA_HEADER: Final = 512  # bytes; the ring begins behind it
_PV_HEADER: Final = 32 + 32 + 8  # the label's own header, the UUID, the size of the device
_WORD: Final = re.compile(r"""\#[^\n]* | "(?:[^"\\]|\\.)*" | [{}\[\]=,] | [^\s{}\[\]=,"\#]+""", re.VERBOSE)
_BEGINS: Final = re.compile(rb'[A-Za-z0-9+_.-]{1,127} \{\nid = "')  # a text in the ring of an area
_SEGMENT: Final = re.compile(r"segment(\d{1,9})")
_STRAY: Final = frozenset("{}[]=,")

Section: TypeAlias = "dict[str, Section | list[str] | str]"
"""A section of the text: sections, lists and single values by key; values as they are written, with their quotes."""


def uuid_in(content: bytes) -> str:
    """The UUID of the physical volume whose head ``content`` is, without dashes; empty if it has no label."""
    label = _label(content)
    return "" if label is None else content[label + 32 : label + 64].decode("ascii", errors="replace")


def texts_in(content: bytes) -> Iterator[str]:
    """Every text of metadata in the head of a device, with a label or not: the newest, and older ones behind it."""
    with suppress(BadInput):
        yield text_in(content)
    for at in range(0, len(content), SECTOR):
        if _BEGINS.match(content, at):
            with suppress(UnicodeDecodeError):
                yield content[at:].partition(b"\0")[0].decode()


def without_label(content: bytes) -> bytes:
    """The head of a device without its label, so that LVM does not know it."""
    size = _LABEL_SECTORS * SECTOR
    return bytes(size) + content[size:]


def text_in(content: bytes) -> str:
    """The metadata in the head of a physical volume. Raises BadInput: there is none that can be read."""
    try:
        return _text(content)
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise BadInput("a physical volume has no metadata that can be read") from error


def parse(text: str) -> Section:
    """The sections of a text of metadata. Raises BadInput: it is not one."""
    words = [one for one in _WORD.findall(text) if not one.startswith("#")]
    try:
        return _section(iter([*words, "}"]))
    except (StopIteration, ValueError, RecursionError) as error:
        raise BadInput("the metadata of a physical volume cannot be read") from error


def written(section: Section, indent: str = "") -> str:
    """The text of ``section``, as vgcfgrestore(8) reads it."""
    lines = []
    for key, value in section.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key} {{", written(value, f"{indent}\t"), f"{indent}}}"]
        else:
            shown = value if isinstance(value, str) else f"[{', '.join(value)}]"
            lines.append(f"{indent}{key} = {shown}")
    return "\n".join(lines)


def group_in(whole: Section) -> tuple[str, Section]:
    """The name and the section of the volume group. Raises BadInput: there is not one."""
    found = [(key, value) for key, value in whole.items() if isinstance(value, dict)]
    if len(found) != 1:
        raise BadInput("the metadata of a physical volume does not describe one volume group")
    return found[0]


def part(section: Section, key: str) -> dict[str, Section]:
    """The sections in the section ``key`` of ``section``; none if it has no such section."""
    inside = section.get(key)
    return (
        {name: one for name, one in inside.items() if isinstance(one, dict)}
        if isinstance(inside, dict)
        else {}
    )


def lessen(group: Section, member_bytes: int) -> None:
    """Shorten every volume of ``group`` to at most ``member_bytes`` on each device, at the places where it begins.

    Images of one RAID volume stay equally long, and no segment goes.

    Raises:
        BadInput: a volume is of a kind that cannot be shortened like this.
    """
    volumes = part(group, "logical_volumes")
    limit = max(1, member_bytes // (number(group, "extent_size") * SECTOR))
    inner: set[str] = set()
    for name, volume in volumes.items():
        some = segments(volume)
        parts = [one for segment in some for one in images(segment)]
        if not parts:
            continue
        inner |= set(parts)
        legs = [volumes.get(one, {}) for one in parts if "_rmeta" not in one]
        lengths, total = {_length(one) for one in legs}, _length(volume)
        if len(some) != 1 or len(lengths) != 1 or not (length := lengths.pop()) or total % length:
            raise BadInput(f"the volume {name} is in a change of its layout")
        new = min(length, max(limit, *(len(segments(one)) for one in legs)))
        for leg in legs:
            _scale(leg, length, new)
        some[0]["extent_count"] = str(total // length * new)
    for name, volume in volumes.items():
        if name not in inner and not any(map(images, segments(volume))):
            _shorten(volume, limit)
    for device in part(group, "physical_volumes").values():
        device["flags"] = [one for one in cast(list[str], device.get("flags", [])) if one != '"MISSING"']


def word(section: Section, key: str) -> str:
    """A text without its quotation marks; empty if there is none."""
    return str(section.get(key, "")).strip('"')


def kind_of(segment: Section) -> str:
    """Its type, as in lvcreate --type."""
    return word(segment, "type")


def images(segment: Section) -> list[str]:
    """The names of the volumes that a segment of a RAID type is made of."""
    found = segment.get("raids", segment.get("raid0_lvs", []))
    return [one.strip('"') for one in found] if isinstance(found, list) else []


def copies(segment: Section) -> list[str]:
    """The names of the volumes that each hold all data of a segment of the older type mirror."""
    found = segment.get("mirrors", [])
    return [one.strip('"') for one in found[::2]] if isinstance(found, list) else []


def segments(volume: Section) -> list[Section]:
    """The segments of a volume, in order."""
    numbered = [
        (int(found[1]), value)
        for key, value in volume.items()
        if (found := _SEGMENT.fullmatch(key)) and isinstance(value, dict)
    ]
    return [value for _, value in sorted(numbered, key=lambda one: one[0])]


def _length(volume: Section) -> int:
    return sum(number(one, "extent_count") for one in segments(volume))


def number(section: Section, key: str) -> int:
    """A whole number above 0. Raises BadInput: there is none."""
    value = section.get(key)
    if not isinstance(value, str) or not value.isdigit() or not int(value):
        raise BadInput(f"the metadata of a physical volume has no {key}")
    return int(value)


def _scale(volume: Section, length: int, new: int) -> None:
    """Give ``volume`` ``new`` extents instead of ``length``, each segment about its share, and at least one."""
    some, start, end = segments(volume), 0, 0
    for place, segment in enumerate(some):
        end += number(segment, "extent_count")
        after = len(some) - place - 1
        until = new if not after else min(max(-(-end * new // length), start + 1), new - after)
        segment["start_extent"], segment["extent_count"] = str(start), str(until - start)
        start = until


def _shorten(volume: Section, limit: int) -> None:
    """Leave each segment of ``volume`` its share of ``limit`` extents on each of its devices, and at least one."""
    some, start = segments(volume), 0
    for segment in some:
        if segment.get("type") not in {'"striped"', '"linear"'}:
            raise BadInput(f"a volume of type {segment.get('type')} cannot be shortened")
        across = number(segment, "stripe_count")
        rows = min(number(segment, "extent_count") // across, max(1, limit // len(some)))
        segment["start_extent"], segment["extent_count"] = str(start), str(rows * across)
        start += rows * across


def _section(words: Iterator[str]) -> Section:
    """What follows up to the closing brace."""
    found: Section = {}
    while (key := next(words)) != "}":
        if key in _STRAY:
            raise ValueError(key)
        sign = next(words)
        if sign == "{":
            found[key] = _section(words)
        elif sign == "=":
            value = next(words)
            found[key] = _list(words) if value == "[" else value
        else:
            raise ValueError(sign)
    return found


def _list(words: Iterable[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        if word == "]":
            return found
        if word != ",":
            found.append(word)
    raise ValueError("a list without an end")


def _label(content: bytes) -> int | None:
    for sector in range(_LABEL_SECTORS):
        at = sector * SECTOR
        if content[at : at + len(LABEL)] == LABEL:
            return at
    return None


def _text(content: bytes) -> str:
    label = _label(content)
    if label is None:
        raise ValueError("no label")
    for start, size in _areas(content, label + _PV_HEADER):
        header = content[start : start + _AREA_HEADER]
        if header[4 : 4 + len(AREA)] != AREA:
            continue
        offset, length = struct.unpack_from("<QQ", header, 40)
        if not _AREA_HEADER <= offset < size or not 0 < length <= size or start + size > len(content):
            continue
        first = content[start + offset : start + min(offset + length, size)]
        rest = content[start + _AREA_HEADER : start + _AREA_HEADER + length - len(first)]
        return (first + rest).rstrip(b"\0").decode()
    raise ValueError("no metadata area in the head")


def _areas(content: bytes, at: int) -> Iterator[tuple[int, int]]:
    """The metadata areas: the second list of places behind the header; each list ends with a place of no offset."""
    ended = 0
    while ended < 2:
        offset, size = struct.unpack_from("<QQ", content, at)
        at += 16
        if not offset:
            ended += 1
        elif ended == 1:
            yield offset, size


def newest(texts: Iterable[str]) -> Section:
    """The metadata with the highest sequence number among ``texts``. Raises BadInput: there is none."""
    parsed = [parse(one) for one in texts]
    if not parsed:
        raise BadInput("no physical volume has metadata that can be read")
    return max(parsed, key=lambda one: number(group_in(one)[1], "seqno"))


def uuids(group: Section) -> Mapping[str, Section]:
    """The physical volumes of ``group`` by their UUID."""
    return {uuid_of(one): one for one in part(group, "physical_volumes").values()}


def uuid_of(section: Section) -> str:
    """The UUID of a group, a physical or a logical volume; empty if it has none."""
    return word(section, "id")
