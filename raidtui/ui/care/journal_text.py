"""A journal as text: every step with its commands, their output, and how it ended. Pure."""

from collections.abc import Iterable, Sequence

from textual.content import Content

from raidtui.jobs.journal import data_of
from raidtui.model.journal import Entry, Event
from raidtui.model.text import harmless
from raidtui.model.units import duration
from raidtui.ui.shell import clock

Part = tuple[str, str] | str


def took(seconds: float | None) -> str:
    """A duration, with tenths below ten seconds; empty for None."""
    if seconds is None:
        return ""
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)


def output(text: str, *, most: int | None = None) -> list[str]:
    """The output of a command in lines, made harmless; at most the last ``most`` lines.

    A carriage return, with which tools overwrite their progress, starts a new line here.
    """
    lines = [harmless(line.expandtabs(4)) for line in text.replace("\r", "\n").split("\n")]
    lines = [line for line in lines if line]
    if most is None or len(lines) <= most:
        return lines
    return [f"({len(lines) - most} lines before)", *lines[-most:]]


def entry_parts(entry: Entry, *, most: int | None = None) -> list[Part]:
    """An entry as lines, each with its newline; empty for a condition that holds.

    Args:
        most: the most lines of output, for a look at what runs now. It leaves out what a command that may end so
            printed on stderr: "failed to ..." reads as if it had failed.
    """
    text = harmless(entry.text)
    if entry.event is Event.COMMAND:
        from raidtui.model.plan import Run
        from raidtui.plan.words import command_line

        told = "$text-muted" if not entry.returncode or entry.accepted else "$text-warning"
        parts: list[Part] = [
            (f"$ {harmless(command_line(Run(argv=entry.argv)))}", "bold"),
            (f"  ({took(entry.seconds)}{entry.code_words})\n", told),
        ]
        parts += [f"  {line}\n" for line in output(entry.stdout, most=most)]
        parts += [
            (f"  {line}\n", "$text-muted" if entry.accepted else "$text-warning")
            for line in (output(entry.stderr, most=most) if most is None or not entry.accepted else ())
        ]
        return parts
    if entry.event is Event.CHECK:
        return [] if holds(entry) else [(f"{harmless(entry.seen)}\n", "$text-warning")]
    if entry.event is Event.STEP_FAILED:
        return [(f"FAILED: {text}\n", "bold $text-error")]
    if entry.event is Event.STEP_UNDONE:
        return [("undone\n", "$text-muted")]
    if entry.event in {Event.EDIT, Event.NOTE, Event.CELL}:
        return [f"{text}\n"] if text else []
    return []


def holds(entry: Entry) -> bool:
    """Whether the checked condition was true."""
    found = data_of(entry).get("holds")
    return found is not False


def journal_text(entries: Iterable[Entry]) -> Content:
    """The whole journal, with the time of every step."""
    parts: list[Part] = []
    for entry in entries:
        if entry.event is Event.STARTED:
            parts.append((f"{clock.local(entry.at)}  {harmless(entry.text)}\n", "$text-muted"))
        elif entry.event is Event.STEP:
            undo = "undo " if data_of(entry).get("undo") else ""
            parts.append((f"\n{undo}{harmless(entry.text or entry.step)}\n", "bold $text-primary"))
        elif entry.event is Event.ENDED:
            outcome = entry.outcome.value if entry.outcome else "ended"
            code = f", exit code {entry.exit_code}" if entry.exit_code else ""
            parts.append((f"\n{clock.local(entry.at)}  {outcome}{code}", "bold"))
            parts.append(f": {harmless(entry.text)}\n" if entry.text else "\n")
        elif entry.event is Event.RESULT:
            parts.append(f"stored as the result {harmless(entry.text)}\n")
        else:
            parts += entry_parts(entry)
    return Content.assemble(*parts) if parts else Content("nothing yet")


def step_parts(entries: Sequence[Entry], step: str, *, most: int | None = None) -> list[Part]:
    return [part for entry in entries if entry.step == step for part in entry_parts(entry, most=most)]
