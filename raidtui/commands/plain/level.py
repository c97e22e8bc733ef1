"""The level of a new array: every layout in a sentence, and the chosen one read aloud."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.advice.recommend import Recommendation, recommend
from raidtui.advice.report import Question, Report
from raidtui.advice.risk import five_year_words
from raidtui.advice.where_data_lies import data_map_of, map_sentences, pairs_words
from raidtui.backends.arithmetic.ideal import factor
from raidtui.backends.suited import suited_to
from raidtui.commands.plain.asking import after_d, numbered, one_of
from raidtui.commands.plain.session import Session
from raidtui.model.chance import share
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk
from raidtui.model.text import count_of
from raidtui.model.units import both
from raidtui.ui.shell import explained
from raidtui.ui.widgets.parts import bare
from raidtui.ui.wizard import level_view, level_words
from raidtui.ui.wizard.estimates import beside, disks_of, filled, question_of, reports_of, worth_showing
from raidtui.ui.wizard.level_names import (
    advised_key,
    full_name,
    is_built,
    key_of,
    level_name,
    level_of,
    only_calculated,
)
from raidtui.ui.wizard.level_view import LevelView, shown_levels

_HOW: Final = (
    "Type the number of a level. a: the rare levels and layouts too. o: the other backends too. s and space, safety, "
    "speed or level: sort by it. d and a number: every detail of a level."
)
_ROWS: Final = 3  # of the map that is read aloud


class _Levels:
    """All layouts on the chosen disks."""

    def __init__(self, session: Session) -> None:
        self.session, self.view = session, LevelView()
        spec = session.draft.spec
        self.disks: dict[str, Disk] = disks_of(spec, session.machine)
        self.suited = suited_to(tuple(self.disks.values()))
        if spec.backend not in self.suited:  # chosen for other disks
            session.draft = session.draft.with_spec(backend=self.suited[0], level="", layout=None)
        self.question: Question = question_of(session.draft.spec, session.machine)
        self.beside = beside(self.question, self.suited)
        self.view.every = session.draft.spec.backend not in {self.suited[0], *self.beside}
        self.advice: Recommendation | None = None
        self.shown: list[Report] = []

    def show(self) -> None:
        """Calculate what is to be shown, and say it."""
        spec, home = self.session.draft.spec, self.suited[0]
        found: list[Report] = []
        for backend in self.suited if self.view.every else (home, *self.beside):
            chosen = level_view.chosen(spec) if backend is spec.backend else ()
            reports = reports_of(self.question, backend, *chosen)
            if backend in self.beside and not self.view.every:
                reports = worth_showing(reports, found, spec.level if chosen else "")
            found += reports
        self.advice = recommend([one for one in found if one.backend is home], home)
        keep = (level_view.chosen_key(spec), advised_key(home, self.advice))
        shown, hidden = shown_levels(found, self.view, keep)
        self.shown = list(shown.values())
        asking, sorted_by = self.session.asking, level_view.SORTED[self.view.wish]
        spares = f" and {count_of(spec.spares, 'spare')}" if spec.spares else ""
        order = f", sorted {sorted_by}" if sorted_by else ""
        asking.say("", f"Choose a level for {count_of(spec.members, 'disk')}{spares}{order}.")
        asking.say(*numbered(self.sentence(one) for one in self.shown))
        asking.say(bare(level_words.advice_lines(self.advice)).removeprefix("* ").rstrip())
        if hidden:
            asking.say(f"a shows {hidden} more.")

    @property
    def default(self) -> str:
        """The number of the chosen level, else of the recommended one."""
        spec, keys = self.session.draft.spec, [key_of(one) for one in self.shown]
        wanted = level_view.chosen_key(spec) or advised_key(self.suited[0], self.advice)
        return str(keys.index(wanted) + 1) if wanted in keys else ""

    def sentence(self, report: Report) -> str:
        """A layout in a sentence: what it gives, or why it is not possible here."""
        layout = report.layout if level_of(report).called_with_layout else ""
        name = full_name(report, layout)
        lives, best = report.survives, report.ideal
        if report.refused is not None or lives is None or best is None:
            return f"{name}: not with these disks: {level_words.refusal(report)}."
        known = {advised_key(self.suited[0], self.advice): "recommended", "": ""}.get(key_of(report), "")
        notes = ", ".join(filter(None, (known, "" if is_built(report) else "for comparison only")))
        risk = five_year_words(report.risk) if report.risk else "unknown"
        return (
            f"{name}{f' ({notes})' if notes else ''}: {both(report.usable_bytes)} usable, overhead "
            f"{share(report.overhead)} of all disks. Survives {level_words.survives(lives)}. "
            f"{level_words.second_line(lives)} "
            f"5-year risk of data loss {risk}. Reads {factor(best.seq_read)}, writes {factor(best.seq_write)} of one disk."
        )

    def detail(self, report: Report) -> str:
        spec = filled(self.session.draft.spec)
        return bare(
            level_words.detail(
                report,
                report.layout,
                self.advice,
                names=self.names(spec.disks),
                members=len(spec.members),
                outside=self.outside,
                reserve=bool(spec.reserve),
            )
        )

    def names(self, words: Sequence[str]) -> list[str]:
        """The kernel's names of disks of the spec."""
        return [self.disks[word].short for word in words]

    @property
    def outside(self) -> list[int]:
        """Bytes of each disk, members first, outside its partition."""
        sizes = (*self.question.sizes, *self.question.options.spare_sizes)
        words = self.session.draft.spec.disks
        return [self.disks[word].size_bytes - size for word, size in zip(words, sizes, strict=True)]

    def read_aloud(self, report: Report, layout: str) -> None:
        """Say what the screen draws: what the level is for, and where the data lies."""
        spec = self.session.draft.spec
        names = self.names(spec.members)
        unused = level_words.wasted(report, names, self.outside, reserve=bool(filled(spec).reserve))
        self.session.asking.say(
            _in_words(bare(level_words.glance(report, layout, None, unused)).rstrip()),
            *map_sentences(data_map_of(report, names, layout=layout, rows=_ROWS), names),
            pairs_words(report, names),
        )


def ask(session: Session) -> None:
    levels = _Levels(session)
    levels.show()

    def read(answer: str) -> Report | None:
        """The chosen layout; None: the list is said again."""
        word, _, rest = answer.lower().partition(" ")
        if word in {"a", "o"} and not rest:
            name = "rare" if word == "a" else "every"
            setattr(levels.view, name, not getattr(levels.view, name))
            return None
        if word == "s":
            if rest not in level_view.SORTED:
                raise BadInput("type space, safety, speed or level after s, to sort by it")
            levels.view.wish = rest
            return None
        names = [level_name(one) for one in levels.shown]
        if word == "d":
            session.asking.say(_in_words(levels.detail(levels.shown[after_d(rest, names)]).rstrip()))
            raise BadInput("type the number of a level")
        report = levels.shown[one_of(answer, names)]
        if report.refused is not None:
            raise BadInput(f"{level_name(report)} is not possible on these disks: {report.refused}")
        if not is_built(report):
            raise BadInput(only_calculated(report))
        return report

    def explain() -> list[str]:
        return [*explained.in_words(explained.LEVEL), _HOW]

    while (report := session.asking.until("Level", read, default=levels.default, explain=explain)) is None:
        levels.show()
    spec = session.draft.spec
    # Another layout of the same level is one of the options.
    layout = spec.layout if level_view.is_chosen(report, spec) else None
    if level_of(report).called_with_layout:
        layout = report.layout
    levels.read_aloud(report, layout or report.layout)
    session.draft = session.draft.with_level(report.backend, report.level, layout).fitting()


def _in_words(text: str) -> str:
    """``text`` with words for the signs at the beginning of a line, which speech does not read."""
    for sign, word in (("+ ", "For it: "), ("- ", "Against it: "), ("* ", "")):
        text = re.sub(rf"(?m)^{re.escape(sign)}", word, text)
    return text
