"""The spec as a TOML file: read strictly, every complaint with its line, and written so that it reads back equal."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

import tomli_w

from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.text import harmless
from raidtui.model.units import parse_size, spell_size

LEVEL_WORDS: Final = {
    Backend.MDADM: ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "linear"),
    Backend.LVM: ("linear", "striped", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"),
    Backend.LVM_ON_MD: ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "linear"),
    Backend.ZFS: ("stripe", "mirror", "raidz1", "raidz2", "raidz3"),
    Backend.BTRFS: (
        "single",
        "dup",
        "raid0",
        "raid1",
        "raid1c3",
        "raid1c4",
        "raid5",
        "raid6",
        "raid10",
    ),
    Backend.HARDWARE: ("raid0", "raid1", "raid5", "raid6", "raid10", "raid50", "raid60"),
}
"""Each backend's own words for its levels."""

METADATA_WORDS: Final = ("1.2", "1.1", "1.0", "0.90")
CONSISTENCY_WORDS: Final = ("bitmap", "resync", "ppl", "none")
FILESYSTEM_TYPES: Final = ("ext4", "xfs", "btrfs", "none")

_KEYS: Final = (
    "name",
    "backend",
    "level",
    "members",
    "spares",
    "sizes",
    "chunk",
    "layout",
    "metadata",
    "consistency",
    "partition",
    "reserve",
    "slice",
    "persistent",
    "filesystem",
)
_FILESYSTEM_KEYS: Final = ("type", "label", "mountpoint")
_LONGEST_SHOWN: Final = 40
_WRONG_PLACE: Final = re.compile(r"(?P<what>.*?) ?\(at line (?P<line>\d+), column \d+\)", re.DOTALL)
_ASSIGNMENT: Final = re.compile(r"""\s*(?P<key>[A-Za-z0-9_.-]+|"[^"]*"|'[^']*')\s*=""")
_SECTION: Final = re.compile(r"""\s*\[\s*(?P<name>[A-Za-z0-9_.-]+|"[^"]*"|'[^']*')\s*\]""")
_LONG_STRING: Final = re.compile(r'"""|\'\'\'')


def read_spec(text: str, *, origin: str) -> Spec:
    """The spec that ``text`` spells.

    Args:
        origin: where the text came from, for errors: a file's name.

    Raises:
        BadInput: not TOML, an unknown key or word, a size without a unit or a value of the wrong type; the text
            names the line and, where one is near, the right word.
    """
    return _Reader(text.removeprefix("\ufeff"), harmless(origin)).read()


def write_spec(spec: Spec) -> str:
    """``spec`` as TOML that `read_spec` reads back equal; what is left to the defaults is left out."""
    spares: list[str] | None = list(spec.spares)
    if spec.sizes:
        spares = [spell_size(size) for size in spec.spare_sizes]
    values: dict[str, Any] = {
        "name": spec.name,
        "backend": spec.backend.value,
        "level": spec.level,
        "members": None if spec.sizes else list(spec.members),
        "sizes": [spell_size(size) for size in spec.sizes] or None,
        "spares": spares or None,
        "chunk": None if spec.chunk is None else spell_size(spec.chunk),
        "layout": spec.layout,
        "metadata": spec.metadata,
        "consistency": spec.consistency,
        "partition": spec.partition,
        "reserve": None if spec.reserve is None else spell_size(spec.reserve),
        "slice": None if spec.slice is None else spell_size(spec.slice),
        "persistent": None if spec.persistent else False,
    }
    if spec.filesystem != FilesystemSpec():
        filesystem = spec.filesystem
        given = {"type": filesystem.type, "label": filesystem.label, "mountpoint": filesystem.mountpoint}
        values["filesystem"] = {key: value for key, value in given.items() if value}
    return tomli_w.dumps({key: value for key, value in values.items() if value is not None})


class _Reader:
    """One reading: the parsed table, and the text to find lines in."""

    def __init__(self, text: str, origin: str) -> None:
        self._text = text
        self._origin = origin

    def read(self) -> Spec:
        table = self._parse()
        self._known_keys(table, _KEYS, section="")
        for key in ("name", "level"):
            if key not in table:
                raise BadInput(f"{self._origin}: the key {key!r} is missing; a spec needs a name and a level")
        if "sizes" in table and "members" in table:
            raise self._refusal(
                "sizes", "sizes stand in place of members, to calculate without disks; leave one of both out"
            )
        backend = Backend(self._word(table, "backend", tuple(Backend), "mdadm"))
        sized = "sizes" in table
        return Spec(
            name=self._string(table, "name"),
            backend=backend,
            level=self._word(table, "level", LEVEL_WORDS[backend], ""),
            members=self._strings(table, "members"),
            spares=() if sized else self._strings(table, "spares"),
            sizes=self._sizes(table, "sizes"),
            spare_sizes=self._sizes(table, "spares") if sized else (),
            chunk=self._size(table, "chunk"),
            layout=self._string(table, "layout") if "layout" in table else None,
            metadata=self._word(table, "metadata", METADATA_WORDS, "") or None,
            consistency=self._word(table, "consistency", CONSISTENCY_WORDS, "") or None,
            partition=self._yes_or_no(table, "partition"),
            reserve=self._size(table, "reserve"),
            slice=self._size(table, "slice"),
            persistent=self._yes_or_no(table, "persistent") is not False,
            filesystem=self._filesystem(table),
        )

    def _parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self._text)
        except RecursionError:
            raise BadInput(f"{self._origin}: brackets are nested too deeply for a spec") from None
        except ValueError as error:
            where = _WRONG_PLACE.match(str(error))
            what = where["what"] if where else str(error).replace("(at end of document)", "at the end")
            place = f", line {where['line']}" if where else ""
            raise BadInput(f"{self._origin}{place}: this is not TOML: {harmless(what)}") from error

    def _filesystem(self, table: Mapping[str, Any]) -> FilesystemSpec:
        if "filesystem" not in table:
            return FilesystemSpec()
        given = table["filesystem"]
        if not isinstance(given, dict):
            raise self._refusal(
                "filesystem", 'filesystem is a section: write [filesystem] and below it type = "ext4"'
            )
        self._known_keys(given, _FILESYSTEM_KEYS, section="filesystem")
        if "type" not in given:
            raise self._refusal(
                "filesystem", f"the filesystem has no type; write type = {_either(FILESYSTEM_TYPES)}"
            )
        return FilesystemSpec(
            type=self._word(given, "type", FILESYSTEM_TYPES, "none", section="filesystem"),
            label=self._string(given, "label", section="filesystem") if "label" in given else "",
            mountpoint=self._string(given, "mountpoint", section="filesystem")
            if "mountpoint" in given
            else "",
        )

    def _known_keys(self, table: Mapping[str, Any], known: tuple[str, ...], *, section: str) -> None:
        for key in table:
            if key in known:
                continue
            elsewhere = "" if section else next((k for k in _FILESYSTEM_KEYS if k == key), "")
            if elsewhere:
                hint = f"; {key} belongs below [filesystem]"
            elif section and key in _KEYS:
                hint = f"; {key} belongs above [{section}]"
            else:
                hint = _hint(key, known)
            raise self._refusal(key, f"there is no key {_shown(key)}{hint}", section=section)

    def _word(
        self, table: Mapping[str, Any], key: str, known: tuple[str, ...], default: str, *, section: str = ""
    ) -> str:
        if key not in table:
            return default
        value = self._string(table, key, section=section)
        if value not in known:
            raise self._refusal(key, f"{_shown(value)} is no {key}{_hint(value, known)}", section=section)
        return value

    def _string(self, table: Mapping[str, Any], key: str, *, section: str = "") -> str:
        value = table[key]
        if isinstance(value, str):
            return value
        hint = (
            f'; write {key} = "{value}"'
            if isinstance(value, int | float)
            else "; write it in quotation marks"
        )
        raise self._refusal(key, f"{key} must be text, not {_kind(value)}{hint}", section=section)

    def _strings(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self._refusal(key, f'{key} must be a list, such as {key} = ["SERIAL-1", "SERIAL-2"]')
        for one in value:
            if not isinstance(one, str):
                raise self._refusal(key, f"{key} must be a list of texts; {_shown(str(one))} is {_kind(one)}")
        return tuple(value)

    def _sizes(self, table: Mapping[str, Any], key: str) -> tuple[int, ...]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self._refusal(key, f'{key} must be a list, such as {key} = ["4TB", "4TB"]')
        return tuple(self._as_size(key, one) for one in value)

    def _size(self, table: Mapping[str, Any], key: str) -> int | None:
        return self._as_size(key, table[key]) if key in table else None

    def _as_size(self, key: str, value: object) -> int:
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise self._refusal(
                key, f'{key} {value} has no unit; write it with one in quotation marks: "512KiB"'
            )
        if not isinstance(value, str):
            raise self._refusal(key, f'{key} must be a size such as "512KiB", not {_kind(value)}')
        if len(value) > _LONGEST_SHOWN:
            raise self._refusal(
                key, f'{_shown(value)} is not a size; write a number and a unit, such as "4TB"'
            )
        try:
            return parse_size(value)
        except BadInput as error:
            raise self._refusal(key, f"{key}: {error}") from error

    def _yes_or_no(self, table: Mapping[str, Any], key: str) -> bool | None:
        value = table.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self._refusal(key, f"{key} must be true or false, without quotation marks, not {_kind(value)}")

    def _refusal(self, key: str, reason: str, *, section: str = "") -> BadInput:
        line = find_line(self._text, key, section)
        place = f", line {line}" if line else ""
        return BadInput(f"{self._origin}{place}: {reason}")


def find_line(text: str, key: str, section: str) -> int:
    """The line, counted from 1, on which ``key`` of ``section`` (empty: the top) is set; 0 if it is not found.

    A section that is itself the key is found by its header.
    """
    inside, quote = "", ""
    found_section = 0
    for number, line in enumerate(text.splitlines(), 1):
        began_in_string = bool(quote)
        for mark in _LONG_STRING.findall(line):
            quote = mark if not quote else "" if mark == quote else quote
        if began_in_string:
            continue
        if header := _SECTION.match(line):
            inside = _bare(header["name"])
            if (section and inside == section) or (not section and inside == key):
                found_section = found_section or number
            if not section and inside == key:
                return number
            continue
        assignment = _ASSIGNMENT.match(line)
        if assignment is None:
            continue
        name = f"{inside}.{_bare(assignment['key'])}".removeprefix(".")
        if name == f"{section}.{key}".removeprefix("."):
            return number
        if not section and name.startswith(f"{key}."):
            return number
        if section and name == section:  # an inline table
            found_section = found_section or number
    return found_section


def _bare(name: str) -> str:
    return name.strip("\"'")


def _hint(word: str, known: Iterable[str]) -> str:
    words = [str(one) for one in known]
    near = get_close_matches(word.lower().replace("-", "").replace("_", ""), words, 1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(words)}"


def _either(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def _shown(text: str) -> str:
    """``text`` quoted, harmless, and not longer than a sentence can bear."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…")


def _kind(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "a section"
        case _:
            return "a date or time"
