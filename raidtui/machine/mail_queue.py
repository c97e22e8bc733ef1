"""Whether mail waits in the queue of this computer's mail program because it could not be delivered.

Postfix and Exim are asked; msmtp and its like have no queue, and their exit code shows it. Of any other program it is not
known. A mail that was refused for good is in no queue: only a code that arrives proves that mail does.
"""

import os
import re
import time
from typing import Final

from raidtui.machine.ask import Ask
from raidtui.machine.tools import find_tool
from raidtui.model.text import count_of, harmless

_LATE_SECONDS: Final = 3600  # a receiver that uses greylisting takes the second try, within half an hour
_DIRECT: Final = frozenset({"msmtp", "ssmtp", "esmtp"})
# exim(8), -bp: " 25h  2.9K 0t5C6f-0000c8-00 <sender>", and "*** frozen ***" if it is not tried any more.
_OF_EXIM: Final = re.compile(
    r"^\s*(\d{1,9})([mhd])\s+\S+\s+[0-9A-Za-z]+-[0-9A-Za-z]+-[0-9A-Za-z]+\s+<.*>(\s+\*\*\* frozen \*\*\*)?"
)
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86400}
_LONGEST: Final = 160


def stuck_mail(ask: Ask, *, now: float | None = None) -> str | None:
    """What waits for more than an hour, in words; empty: nothing; None: not known."""
    if find_tool("postqueue"):
        answer = ask(["postqueue", "-j"])
        return (
            _of_postfix(answer.stdout, time.time() if now is None else now)
            if answer.returncode == 0
            else None
        )
    for exim in ("exim4", "exim"):
        if find_tool(exim):
            answer = ask([exim, "-bp"])
            return _of_exim(answer.stdout) if answer.returncode == 0 else None
    sendmail = find_tool("sendmail")
    return "" if sendmail and os.path.basename(os.path.realpath(sendmail)) in _DIRECT else None


def _of_postfix(text: str, now: float) -> str | None:
    """From a line of JSON for each mail (postqueue(1), -j)."""
    import json  # few computers have a queue

    late, reason = 0, ""
    for line in text.splitlines():
        try:
            mail = json.loads(line)
            waits = now - float(mail["arrival_time"])
            reasons = [str(one.get("delay_reason", "")) for one in mail["recipients"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        if waits > _LATE_SECONDS:
            late += 1
            reason = reason or next(filter(None, reasons), "")
    return _words(late, reason)


def _of_exim(text: str) -> str | None:
    late = 0
    for line in text.splitlines():
        if found := _OF_EXIM.match(line):
            late += int(found[1]) * _SECONDS[found[2]] > _LATE_SECONDS or found[3] is not None
        elif line.strip() and not line.startswith("    "):
            return None  # recipients are indented; anything else is not understood
    return _words(late, "")


def _words(late: int, reason: str) -> str:
    if not late:
        return ""
    waits = f"{count_of(late, 'mail')} in the queue for more than an hour"
    return f"{waits} ({harmless(reason)[:_LONGEST]})" if reason else waits
