"""The request of the benchmark screen: target and options, chosen in dialogs, and the expected time."""

from typing import TYPE_CHECKING

import msgspec
from textual import work

from raidtui.backends.units import is_rotational
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import BenchRequest
from raidtui.model.text import spelled
from raidtui.model.unit import Unit
from raidtui.ui.bench.bench_dialogs import BenchOptions, TargetChooser
from raidtui.ui.bench.bench_sentences import settings_of, unit_at
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.care.unit_styles import called
from raidtui.ui.shell.lifecycle import in_thread

if TYPE_CHECKING:
    from raidtui.bench.costs import Costs
    from raidtui.bench.settings import Settings


class BenchPage(JobPage):
    """Holds the request; `request_changed` is called when the user changes it."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.request = BenchRequest(target=target)
        self._costs: dict[str, Costs | None] = {}  # by target; None while they are being read
        self._room: dict[str, int | None] = {}  # for the test file, likewise

    def request_changed(self) -> None:
        """Called when the request has changed: the current figures are not for it."""

    def target_known(self) -> None:
        """Called when the room on the target and the duration of earlier benchmarks are known."""

    def take_kept(self, target: str) -> None:
        """Take the last request, on ``target`` if given."""
        if self.tui.bench is not None:
            self.request = msgspec.structs.replace(
                self.tui.bench, target=target or self.tui.bench.target, during_sync=False
            )

    def take_mounted(self) -> None:
        """Without a target, take the first mounted unit; an idle one before one that is busy."""
        places = sorted(
            (unit.activity is not None, place) for unit in self.tui.units for place in unit.mountpoints
        )
        if places and not self.request.target:
            self.request = msgspec.structs.replace(self.request, target=places[0][1])

    @property
    def unit(self) -> Unit | None:
        """The unit that will be measured, if it is one."""
        return unit_at(self.request.target, self.tui.units)

    def settings(self) -> "Settings | None":
        """The settings for the request; None if it is invalid, or from another version of raidtui."""
        if self.request.target and self.request.target not in self._costs:
            self._costs[self.request.target] = None
            self._learn(self.request.target)
        try:
            return self._settle(self.request if self.job is None else self._as_measured())
        except RaidtuiError:
            return None

    def _as_measured(self) -> BenchRequest:
        """The request with the size of the job's test file, which takes up the room that it was fitted to."""
        from raidtui.bench.costs import file_bytes

        size = file_bytes(self.entries)
        return msgspec.structs.replace(self.request, size_bytes=size) if size else self.request

    def _settle(self, request: BenchRequest) -> "Settings":
        unit = unit_at(request.target, self.tui.units)
        rotational = unit is None or is_rotational(unit, self.tui.machine)
        settings = settings_of(request, unit, room=self._room.get(request.target), rotational=rotational)
        known = self._costs.get(request.target)
        return settings if known is None else msgspec.structs.replace(settings, costs=known)

    @work(group="costs")
    async def _learn(self, target: str) -> None:
        """Read the room on ``target``, and how long its last benchmark took."""
        self._room[target] = await in_thread(self, self.world.read_room, target)
        self._costs[target] = await in_thread(self, self._read_costs, target)
        self.target_known()

    def _read_costs(self, target: str) -> "Costs | None":
        from raidtui.bench.costs import known_costs

        try:
            return known_costs(target, self.world.list_jobs(), self.world.read_journal)
        except RaidtuiError:
            return None  # only an estimate

    def ask(self, request: BenchRequest) -> None:
        self.tui.bench = self.request = msgspec.structs.replace(request, during_sync=False)
        self.request_changed()

    def action_target(self) -> None:
        offers = [
            (place, f"{spelled(unit.level)} of {unit.raid_disks or len(unit.members)}, {called(unit)}")
            for unit in self.tui.units
            for place in unit.mountpoints
        ]

        def chosen(path: str) -> None:
            self.ask(msgspec.structs.replace(self.request, target=path))

        self.ask_for(TargetChooser(offers, self.request.target), chosen)

    def action_options(self) -> None:
        self.ask_for(BenchOptions(self.request, self._settle), self.ask)

    def action_mix(self) -> None:
        self.ask(msgspec.structs.replace(self.request, mix=not self.request.mix))
