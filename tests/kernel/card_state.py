"""The state of a simulated card, which its tool reads and writes, and what happens to the tool while it runs.

It is a JSON file under a lock. A test changes it as hands change a computer: a drive fails (``"state": "Failed"``), the
battery fails, the card is busy for some commands (``busy``), or the tool is killed before or after it has told the card
(``killed``), hangs (``hangs``, seconds) or prints something else than an answer (``prints``).
"""

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATE = Path(os.environ.get("CARD_STATE", "/run/card.json"))
Json = dict[str, Any]


class Refusal(Exception):
    """A failure with the card's number and words."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@contextmanager
def card(advance: Callable[[Json], None], *, changes: bool, busy: Refusal) -> Iterator[Json]:
    """The state, written back when nothing was refused.

    Args:
        advance: what the card did by itself since it was last asked.
        changes: whether the command changes something: only such a one is killed or finds the card busy.
        busy: what the tool says of a card that is.
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
    """Keep what happened to the tool, and nothing else of a command that is not carried out."""
    kept = json.loads(STATE.read_text())
    kept[key] = value
    STATE.write_text(json.dumps(kept))


def begin(what: str) -> Json:
    """An operation that begins now."""
    return {"what": what, "since": time.time()}


def running(state: Json, operation: Json) -> float:
    """How far an operation is, from 0 to 1; ``seconds`` of the state says how long each takes."""
    return float(min(1.0, (time.time() - operation["since"]) / state.get("seconds", 1)))
