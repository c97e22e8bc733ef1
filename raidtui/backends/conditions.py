"""Every kind of condition by its name: the shared ones and those of each backend."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from raidtui.backends.registry import FOLDERS, find_builder
from raidtui.model.answer import Answer
from raidtui.model.plan import Check
from raidtui.steps import devices, enlarge, files, filesystems, initramfs, read_only, table_again
from raidtui.steps.condition import Condition, Held, conditions_in

_SHARED = conditions_in(devices, filesystems, enlarge, files, initramfs, read_only, table_again)


def every_condition() -> dict[str, Condition]:
    """Every kind by its name, in the order a script defines them."""
    return {one.kind: one for one in _all()}


def _all() -> Iterator[Condition]:
    """The shared kinds, then each backend's. Lazy: a backend is loaded only if the kind was not found before it."""
    yield from _SHARED
    for name in FOLDERS:
        if (builder := find_builder(name)) is not None:
            yield from builder.conditions


def condition(check: Check) -> Condition:
    """The kind of ``check``. Raises KeyError: no backend knows it."""
    for one in _all():
        if one.kind == check.kind:
            return one
    raise KeyError(check.kind)


def having(checks: Sequence[Check], flag: Callable[[Condition], bool]) -> tuple[Check, ...]:
    """Those of ``checks`` whose kind satisfies ``flag``."""
    return tuple(check for check in checks if flag(condition(check)))


def ask_together(checks: Sequence[Check], held: Held) -> list[Answer]:
    """Ask ``checks``, all of one kind together; return the answers in the order of ``checks``."""
    answers: dict[int, Answer] = {}
    by_kind = sorted(range(len(checks)), key=lambda number: checks[number].kind)
    for _, group in groupby(by_kind, key=lambda number: checks[number].kind):
        numbers = list(group)
        found = condition(checks[numbers[0]]).ask_all([checks[number] for number in numbers], held)
        answers |= dict(zip(numbers, found, strict=True))
    return [answers[number] for number in range(len(checks))]
