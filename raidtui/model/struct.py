"""The base of every record of the model, and its conversion to and from JSON.

Every record of raidtui is decoded here. msgspec inspects a type when it is first decoded, without a lock: two
threads that decode a new type at the same time crash the whole program (SIGSEGV). Here it is inspected under a lock.
"""

import re
import threading
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec

from raidtui.model.decode_errors import in_words
from raidtui.model.errors import BadInput

if TYPE_CHECKING:
    from msgspec.json import Decoder


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An immutable record. On reading, unknown keys (from a newer version) are ignored; missing keys are an error."""


Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number as the kernel and tools report it; a document with a larger one is refused."""
Bytes = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""A size or offset that Linux can have."""
Sector = Annotated[int, msgspec.Meta(ge=1, le=2**20)]
"""The size of a sector in bytes."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**16)]
"""A number of members, or the slot of one."""

R = TypeVar("R", bound=Record)
S = TypeVar("S", bound=msgspec.Struct)

# C1, soft hyphen, zero width, bidi, separators, interlinear marks, tags: Unicode's Cc, Cf, Zl, Zp, Cs and private use.
_OBEYED: Final = (  # not compiled at every start
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\uf8ff\ufeff\ufff0-\uffff\U000110bd-\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_INSPECTING: Final = threading.Lock()
_DECODERS: Final[dict[type, "Decoder[Any]"]] = {}


def to_json(value: object, *, pretty: bool = True) -> str:
    """``value`` as one JSON document: indented with ``pretty``, else one line without spaces."""
    raw = msgspec.json.encode(value)
    return escaped((msgspec.json.format(raw, indent=2) if pretty else raw).decode())


def escaped(document: str) -> str:
    """The JSON ``document`` with escapes for the control and format characters that JSON allows, but a terminal obeys."""
    if document.isascii() and "\x7f" not in document:
        return document
    return re.sub(_OBEYED, lambda found: "".join(f"\\u{unit:04x}" for unit in _utf_16(found[0])), document)


def _utf_16(character: str) -> tuple[int, ...]:
    raw = character.encode("utf-16-be", "surrogatepass")
    return tuple(int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2))


def from_json(text: str | bytes, kind: type[R], *, origin: str) -> R:
    """Read one ``kind`` from JSON.

    Args:
        origin: where the text comes from, such as a file name, for the error.

    Raises:
        BadInput: not JSON, or not such a record; the message names the place in the document.
    """
    try:
        return decode_json(text, kind)
    except msgspec.DecodeError as error:
        raise BadInput(f"{origin} cannot be read as a {_called(kind)}: {in_words(str(error))}") from error


def _called(kind: type) -> str:
    """The name of a record in words: "job request" for `JobRequest`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__.strip("_")).lower()


def decode_json(text: str | bytes | msgspec.Raw, kind: type[S]) -> S:
    """Decode one ``kind`` from JSON; thread-safe.

    Raises:
        msgspec.DecodeError: not JSON in UTF-8, nested too deeply, or not such a record.
    """
    decoder = _decoder(kind)
    try:
        return decoder.decode(bytes(text) if isinstance(text, msgspec.Raw) else text)
    except (RecursionError, UnicodeError) as error:
        raise _explained(error) from error


def decode_plain(text: str | bytes | msgspec.Raw) -> object:
    """Decode any JSON to dictionaries, lists and plain values.

    Raises:
        msgspec.DecodeError: not JSON in UTF-8, or nested too deeply.
    """
    try:
        found: object = msgspec.json.decode(bytes(text) if isinstance(text, msgspec.Raw) else text)
    except (RecursionError, UnicodeError) as error:
        raise _explained(error) from error
    return found


def to_record(value: object, kind: type[S]) -> S:
    """Convert dictionaries, lists and plain values to one ``kind``; thread-safe.

    Raises:
        msgspec.DecodeError: nested too deeply, or not such a record.
    """
    _decoder(kind)
    try:
        return msgspec.convert(value, type=kind)
    except RecursionError as error:
        raise _explained(error) from error


def _explained(error: RecursionError | UnicodeError) -> msgspec.DecodeError:
    """Whatever is wrong with a document is a `msgspec.DecodeError`."""
    deep = isinstance(error, RecursionError)
    return msgspec.DecodeError("it is nested too deeply" if deep else "it is not UTF-8")


def _decoder(kind: type[S]) -> "Decoder[S]":
    known: Decoder[S] | None = _DECODERS.get(kind)
    if known is None:
        with _INSPECTING:
            known = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return known
