"""A spec as a small TOML file: read strictly, written so that it reads back the same."""

import re
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final

import tomli_w

from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import parse_size, spell_size

LEVELS: Final = {
    Backend.MDADM: ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "linear"),
    Backend.LVM: ("linear", "stripe", "mirror", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"),
    Backend.LVM_ON_MD: ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10"),
    Backend.ZFS: ("stripe", "mirror", "raidz1", "raidz2", "raidz3"),
    Backend.BTRFS: ("single", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6"),
    Backend.HARDWARE: ("raid0", "raid1", "raid5", "raid6", "raid10", "raid50", "raid60"),
}
FILESYSTEMS: Final = ("ext4", "xfs", "btrfs", "none")
METADATA: Final = ("0.90", "1.0", "1.1", "1.2")
CONSISTENCIES: Final = ("bitmap", "resync", "ppl", "none")

_TEXT: Final = ("name", "backend", "level", "chunk", "layout", "metadata", "consistency", "reserve")
_LISTS: Final = ("members", "spares", "sizes", "spare_sizes")
_KEYS: Final = (*_TEXT, *_LISTS, "partition", "filesystem")
_FILESYSTEM_KEYS: Final = ("type", "label", "mountpoint")


def read_spec(text: str, *, origin: str) -> Spec:
    """The spec in ``text``.

    Args:
        origin: where the text is from, for errors: the file's name.

    Raises:
        BadInput: not TOML, an unknown key or word, a value of the wrong kind, a size without a unit. The message
            has the line, the reason and the nearest right word.
    """
    return _Reader(text, origin).read()


class _Reader:
    def __init__(self, text: str, origin: str) -> None:
        self._text = text
        self._origin = origin

    def read(self) -> Spec:
        try:
            table = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f"{self._origin} is not a spec in TOML: {error}") from error
        self._known(table, _KEYS, "")
        for key in ("name", "level"):
            if key not in table:
                raise BadInput(f"{self._origin} has no {key!r}; every spec needs a name, a level and members")
        if not table.get("members") and not table.get("sizes"):
            raise BadInput(f"{self._origin} names no disks; list their serial numbers in 'members'")
        if table.get("members") and table.get("sizes"):
            self._fail(
                "sizes", "", "'sizes' is for calculating without disks and cannot stand beside 'members'"
            )
        backend = Backend(self._word(table, "backend", tuple(Backend), Backend.MDADM))
        return Spec(
            name=self._string(table, "name", ""),
            backend=backend,
            level=self._word(table, "level", LEVELS[backend], ""),
            members=self._strings(table, "members"),
            spares=self._strings(table, "spares") if table.get("members") else (),
            sizes=self._sizes(table, "sizes"),
            spare_sizes=self._sizes(table, "spare_sizes" if "spare_sizes" in table else "spares")
            if table.get("sizes")
            else (),
            chunk=self._size(table, "chunk"),
            layout=self._string(table, "layout", "") or None,
            metadata=self._word(table, "metadata", METADATA, "") or None,
            consistency=self._word(table, "consistency", CONSISTENCIES, "") or None,
            partition=self._boolean(table, "partition"),
            reserve=self._size(table, "reserve"),
            filesystem=self._filesystem(table),
        )

    def _filesystem(self, table: Mapping[str, Any]) -> FilesystemSpec:
        inner = table.get("filesystem", {})
        if not isinstance(inner, dict):
            self._fail(
                "filesystem", "", "'filesystem' is a table; write [filesystem] and below it type = \"ext4\""
            )
        self._known(inner, _FILESYSTEM_KEYS, "filesystem")
        return FilesystemSpec(
            type=self._word(inner, "type", FILESYSTEMS, "none", "filesystem"),
            label=self._string(inner, "label", "", "filesystem"),
            mountpoint=self._string(inner, "mountpoint", "", "filesystem"),
        )

    def _known(self, table: Mapping[str, Any], keys: tuple[str, ...], section: str) -> None:
        for key in table:
            if key not in keys:
                near = get_close_matches(key, keys, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(keys)}"
                self._fail(key, section, f"unknown key {key!r}; {hint}")

    def _fail(self, key: str, section: str, reason: str) -> None:
        raise BadInput(f"{self._origin}, line {self._line(key, section)}: {reason}")

    def _line(self, key: str, section: str) -> int:
        """The line on which a key stands; for the message only."""
        here, pattern = "", re.compile(rf"""\s*(["']?){re.escape(key)}\1\s*(=|\.)""")
        for number, line in enumerate(self._text.splitlines(), start=1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
            if header and "=" not in line.partition("[")[0]:
                here = header[1]
                if here == key and not section:
                    return number
            elif here == section and pattern.match(line):
                return number
        return 1

    def _string(self, table: Mapping[str, Any], key: str, default: str, section: str = "") -> str:
        value = table.get(key, default)
        if not isinstance(value, str):
            self._fail(key, section, f'{key!r} is a text; write {key} = "{value}"')
        return str(value)

    def _word(
        self, table: Mapping[str, Any], key: str, words: tuple[str, ...], default: str, section: str = ""
    ) -> str:
        value = self._string(table, key, default, section)
        if value and value not in words:
            near = get_close_matches(value.lower(), words, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}"
            self._fail(key, section, f"{key} {value!r} is unknown; {hint}")
        return value

    def _strings(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self._fail(key, "", f'{key!r} is a list of texts, such as ["WD-WCC7K1A", "WD-WCC7K1B"]')
        return tuple(value)

    def _parsed(self, key: str, value: Any, what: Callable[[str], int]) -> int:
        if not isinstance(value, str):
            self._fail(
                key, "", f'{key!r} needs a unit; write for example {key} = "{value}KiB" or "{value}MiB"'
            )
        try:
            return what(value)
        except BadInput as error:
            raise BadInput(f"{self._origin}, line {self._line(key, '')}: {key} {error}") from error

    def _size(self, table: Mapping[str, Any], key: str) -> int | None:
        return self._parsed(key, table[key], parse_size) if key in table else None

    def _sizes(self, table: Mapping[str, Any], key: str) -> tuple[int, ...]:
        value = table.get(key, [])
        if not isinstance(value, list):
            self._fail(key, "", f'{key!r} is a list of sizes, such as ["4TB", "4TB"]')
        return tuple(self._parsed(key, one, parse_size) for one in value)

    def _boolean(self, table: Mapping[str, Any], key: str) -> bool | None:
        value = table.get(key)
        if value is not None and not isinstance(value, bool):
            self._fail(key, "", f"{key!r} is true or false, without quotes")
        return value


def write_spec(spec: Spec) -> str:
    """``spec`` as TOML; what is left to its default is left out."""
    table: dict[str, Any] = {"name": spec.name, "backend": str(spec.backend), "level": spec.level}
    for key in ("members", "spares"):
        if getattr(spec, key):
            table[key] = list(getattr(spec, key))
    for key in ("sizes", "spare_sizes"):
        if getattr(spec, key):
            table[key] = [spell_size(size) for size in getattr(spec, key)]
    for key in ("chunk", "reserve"):
        if getattr(spec, key) is not None:
            table[key] = spell_size(getattr(spec, key))
    for key in ("layout", "metadata", "consistency", "partition"):
        if getattr(spec, key) is not None:
            table[key] = getattr(spec, key)
    inner = {
        "type": spec.filesystem.type,
        "label": spec.filesystem.label,
        "mountpoint": spec.filesystem.mountpoint,
    }
    table["filesystem"] = {key: value for key, value in inner.items() if value}
    return tomli_w.dumps(table)
