"""Send a message on all ways at once, each in a child with a time limit, and report which did not take it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from raidtui.advice.alerting import Message
from raidtui.jobs.sending.parcel import Parcel
from raidtui.model.alerts import AlertSettings
from raidtui.model.struct import to_json
from raidtui.model.text import harmless

LIMIT_SECONDS: Final = 45.0
_LONGEST: Final = 4000  # characters of one argument of the program


def send(
    message: Message,
    settings: AlertSettings,
    *,
    host: str,
    ways: Sequence[str] | None = None,
    limit_seconds: float = LIMIT_SECONDS,
) -> Mapping[str, str]:
    """Send ``message``; return for each way why it failed, or an empty text.

    Args:
        ways: those of ``settings`` to use, by default all.
    """
    answers: dict[str, str] = {}

    def one(way: str, argv: Sequence[str], stdin: str) -> None:
        answers[way] = _run(argv, stdin, limit_seconds)

    threads = [
        threading.Thread(target=one, args=(way, *_child(way, message, settings, host)))
        for way in settings.ways
        if ways is None or way in ways
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def _child(way: str, message: Message, settings: AlertSettings, host: str) -> tuple[list[str], str]:
    """The program that sends it, and its input."""
    place = settings.ways.index(way)
    kinds = [*(["mail"] if settings.mail else []), *(["program"] if settings.program else [])]
    kind = kinds[place] if place < len(kinds) else "url"
    if kind == "program":
        word, unit, _ = message.events[0]
        texts = [text for _, _, text in message.events]
        return [settings.program, *(_argument(one) for one in (word, unit, *texts))], message.text
    parcel = Parcel(
        message=message,
        host=host,
        mail=settings.mail if kind == "mail" else None,
        url=settings.urls[place - len(kinds)] if kind == "url" else "",
    )
    return [sys.executable, "-P", "-m", "raidtui.jobs.sending.way"], to_json(parcel, pretty=False)


def _argument(text: str) -> str:
    """``text`` as one line, which a program may send as it is."""
    line = "; ".join(filter(None, text.splitlines())).replace(".; ", ". ")
    return harmless(line)[:_LONGEST]


def _run(argv: Sequence[str], stdin: str, limit_seconds: float) -> str:
    """Run a child; return why it failed, or an empty text."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"{argv[0]} cannot be run: {getattr(error, 'strerror', '') or error}"
    try:
        said, _ = process.communicate(stdin.encode(errors="replace"), timeout=limit_seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=1)
        return f"did not end within {limit_seconds:.0f} s"
    if process.returncode == 0:
        return ""
    lines = said[-1000:].decode(errors="replace").strip().splitlines()
    how = f"exit code {process.returncode}" if process.returncode > 0 else f"signal {-process.returncode}"
    return harmless(lines[-1]) if lines else f"ended with {how}"
