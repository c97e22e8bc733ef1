"""The state of a simulated card, which its tool reads and writes, and faults of the tool.

It is a JSON file under a lock. Tests change it to simulate faults: a failed drive (``"state": "Failed"``), a failed
battery, a card that is busy for some commands (``busy``), a tool that is killed before or after the card has executed
the command (``killed``), hangs (``hangs``, seconds) or prints something other than an answer (``prints``).
"""

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATE = Path(os.environ.get("CARD_STATE", "/run/card.json"))
Json = dict[str, Any]
SECTOR = 512


class Refusal(Exception):
    """A failure with the card's code and message."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@contextmanager
def card(advance: Callable[[Json], None], *, changes: bool, busy: Refusal) -> Iterator[Json]:
    """The state under its lock; written back unless an error is raised.

    Args:
        advance: updates the state with what the card has done since the last call.
        changes: whether the command makes changes: only then can it be killed or find the card busy.
        busy: the tool's error for a busy card.
    """
    with open(STATE.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = json.loads(STATE.read_text())
        time.sleep(state.get("hangs", 0))
        if "prints" in state:
            print(state["prints"])
            raise SystemExit(0)
        advance(state)
        killed = state.pop("killed", "") if changes else ""
        if killed == "before":
            _keep("killed", "")
            os.kill(os.getpid(), signal.SIGKILL)
        if changes and state.get("busy", 0) > 0:
            _keep("busy", state["busy"] - 1)
            raise busy
        yield state
        new = STATE.with_suffix(".new")
        new.write_text(json.dumps(state))
        new.replace(STATE)
        if killed == "after":
            os.kill(os.getpid(), signal.SIGKILL)


def _keep(key: str, value: object) -> None:
    """Store a used fault, and nothing else of a command that is not executed."""
    kept = json.loads(STATE.read_text())
    kept[key] = value
    STATE.write_text(json.dumps(kept))


def begin(what: str) -> Json:
    """An operation that starts now."""
    return {"what": what, "since": time.time()}


def pause(state: Json, operation: Json) -> None:
    """Stop the progress of an operation."""
    operation["paused"] = running(state, operation)


def resume(state: Json, operation: Json) -> None:
    """Let a paused operation continue where it is."""
    operation["since"] = time.time() - operation.pop("paused") * state.get("seconds", 1)


def put_in_place(one: Json, place: int, new: str, drives: Json, spans: list[tuple[str, int]]) -> None:
    """Let the drive in slot ``new`` take the place of another in the virtual drive ``one``, with all that is on it.

    Args:
        spans: the device-mapper name of the virtual drive, and the bytes of each of its segments.
    """
    old, one["slots"][place] = one["slots"][place], new
    (name, _), *_ = spans
    subprocess.run(["dmsetup", "suspend", name], check=True)
    if place < len(spans):
        copy = [
            "dd",
            f"if={drives[old]['node']}",
            f"of={drives[new]['node']}",
            "bs=1M",
            f"count={spans[place][1]}",
        ]
        subprocess.run([*copy, "iflag=count_bytes,direct", "oflag=direct", "status=none"], check=True)
    load(name, [(drives[slot]["node"], size) for slot, (_, size) in zip(one["slots"], spans, strict=False)])


def load(name: str, segments: list[tuple[str, int]]) -> None:
    """Make the device of a virtual drive consist of these devices, of so many bytes each, one after the other."""
    at, lines = 0, []
    for node, size in segments:
        lines.append(f"{at} {size // SECTOR} linear {node} 0")
        at += size // SECTOR
    subprocess.run(["dmsetup", "load", name], input="\n".join(lines) + "\n", text=True, check=True)
    subprocess.run(["dmsetup", "resume", name], check=True)


def running(state: Json, operation: Json) -> float:
    """The progress of an operation, 0 to 1; ``seconds`` of the state is its duration. A paused one stays where it is."""
    if "paused" in operation:
        return float(operation["paused"])
    return float(min(1.0, (time.time() - operation["since"]) / state.get("seconds", 1)))
