"""The base of every record of the model, and how records become JSON and come back.

Everything in raidtui that becomes a record is decoded here. msgspec learns what a type looks like when the type is
first decoded, and does so without a lock: threads that decode one type for the first time at once end the whole
program (SIGSEGV). Here it learns under a lock.
"""

import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from raidtui.model.errors import BadInput

if TYPE_CHECKING:
    from msgspec.json import Decoder


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An immutable record. Keys that a newer version added are ignored when read; missing ones are an error."""


R = TypeVar("R", bound=Record)
S = TypeVar("S", bound=msgspec.Struct)

_LEARNING: Final = threading.Lock()
_DECODERS: Final[dict[type, "Decoder[Any]"]] = {}


def to_json(value: object, *, pretty: bool = True) -> str:
    """``value`` as one JSON document; with ``pretty`` indented for people, else one line without spaces."""
    raw = msgspec.json.encode(value)
    return (msgspec.json.format(raw, indent=2) if pretty else raw).decode()


def from_json(text: str | bytes, kind: type[R], *, origin: str) -> R:
    """Read one ``kind`` back from JSON.

    Args:
        origin: where the text came from, for the error: a file's name.

    Raises:
        BadInput: not JSON, or not such a record; the message has the place inside the document.
    """
    try:
        return decode_json(text, kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{origin} cannot be read as a {kind.__name__.lower()}: {error}") from error


def decode_json(text: str | bytes | msgspec.Raw, kind: type[S]) -> S:
    """The ``kind`` in a JSON document; safe in every thread.

    Raises:
        msgspec.DecodeError: not JSON, or not such a record.
        UnicodeDecodeError: bytes that are not UTF-8.
    """
    return _decoder(kind).decode(bytes(text) if isinstance(text, msgspec.Raw) else text)


def to_record(value: object, kind: type[S]) -> S:
    """The ``kind`` made of dictionaries, lists and plain values; safe in every thread.

    Raises:
        msgspec.ValidationError: not such a record.
    """
    _decoder(kind)
    return msgspec.convert(value, type=kind)


def _decoder(kind: type[S]) -> "Decoder[S]":
    known: Decoder[S] | None = _DECODERS.get(kind)
    if known is None:
        with _LEARNING:
            known = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return known
