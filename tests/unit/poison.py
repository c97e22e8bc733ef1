"""Documents in which every text is poisoned, made from the types of the records: a new field is poisoned by itself."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import inspect

# CSI, OSC 52 and OSC 8, BEL, CR, backspace, NUL, DEL, C1, a line of its own; then what has no width or turns the line.
OBEYED: Final = (
    "\x1b[2J\x1b]52;c;UE9JU09O\x07\x1b]8;;https://poison.example\x1b\\\r\x08\0\x7f\x85\x9b2J\nFORGED line"
    "\u00ad\u200b\u200e\u202a\u202e\u2028\u2066\u2069\ufeff"
)
COLOR: Final = "#123456"  # of nothing that raidtui draws itself
MARKUP: Final = f"[on {COLOR}][link='https://poison.example'][@click=app.quit]"


def poisoned(value: Any, text: str, *, but: frozenset[str] = frozenset()) -> Any:
    """``value`` with ``text`` after every string in it, keys of open documents excepted.

    Args:
        but: names of the fields that stay as they are.
    """
    if isinstance(value, Enum | bool | bytes | msgspec.Raw):
        return value
    if isinstance(value, str):
        return value + text
    if isinstance(value, msgspec.Struct):
        changed = {
            name: poisoned(getattr(value, name), text, but=but)
            for name in value.__struct_fields__
            if name not in but
        }
        return msgspec.structs.replace(value, **changed)
    if isinstance(value, Mapping):
        return {key: one if key in but else poisoned(one, text, but=but) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(poisoned(one, text, but=but) for one in value)
    return value


def filled(kind: inspect.Type, text: str) -> Any:
    """The JSON of a value of this type in which nothing is left out, and each string is ``text``."""
    match kind:
        case inspect.StrType(pattern=None):
            return text
        case inspect.IntType(ge=least):
            return 1 if least is None else max(1, least)
        case inspect.FloatType():
            return 1.5
        case inspect.BoolType():
            return True
        case inspect.EnumType(cls=cls):
            return next(iter(cls)).value
        case inspect.UnionType(types=types):
            return filled(next(one for one in types if not isinstance(one, inspect.NoneType)), text)
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return [filled(item, text)]
        case inspect.TupleType(item_types=items):
            return [filled(item, text) for item in items]
        case inspect.DictType(value_type=item):
            return {"key" + text: filled(item, text)}
        case inspect.StructType(fields=fields):
            made = {one.encode_name: filled(one.type, text) for one in fields}
            return (
                {kind.cls.__struct_config__.tag_field: kind.cls.__struct_config__.tag, **made}
                if kind.tag
                else made
            )
        case inspect.AnyType() | inspect.RawType():
            return {"key" + text: text}
        case _:  # a pattern
            return ""


def document(kind: type[msgspec.Struct], text: str) -> bytes:
    """A whole document of this record with every field, each string ``text``."""
    return msgspec.json.encode(filled(inspect.type_info(kind), text))
