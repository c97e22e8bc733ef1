"""Say in plain words why a JSON document is not the record that it should be: msgspec's words are for programmers."""

import re
from typing import Final

_PLACE: Final = r"(?s)(?P<what>.*?)(?: - at `(?:key in )?\$\.?(?P<where>[^`]*)`)?"
_MALFORMED: Final = r"JSON is malformed: (?P<what>.*) \(byte (?P<byte>\d+)\)"
_MISSING: Final = r"Object missing required field `(?P<field>[^`]*)`"
_WORD: Final = r"(?s)Invalid enum value (?P<word>.*)"
_BOUND: Final = r"Expected `(?:int|float)` (?P<sign>[<>]=) (?P<bound>\S+)"
_TEXT: Final = r"(?s)Expected `str` (?:matching regex|of length) .*"
_LIST: Final = r"Expected `array` of length (?P<count>\d+)"
_KIND: Final = r"Expected `(?P<wanted>[^`]*)`, got `(?P<given>[^`]*)`"
_NAMES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_LEAST: Final = {"<=": "at most", ">=": "at least"}


def in_words(reason: str) -> str:
    """What is wrong with a document, and where in it, from the text of a `msgspec.DecodeError`."""
    found = re.fullmatch(_PLACE, reason)
    what, where = (found["what"], found["where"] or "") if found else (reason, "")
    if missing := re.fullmatch(_MISSING, what):
        return f"{where}{'.' if where else ''}{missing['field']} is missing"
    if reason == "Input data was truncated":
        return "it ends in the middle"
    if malformed := re.fullmatch(_MALFORMED, what):
        return f"it is not JSON: {malformed['what']} at byte {int(malformed['byte']) + 1}"
    return f"{where or 'it'} {wrong}" if (wrong := _wrong(what)) else reason


def _wrong(what: str) -> str:
    """What a value must be; empty if msgspec says it in words that are not known here."""
    if kind := re.fullmatch(_KIND, what):
        wanted, given = (_either(kind[one]) for one in ("wanted", "given"))
        return f"must be {wanted}, not {given}"
    if bound := re.fullmatch(_BOUND, what):
        return f"must be {_LEAST[bound['sign']]} {bound['bound']}"
    if word := re.fullmatch(_WORD, what):
        return f"has the word {word['word']}, which is not known here"
    if count := re.fullmatch(_LIST, what):
        return f"must be a list of {count['count']} values"
    if what == "Number out of range":
        return "is too large a number"
    return "is not a word that can stand there" if re.fullmatch(_TEXT, what) else ""


def _either(kinds: str) -> str:
    return " or ".join(_NAMES.get(one, one) for one in kinds.split(" | "))
