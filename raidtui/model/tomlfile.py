"""Read hand-written TOML strictly: every error names the line and, where one is close, the right word."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from raidtui.model.errors import BadInput
from raidtui.model.nearest import hint
from raidtui.model.text import cut, harmless
from raidtui.model.toml_errors import explain
from raidtui.model.units import parse_size

_LONGEST_SHOWN: Final = 40
_LARGEST: Final = 32 * 1024  # characters; tomllib takes quadratic time for a key of many parts
_ASSIGNMENT: Final = re.compile(r"""\s*(?P<key>[A-Za-z0-9_.-]+|"[^"]*"|'[^']*')\s*=""")
_SECTION: Final = re.compile(r"""\s*\[\s*(?P<name>(?:[A-Za-z0-9_.-]+|"[^"]*"|'[^']*')+)\s*\]""")
_LONG_STRING: Final = re.compile(r'"""|\'\'\'')


def read_toml(text: str, *, origin: str, what: str, keys: Mapping[str, Sequence[str]]) -> "Section":
    """Parse ``text`` and return the top of the file.

    Args:
        origin: where the text comes from, such as a file name, for errors.
        what: what the file should be, such as ``spec``, for errors.
        keys: the keys that the top (``""``) and each section may have.

    Raises:
        BadInput: not TOML, too large, or an unknown key at its top; the message names the line.
    """
    text, origin = text.removeprefix("\ufeff"), harmless(origin)
    if len(text) > _LARGEST:
        raise BadInput(f"{origin} is larger than 32 KiB; a {what} is a small TOML file")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{origin}: brackets are nested too deeply for a {what}") from None
    except ValueError as error:
        line, what_is_wrong = explain(error, text)
        place = f", line {line}" if line else ""
        raise BadInput(f"{origin}{place}: {what_is_wrong}") from error
    return Section(table, text, origin, keys, "")


class Section:
    """One section of a file, or its top. Every method raises `BadInput` for a value of the wrong kind."""

    def __init__(
        self,
        table: Mapping[str, Any],
        text: str,
        origin: str,
        keys: Mapping[str, Sequence[str]],
        name: str,
        below: str = "",
    ) -> None:
        self._table = table
        self._text = text
        self._origin = origin
        self._keys = keys
        self._name = name
        self._place = f"{name}.{below}" if below else name
        for key in table:
            if key not in keys[name]:
                raise self.refusal(key, f"there is no key {_shown(key)}{self._elsewhere(key)}")

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def section(self, key: str, example: str) -> "Section":
        """The section ``key`` below this one; an empty one if it is missing."""
        given = self._table.get(key, {})
        if not isinstance(given, dict):
            raise self.refusal(key, f"{key} is a section: write [{key}] and below it {example}")
        return Section(given, self._text, self._origin, self._keys, key)

    def sections(self, key: str, example: str) -> dict[str, "Section"]:
        """The sections below ``key`` by name; any name is allowed: ``[row."SEQ1M Q8T1"]``.

        Each may have the keys known for ``key``.
        """
        given = self._table.get(key, {})
        if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
            raise self.refusal(key, f"{key} has sections below it: write {example}")
        return {
            name: Section(one, self._text, self._origin, self._keys, key, below=name)
            for name, one in given.items()
        }

    def word(
        self,
        key: str,
        known: Sequence[str],
        default: str = "",
        also: Mapping[str, str] | None = None,
        instead: Mapping[str, str] | None = None,
    ) -> str:
        """One of the ``known`` words. ``also`` and ``instead`` are for the error: see `hint`."""
        if key not in self._table:
            return default
        return self.known(key, self.string(key), known, also, instead)

    def words(self, key: str, known: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
        if key not in self._table:
            return tuple(default)
        return tuple(self.known(key, word, known) for word in self.strings(key))

    def string(self, key: str) -> str:
        value = self._table.get(key, "")
        if isinstance(value, str):
            return value
        hint = (
            f'; write {key} = "{value}"'
            if isinstance(value, int | float)
            else "; write it in quotation marks"
        )
        raise self.refusal(key, f"{key} must be text, not {_kind(value)}{hint}")

    def text(self, key: str) -> str:
        """Text; a whole number as text; true and false as ``on`` and ``off``."""
        value = self._table.get(key, "")
        if isinstance(value, bool):
            return "on" if value else "off"
        return str(value) if isinstance(value, int) else self.string(key)

    def strings(self, key: str) -> tuple[str, ...]:
        values = self._list(key, '["SERIAL-1", "SERIAL-2"]')
        for one in values:
            if not isinstance(one, str):
                raise self.refusal(
                    key, f"{key} must be a list of strings; {_shown(str(one))} is {_kind(one)}"
                )
        return tuple(values)

    def size(self, key: str) -> int | None:
        """A size in bytes, written with a unit; ``None`` if it is not set."""
        return self._as_size(key, self._table[key]) if key in self._table else None

    def sizes(self, key: str, example: str = '["4TB", "4TB"]') -> tuple[int, ...]:
        return tuple(self._as_size(key, one) for one in self._list(key, example))

    def number(self, key: str, default: int, *, least: int = 1) -> int:
        return self._as_number(key, self._table.get(key, default), least)

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        return tuple(self._as_number(key, one, 1) for one in self._list(key, "[2, 4]"))

    def yes_or_no(self, key: str) -> bool | None:
        """True or false; ``None`` if it is not set."""
        value = self._table.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self.refusal(key, f"{key} must be true or false, without quotation marks, not {_kind(value)}")

    def refusal(self, key: str, reason: str) -> BadInput:
        """The error for ``key``, with its line."""
        line = find_line(self._text, key, self._place)
        place = f", line {line}" if line else ""
        return BadInput(f"{self._origin}{place}: {reason}")

    def _elsewhere(self, key: str) -> str:
        places = [name for name, keys in self._keys.items() if key in keys and name != self._name]
        if not places:
            return _hint(key, self._keys[self._name])
        return (
            f"; {key} belongs below [{places[0]}]" if places[0] else f"; {key} belongs above [{self._name}]"
        )

    def _list(self, key: str, example: str) -> list[Any]:
        value = self._table.get(key, [])
        if not isinstance(value, list):
            raise self.refusal(key, f"{key} must be a list, such as {key} = {example}")
        return value

    def known(
        self,
        key: str,
        value: str,
        known: Sequence[str],
        also: Mapping[str, str] | None = None,
        instead: Mapping[str, str] | None = None,
    ) -> str:
        """``value``, which must be one of the ``known`` words."""
        if value not in known:
            raise self.refusal(
                key, f"{_shown(value)} is not a valid {key}{_hint(value, known, also, instead)}"
            )
        return value

    def _as_number(self, key: str, value: object, least: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.refusal(
                key, f"{key} must be a whole number, without quotation marks, not {_kind(value)}"
            )
        if value < least:
            raise self.refusal(key, f"{key} must be at least {least}, not {value}")
        return value

    def _as_size(self, key: str, value: object) -> int:
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise self.refusal(
                key, f'{key} {value} has no unit; write it with one in quotation marks: "512KiB"'
            )
        if not isinstance(value, str):
            raise self.refusal(key, f'{key} must be a size such as "512KiB", not {_kind(value)}')
        if len(value) > _LONGEST_SHOWN:
            raise self.refusal(
                key, f'{_shown(value)} is not a size; write a number and a unit, such as "4TB"'
            )
        try:
            return parse_size(value)
        except BadInput as error:
            raise self.refusal(key, f"{key}: {error}") from error


def find_line(text: str, key: str, section: str) -> int:
    """The number of the line, from 1, that sets ``key`` of ``section`` (empty: the top); 0 if not found.

    If the key is itself a section, the line of its header.
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
    return name.replace('"', "").replace("'", "")


def _hint(
    word: str,
    known: Sequence[str],
    also: Mapping[str, str] | None = None,
    instead: Mapping[str, str] | None = None,
) -> str:
    return hint(word, known, f"valid values: {', '.join(known)}", also, instead)


def _shown(text: str) -> str:
    """``text`` quoted and escaped, and shortened to `_LONGEST_SHOWN` characters."""
    return repr(cut(text, _LONGEST_SHOWN))


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
