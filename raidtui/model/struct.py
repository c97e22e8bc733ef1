"""The base of every record of the model, and how records become JSON and come back."""

from typing import TypeVar

import msgspec

from raidtui.model.errors import BadInput


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An immutable record. Keys that a newer version added are ignored when read; missing ones are an error."""


R = TypeVar("R", bound=Record)


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
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{origin} cannot be read as a {kind.__name__.lower()}: {error}") from error
