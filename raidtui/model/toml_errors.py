"""Say in plain words why a text is not TOML, and in which line: the parser's own words name characters, not mistakes."""

import re
from typing import Final, NamedTuple

from raidtui.model.text import cut, harmless

_PLACE: Final = re.compile(
    r"(?P<what>.*?) ?\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)
_KEY: Final = re.compile(r"""\s*(?P<key>[A-Za-z0-9_.-]+|"[^"]*"|'[^']*')\s*=""")
_LIST: Final = re.compile(r"=\s*\[")
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_LONG_NUMBER: Final = re.compile(r"\d[\d_]{4000,}")
_LONGEST: Final = 30
_NOT_CLOSED: Final = "the quotation mark is not closed"
_NO_CURLY: Final = 'use straight quotation marks: "'
_CURLY: Final = "\u201c\u201d\u201e\u2018\u2019"  # typographic quotation marks


class Mistake(NamedTuple):
    """What is wrong, and in which line, from 1; 0: unknown."""

    line: int
    what: str


def explain(error: ValueError, text: str) -> Mistake:
    """The mistake behind an ``error`` of ``tomllib`` about ``text``."""
    if lone := _LONE_RETURN.search(text):
        return Mistake(
            len(text[: lone.end()].splitlines()),
            "it ends with a carriage return alone; save the file with the line ends of Unix",
        )
    found = _PLACE.fullmatch(str(error))
    if found is None:
        return _without_place(str(error), text)
    what, lines = found["what"], text.splitlines() or [""]
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=1)
    number = min(int(found["line"] or last), len(lines))
    line = lines[number - 1]
    column = int(found["column"]) - 1 if found["line"] else len(line)
    match what.split(" ")[:2]:
        case ["Unterminated", _] | ["Expected", '"\'"' | "\"'''\""]:
            return _string(lines, number)
        case ["Illegal", _] | ["Found", "invalid"]:
            control = not what.endswith((r"'\n'", r"'\r'"))
            return Mistake(
                number, "there is a control character, which TOML does not take" if control else _NOT_CLOSED
            )
        case ["Unclosed", "array"] if found["line"] and (word := _bare_word(line, column)):
            return Mistake(number, f'text needs quotation marks: "{_shown(word)}"')
        case ["Unclosed", "array"]:
            start = next((n for n in range(number, 0, -1) if _LIST.search(lines[n - 1])), number)
            return Mistake(start, "the list has no closing ], or a comma between two values is missing")
        case ["Unclosed", "inline"]:
            return Mistake(number, "the { has no closing } in its line")
        case ["Cannot", "overwrite"]:
            key = _KEY.match(line)
            return Mistake(number, f"{_shown(key['key'])} is set twice" if key else "a key is set twice")
        case ["Cannot", "declare"]:
            section = ".".join(re.findall(r"'([^']*)'", what))
            return Mistake(number, f"there is a second section [{_shown(section)}]")
        case ["Invalid", "value"]:
            return Mistake(number, _value(line[column:]))
        case ["Invalid", "statement" | "initial"]:
            return Mistake(number, "this is neither KEY = VALUE nor [SECTION]")
        case ["Expected", "'='"]:
            return Mistake(number, "there is no = after the key; write KEY = VALUE")
        case ["Expected", "']'" | "']]'"]:
            return Mistake(number, "the [ of the section has no closing ]")
        case ["Expected", "newline"]:
            return Mistake(number, _rest(line, column))
        case ["Unescaped", _]:
            return Mistake(number, r"a backslash between quotation marks is written \\")
        case ["Escaped", "character"]:
            return Mistake(number, r"what follows \u is the number of no character")
        case _:
            return Mistake(number, _unknown(what))


def _without_place(reason: str, text: str) -> Mistake:
    """What Python says of a number with thousands of digits, which has no place."""
    lines = text.splitlines()
    number = next((n for n, line in enumerate(lines, 1) if _LONG_NUMBER.search(line)), 0)
    return Mistake(number, "a number has too many digits" if number else _unknown(reason))


def _string(lines: list[str], number: int) -> Mistake:
    """Text without its closing mark: on its own line, or from the line where a text of several lines begins."""
    for mark in ('"""', "'''"):
        if sum(line.count(mark) for line in lines) % 2:
            start = max(n for n, line in enumerate(lines, 1) if mark in line)
            return Mistake(start, f"the text that begins with {mark} is not closed")
    return Mistake(number, _NOT_CLOSED)


def _value(given: str) -> str:
    word = re.split(r"[,\]}#]", given)[0].strip()
    if not word:
        return "a value is missing"
    if word.startswith("="):
        return "write one =, not two"
    if word[0] in _CURLY:
        return _NO_CURLY
    if word.lower() in {"true", "false"}:
        return f"write {word.lower()} in lower case"
    return f'text needs quotation marks: "{_shown(word)}"'


def _rest(line: str, column: int) -> str:
    """What is wrong with what follows a complete value."""
    if word := _bare_word(line, column):
        return f'text needs quotation marks: "{_shown(word)}"'
    return f"one key on a line: {_shown(line[column:].strip())} does not belong here"


def _bare_word(line: str, column: int) -> str:
    """The word of ``line`` that begins as a number and is text from ``column``: ``4TB``; empty if none does."""
    start, rest = re.split(r"[=\s\[,]", line[:column])[-1], re.split(r"[\s,\]#]", line[column:])[0]
    return f"{start}{rest}" if start[:1].isdigit() and rest and rest[0] not in "\"'" else ""


def _shown(text: str) -> str:
    return harmless(cut(text, _LONGEST))


def _unknown(reason: str) -> str:
    return f"this is not TOML: {harmless(reason)}"
