"""The last net between any text and the terminal: no control character gets through, and no write error is lost."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO, cast

from raidtui.model.errors import StepFailed
from raidtui.model.text import harmless_lines

_SPELLED: Final = {"\u2026": "...", "\u2192": "->", "\u00b0": " ", "\u00b5": "u"}
"""Our own characters for a terminal that lacks them: a serial console, a locale without UTF-8."""


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Write what a stream cannot encode as JSON does, so that a document stays one: ``\\u00e9``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_SPELLED.get(one) or _escaped(one) for one in lacking), error.end


def _escaped(one: str) -> str:
    raw = one.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))


codecs.register_error("raidtui", _spell)


class OutputFailed(StepFailed):
    """Standard output is closed or cannot be written."""


class _Harmless:
    """A text stream without control characters but newlines and tabs; all else is that of the stream below."""

    def __init__(self, below: TextIO) -> None:
        self.below: Final = below

    def write(self, text: str) -> int:
        self.below.write(harmless_lines(text))
        return len(text)

    def writelines(self, texts: Iterator[str]) -> None:
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class _Output(_Harmless):
    """Standard output: that it cannot be written is an error with a sentence."""

    def write(self, text: str) -> int:
        with _one_error():
            return super().write(text)

    def flush(self) -> None:
        with _one_error():
            self.below.flush()


class _Messages(_Harmless):
    """Standard error: that it cannot be written is ignored."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.below.flush()


@contextmanager
def _one_error() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(f"standard output cannot be written: {error.strerror}") from error


@contextmanager
def harmless_output() -> Iterator[None]:
    """Let standard output and error pass only harmless text inside; give a process that has none some."""
    out, messages = sys.stdout, sys.stderr
    for stream in (out, messages):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="raidtui")
    _open_missing()
    sys.stdout = cast(TextIO, _Output(out or os.fdopen(1, "w", closefd=False, encoding="utf-8")))
    sys.stderr = cast(TextIO, _Messages(messages or os.fdopen(2, "w", closefd=False, encoding="utf-8")))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, messages


def _open_missing() -> None:
    """Open descriptors 0 to 2, so that no file and no database gets one of these numbers and what is printed there.

    What is written to a closed standard output fails, as it did.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free


def terminal(stream: TextIO) -> TextIO:
    """The terminal behind ``stream``, to move its cursor. Foreign text must be made harmless first."""
    return stream.below if isinstance(stream, _Harmless) else stream


def discard_output() -> None:
    """Drop what is left to write, or Python would complain about it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
