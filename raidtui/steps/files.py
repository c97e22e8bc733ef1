"""Lines of text files, such as fstab and mdadm.conf: conditions on them, and the step that changes them."""

from collections.abc import Sequence
from typing import Final

from raidtui.machine.lines import has_line
from raidtui.model.answer import Answer, either
from raidtui.model.plan import Check, DropLine, EnsureLine, Role, Run, Step
from raidtui.steps.condition import Condition, Held


class LineIn(Condition):
    """The file has the expected line."""

    kind = "line-in"
    says = "{subject} has the line '{expect}'"
    source = r"""
# Does the file $1 have the line $2? 1: no, 2: not known. Blanks at the end of a line do not count.
has_line() {
    [ -e "$1" ] || [ -L "$1" ] || return 1
    [ -f "$1" ] && [ -r "$1" ] || return 2
    while IFS= read -r file_line || [ -n "$file_line" ]; do
        [ "${file_line%"${file_line##*[![:space:]]}"}" != "$2" ] || return 0
    done <"$1" || return 2
    return 1
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _answer(check, wanted=True)


class LineNotIn(Condition):
    """The file does not have the expected line."""

    kind = "line-not-in"
    says = "{subject} does not have the line '{expect}'"
    source = r"""
lacks_line() {
    has=0
    has_line "$1" "$2" || has=$?
    [ "$has" -eq 1 ]
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _answer(check, wanted=False)


LINE_IN: Final = LineIn()
LINE_NOT_IN: Final = LineNotIn()


def _answer(check: Check, *, wanted: bool) -> Answer:
    there = has_line(check.subject, check.expect)
    text = f"{check.subject} {'has' if there else 'does not have'} the line {check.expect!r}"
    return either(holds=there is wanted, text=text)


def line_step(
    name: str,
    *,
    role: Role = Role.FIX,
    title: str,
    reason: str,
    new: Sequence[tuple[str, str]] = (),
    old: Sequence[tuple[str, str]] = (),
    then: tuple[Run, ...] = (),
    before: tuple[Check, ...] = (),
    undo_note: str,
) -> Step:
    """A step that adds the lines ``new`` to files, then drops ``old``, each with its file.

    ``then`` runs after that, and after its undo.
    """
    return Step(
        id=name,
        role=role,
        title=title,
        reason=reason,
        actions=(*_ensure(new), *_drop(old), *then),
        before=before,
        after=(
            *(LINE_IN.of(file, line) for file, line in new),
            *(LINE_NOT_IN.of(file, line) for file, line in old),
        ),
        undo=(*_ensure(old), *_drop(new), *then),
        undo_note=undo_note,
    )


def _ensure(lines: Sequence[tuple[str, str]]) -> list[EnsureLine]:
    return [EnsureLine(path=file, line=line) for file, line in lines]


def _drop(lines: Sequence[tuple[str, str]]) -> list[DropLine]:
    return [DropLine(path=file, line=line) for file, line in lines]
