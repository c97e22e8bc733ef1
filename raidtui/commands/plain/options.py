"""The options of a new array: all with their values, and a question for each that is to be changed."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.registry import backend, find_builder
from raidtui.commands.plain.asking import Back, numbered, one_of
from raidtui.commands.plain.session import Session
from raidtui.model.errors import BadInput, CannotBuild, RaidtuiError, ToolMissing
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.units import both
from raidtui.plan.build import make_plan
from raidtui.ui.shell import explained
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.estimates import chosen_facts
from raidtui.ui.wizard.option_answers import Entry, about, entries, with_answer

_LAYOUT: Final = "layout"
_EMPTY: Final = "empty"
_HOW_TO_TYPE: Final = f"Enter alone keeps it. The word {_EMPTY} empties it."
_HOW: Final = "Type the number of an option to change it, or Enter to see the plan."


def ask(session: Session) -> None:
    """Ask which option to change until the plan is wanted and can be made."""
    asking, advanced = session.asking, False
    while True:
        found = [entry for entry in _entries(session.draft) if advanced or not entry.advanced]
        _say(session, found, advanced=advanced)
        items = [entry.name for entry in found] + ([] if advanced else ["advanced"])

        def read(answer: str, items: list[str] = items) -> str:
            if answer.lower() in {"plan", ""}:
                try:
                    make_plan(session.draft.spec, session.machine, seed=session.draft.seed)
                except ToolMissing as error:  # of another filesystem it need not be
                    raise BadInput(str(error)) from error
                return ""
            return items[one_of(answer, items)]

        chosen = asking.until(
            "Option to change, or plan",
            read,
            default="plan",
            explain=lambda: (*explained.in_words(explained.OPTIONS), _HOW),
        )
        if not chosen:
            return
        if chosen == "advanced":
            advanced = True
            continue
        try:
            _change(session, next(entry for entry in found if entry.name == chosen))
        except Back:
            continue


def _entries(draft: Draft) -> Iterator[Entry]:
    """The options, and the layout, which the screens choose with the level."""
    yield from entries(draft)
    spec = draft.spec
    level = backend(spec.backend).levels[spec.level]
    layouts = level.layouts_on(len(spec.members)) if level.has_layout else ()
    if len(layouts) > 1 and not level.called_with_layout:
        yield Entry(_LAYOUT, spec.layout or level.default_layout, tuple(layouts), advanced=True)


def _about(draft: Draft, name: str) -> tuple[str, str]:
    """Label and help of an option."""
    if name == _LAYOUT:
        return "Layout", next(
            text for text in explained.in_words(explained.LEVEL) if "The layout says" in text
        )
    return about(backend(draft.spec.backend), name)


def _with_answer(draft: Draft, name: str, value: str) -> Draft:
    if name != _LAYOUT:
        return with_answer(draft, name, value)
    usual = backend(draft.spec.backend).levels[draft.spec.level].default_layout
    return draft.with_spec(layout=None if value == usual else value)


def _say(session: Session, found: list[Entry], *, advanced: bool) -> None:
    spec = session.draft.spec
    known, maker = backend(spec.backend), find_builder(spec.backend)
    try:
        usable = both(chosen_facts(spec, session.machine).array_bytes)
    except CannotBuild as refusal:
        usable = f"not possible: {refusal}"
    except BadInput as error:
        usable = str(error)
    shape = f"{spelled(spec.level)} of {count_of(spec.members, 'member')}"
    lines = [f"{_about(session.draft, entry.name)[0]}: {harmless(entry.value) or _EMPTY}" for entry in found]
    if not advanced:
        lines.append(f"{about(known, 'advanced')[0]}: the other settings of this level")
    session.asking.say("", f"Options of the {known.noun}: {shape}, {usable}.", *numbered(lines))
    if maker is not None and (note := maker.boot_note(spec, session.machine.system)):
        session.asking.say(note)


def _change(session: Session, entry: Entry) -> None:
    """Ask for the value of one option."""
    label, meaning = _about(session.draft, entry.name)
    asking = session.asking

    def read(answer: str) -> None:
        value = entry.choices[one_of(answer, entry.choices)] if entry.choices else answer
        if not entry.choices:
            value = "" if value.lower() == _EMPTY else value
            if len(value) > entry.longest:
                raise BadInput(f"{label} has at most {entry.longest} characters")
        changed = _with_answer(session.draft, entry.name, value)
        if not entry.choices and (wrong := _wrong(changed, session)) and not _wrong(session.draft, session):
            raise BadInput(wrong)
        session.draft = changed

    hint = () if entry.choices else (_HOW_TO_TYPE,)
    asking.say(meaning, *hint)
    if entry.choices:
        asking.say(*numbered(entry.choices))
    asking.until(label, read, default=entry.value, explain=lambda: (meaning, *hint))


def _wrong(draft: Draft, session: Session) -> str:
    """Why there is no plan of ``draft``; empty if there is one."""
    try:
        make_plan(draft.spec, session.machine, seed=draft.seed)
    except RaidtuiError as error:
        return str(error)
    return ""
