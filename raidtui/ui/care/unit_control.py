"""Orders to units, for screens that show them: a list of all orders that the units take now."""

from collections.abc import Callable, Mapping

from textual import work

from raidtui.backends.control import Control, Order
from raidtui.model.errors import RaidtuiError
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.chooser import Chooser


class UnitControl(Page):
    """Gives orders to units, restores speed limits after a sync, and reports the result of a scrub."""

    def __init__(self) -> None:
        super().__init__()
        self._restored: set[str] = set()
        self._scrubbing: dict[str, str] = {}  # UUID → the running scrub
        self._stopped: set[str] = set()  # UUIDs of units whose scrub was stopped here
        # UUID → the last answer, and the units that it was for
        self._controls: dict[str, tuple[Unit, tuple[Unit, ...], Mapping[Control, Order]]] = {}

    def controls(self, unit: Unit) -> "Mapping[Control, Order]":
        """The orders that ``unit`` takes now."""
        from raidtui.backends.controls import controls_of

        # Cached: every key of a screen needs this after each change of the unit.
        known = self._controls.get(unit.uuid)
        if known is None or known[0] is not unit or known[1] is not self.tui.units:
            known = self._controls[unit.uuid] = (
                unit,
                self.tui.units,
                controls_of(unit, self.tui.units),
            )
        return known[2]

    def give(self, unit: Unit, control: "Control", done: Callable[[str], None]) -> None:
        """Give the order ``control`` to ``unit``; then call ``done`` with its message."""
        (self._stopped.add if control.value == "stop" else self._stopped.discard)(unit.uuid)
        self._give(unit, control, done)

    @work(group="orders")
    async def _give(self, unit: Unit, control: "Control", done: Callable[[str], None]) -> None:
        """Give the order, then read all units: the kernel does not report new limits."""
        try:
            message = await in_thread(
                self, self.tui.orders.carry_out, lambda: self.world.control(unit, control)
            )
            reported = await in_thread(self, self.world.reported)
        except RaidtuiError as error:
            self.complain(str(error))
            self.order_failed()
        else:
            self.tui.take_reported(reported)
            self.tui.read_units(fresh=True)
            done(message)

    def order_failed(self) -> None:
        """Called when an order was refused."""

    def offers(self) -> "dict[str, tuple[Unit, Control, str]]":
        """All orders that can be given here, by name, each with a sentence about it."""
        found: dict[str, tuple[Unit, Control, str]] = {}
        units = () if self.world.access is Access.RECORDED else self.offered()
        above = {uuid for unit in units for uuid in unit.below}
        for unit in units:
            if unit.uuid in above:
                continue  # it gets orders through the unit on top of it
            for control in self.controls(unit):
                if control is not Control.RESTORE:
                    name, sentence = offer(unit, control)
                    found[name] = (unit, control, sentence)
        return found

    def offered(self) -> tuple[Unit, ...]:
        return self.tui.units

    def action_orders(self) -> None:
        found = self.offers()
        if not found or not self.may_order("Ordering a scrub needs root."):
            return

        def chosen(name: str) -> None:
            unit, control, _ = found[name]
            self.give(unit, control, self.order_done)

        offers = [(name, sentence) for name, (_, _, sentence) in found.items()]
        self.ask_for(Chooser("Scrub, pause, speed", offers, column="Order"), chosen)

    def order_done(self, message: str) -> None:
        """Called when an order was executed."""
        if message:
            self.say(message)

    def follow_controls(self) -> None:
        """Call this when units have changed: restores limits, and reports the end of a scrub."""
        for unit in self.tui.units:
            doing = unit.activity.what if unit.activity is not None else ""
            before = self._scrubbing.pop(unit.uuid, "")
            if unit.activity is not None and unit.activity.is_scrub:
                self._scrubbing[unit.uuid] = doing
            elif before and not doing and unit.uuid not in self._stopped:
                self.say(f"{harmless(unit.name)}: the {before} has ended. {_outcome(unit)}")
            if doing:
                self._restored.discard(unit.uuid)
            elif (
                self.world.access is Access.ROOT
                and unit.uuid not in self._restored
                and not unit.below
                and Control.RESTORE in self.controls(unit)
            ):
                self._restored.add(unit.uuid)
                self.give(unit, Control.RESTORE, lambda _: None)


def _outcome(unit: Unit) -> str:
    from raidtui.advice.scrub_words import result_words

    found = result_words(harmless(unit.scrubbed)) or "no errors were found"
    return f"{found[:1].upper()}{found[1:]}."


_OFFERS = {
    "scrub": (
        "scrub",
        "Reads every member and compares copies, parity or checksums. The data stays usable; large disks take hours.",
    ),
    "pause": ("pause the {what}", "It stays paused until you resume it."),
    "resume": ("resume the {what}", "It continues where it stopped."),
    "stop": ("stop the {what}", "It stops before everything is read."),
    "faster": ("speed the {what} up", "One step faster. Other I/O gets slower."),
    "slower": ("slow the {what} down", "One step slower. Other I/O gets faster."),
}


def offer(unit: Unit, control: "Control") -> tuple[str, str]:
    """The name of an order, "tank: pause the resync", and a sentence about what it does."""
    name, sentence = _OFFERS[control.value]
    what = unit.activity.what if unit.activity is not None else unit.resumable
    return f"{harmless(unit.name)}: {name.format(what=what)}", sentence
