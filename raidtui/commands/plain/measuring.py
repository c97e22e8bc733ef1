"""A benchmark: what is measured and how, the running measurement in lines, and each cell in a sentence."""

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.backends.units import is_rotational
from raidtui.bench.live import read_live
from raidtui.bench.profile_file import own_profiles
from raidtui.bench.schedule import expected_seconds
from raidtui.bench.settings import Settings
from raidtui.bench.target import examine
from raidtui.commands.plain.asking import Back, numbered, one_of, then
from raidtui.commands.plain.session import Session
from raidtui.jobs.journal import follow
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.journal import BenchRequest, Event, JobRequest, Outcome
from raidtui.model.result import Result
from raidtui.model.text import harmless, spelled
from raidtui.model.units import parse_size, spell_size
from raidtui.ui.bench.bench_sentences import cell_words, live_text, request_words, settings_of, unit_at
from raidtui.ui.shell import explained
from raidtui.ui.shell.world import Access

_OPTIONS: Final = {
    "profile": "Grid",
    "size": "Size of the test file",
    "runs": "Runs of each cell",
    "seconds": "Seconds of each run",
    "mix": "Mixed reads and writes",
    "label": "Label of the result",
}
_LABELS: Final = tuple(_OPTIONS.values())


def ask(session: Session, target: str = "") -> None:
    """Ask what to measure and how, measure it, and say the result."""
    if target:
        _ask_how(session, target)
    else:
        then(lambda: _target(session), lambda found: _ask_how(session, found))


def _ask_how(session: Session, target: str) -> None:
    """Ask how to measure ``target``, measure it, and say the result."""
    request = BenchRequest(target=target)
    asking, settings = session.asking, _settings(session, request)
    while True:
        words = request_words(request, settings, expected_seconds(settings))
        asking.say("", f"Benchmark {harmless(target)}: {words}.", *numbered(_LABELS))
        chosen = asking.until(
            "Option to change, or measure",
            lambda answer: -1 if answer.lower() == "measure" else one_of(answer, _LABELS),
            default="measure",
            explain=lambda: explained.in_words(explained.BENCHMARK),
        )
        try:
            if chosen < 0:
                started = _start(session, request)
                break
            changed = _changed(session, request, settings, list(_OPTIONS)[chosen])
            settings, request = _settings(session, changed), changed
        except BadInput as error:
            asking.complain(str(error))
        except Back:
            continue
    if started is not None:
        _follow(session, started)


def _settings(session: Session, request: BenchRequest) -> Settings:
    """What would be measured, with what was left open. Raises BadInput: an option is invalid."""
    unit = unit_at(request.target, session.look.units)
    return settings_of(
        request,
        unit,
        room=session.world.read_room(request.target),
        rotational=unit is None or is_rotational(unit, session.machine),
    )


def _target(session: Session) -> str:
    """Ask what to measure: a mounted unit, or any directory or device."""
    places = [(place, unit) for unit in session.look.units for place in unit.mountpoints]
    asking = session.asking
    items = [f"{harmless(place)}: {spelled(unit.level)}, {harmless(unit.shown)}" for place, unit in places]
    asking.say(
        "",
        f"What to measure: {'a number, or ' if places else ''}the path of a directory or a device.",
        *numbered(items),
    )

    def read(answer: str) -> str:
        if answer.startswith("/"):
            if session.world.access is not Access.RECORDED:
                try:
                    examine(answer, BenchRequest(target=answer))
                except Refused as error:
                    raise BadInput(str(error)) from error
            return answer
        if not places:
            raise BadInput("type a path that begins with /")
        return places[one_of(answer, [place for place, _ in places])][0]

    return asking.until(
        "Target", read, default="1" if places else "", explain=lambda: explained.in_words(explained.BENCHMARK)
    )


def _changed(session: Session, request: BenchRequest, settings: Settings, option: str) -> BenchRequest:
    asking = session.asking

    def whole(answer: str) -> int:
        if not (answer.isascii() and answer.isdigit() and 0 < int(answer[:6]) < 100_000):
            raise BadInput(f"{answer!r} is not a whole number from 1")
        return int(answer)

    if option == "profile":
        profiles = list(own_profiles().values())
        names = [profile.name for profile in profiles]
        asking.say(*numbered(f"{one.name}: {one.title}. {one.about}" for one in profiles))
        found = asking.until("Grid", lambda answer: names[one_of(answer, names)], default=request.profile)
        return replace(request, profile=found)
    if option == "size":
        return replace(
            request, size_bytes=asking.until("Size", parse_size, default=spell_size(settings.size_bytes))
        )
    if option == "mix":
        return replace(request, mix=not request.mix)
    if option == "label":
        return replace(request, label=asking.ask("Label", default=request.label))
    now = settings.runs if option == "runs" else settings.seconds
    number = asking.until(_OPTIONS[option], whole, default=str(now))
    return replace(request, runs=number) if option == "runs" else replace(request, seconds=number)


def _start(session: Session, request: BenchRequest) -> JobRequest | None:
    """Start it; ask first if the array is syncing. None: it was not started."""
    unit, asking = unit_at(request.target, session.look.units), session.asking
    try:
        return session.world.start_bench(request)
    except Refused as error:
        if unit is None or request.during_sync:
            session.code = error.exit_code
            asking.tell(str(error))
            return None
        asking.tell(str(error))
    except RaidtuiError as error:
        session.code = error.exit_code
        asking.tell(str(error))
        return None
    ways = ("do not measure now", "measure anyway; the result is flagged R, and comparisons say so")
    if asking.choose("What now", ways) == 0:
        return None
    return _start(session, replace(request, during_sync=True))


def _follow(session: Session, started: JobRequest) -> None:
    """Say how far it is until it ends, then its result; Ctrl-C asks whether to stop it."""
    asking, seen = session.asking, 0
    folder = Path(session.world.job_state(started.id).folder)
    result = ""

    def tick() -> bool:
        live = read_live(folder)
        if live is not None and session.pace.due(live.percent / 100):
            asking.say(f"{in_percent(live.percent / 100)}, {live_text(live)}.")
        return False

    asking.say(f"{started.title}: started as job {started.id}. Ctrl-C asks what to do.")
    session.pace.again()
    while True:
        try:
            for entry in follow(folder, stop=tick):
                if entry.seq >= seen and entry.event is Event.NOTE:
                    asking.say(harmless(entry.text))
                seen = max(seen, entry.seq + 1)
                if entry.event is Event.RESULT:
                    result = entry.text
            break
        except KeyboardInterrupt:
            ways = ("follow it again", "stop it at once; nothing is left behind", "back; it measures on")
            try:
                way = asking.choose("What now", ways, quietly=True)
            except Back:
                way = 2
            if way == 2:
                return
            if way == 1:
                session.world.cancel(started.id)
    state = session.world.job_state(started.id)
    session.code = 4 if state.exit_code is None else state.exit_code
    if state.outcome is not Outcome.DONE or not result:
        asking.say(f"{state.outcome.words}: {harmless(state.sentence)}")
        return
    say(session, session.world.get_result(result))


def say(session: Session, result: Result) -> None:
    """Say each cell of a result, and why it is unreliable."""
    session.asking.say("", f"Result {harmless(result.label)}, {result.id}:")
    for cell in result.cells:
        session.asking.say(
            f"{harmless(cell_words(cell, result.context.compat))}.",
            *(f"Unreliable: {harmless(flag)}." for flag in cell.flags),
        )
