"""Each kind of condition is whole in one place: asked, said, written for a shell, and judged after an interruption."""

import re

import pytest

from raidtui.backends.conditions import ask_together, condition, every_condition, having
from raidtui.model.answer import Answer, either
from raidtui.plan.script import shell_functions
from raidtui.steps.condition import Condition, Held
from raidtui.steps.devices import BLANK, PRESENT
from raidtui.steps.filesystems import DIRECTORY, MOUNTED


@pytest.mark.parametrize("kind", every_condition())
def test_a_kind_defines_the_shell_function_that_asks_it(kind: str) -> None:
    found = every_condition()[kind]
    assert found.kind == kind
    assert re.search(rf"^{found.shell}\(\) {{", found.source, re.MULTILINE)
    assert shell_functions().count(f"\n{found.shell}() {{") == 1


def test_what_an_interruption_means_is_asked_of_the_kind() -> None:
    checks = (BLANK.of("/dev/a"), MOUNTED.of("/srv", "u"), DIRECTORY.of("/srv"))
    assert [check.kind for check in having(checks, lambda one: one.can_be_lost)] == ["mounted", "directory"]
    assert [check.kind for check in having(checks, lambda one: one.may_be_older)] == ["blank", "directory"]


def test_a_check_is_data_that_finds_its_kind_again() -> None:
    check = PRESENT.of("/dev/a")
    assert condition(check) is PRESENT
    assert PRESENT.words(check) == "/dev/a exists"


def test_kinds_are_asked_together_and_answers_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    class Counted(Condition):
        says = shell = source = ""

        def __init__(self, kind: str) -> None:
            self.kind = kind  # type: ignore[misc]

        def ask(self, check: object, held: Held) -> Answer:
            raise AssertionError("asked one by one")

        def ask_all(self, checks: object, held: Held) -> list[Answer]:
            subjects = [check.subject for check in checks]  # type: ignore[attr-defined]
            asked.append((self.kind, len(subjects)))
            return [either(holds=True, text=subject) for subject in subjects]

    kinds = {name: Counted(name) for name in ("one", "two")}
    monkeypatch.setattr("raidtui.backends.conditions._SHARED", tuple(kinds.values()))
    checks = [kinds[name].of(str(number)) for number, name in enumerate(("one", "two", "one"))]
    assert [answer.text for answer in ask_together(checks, lambda _: False)] == ["0", "1", "2"]
    assert asked == [("one", 2), ("two", 1)]
