"""What can be ordered of units, for screens that show them: keys for a sync, and a list of everything that they take."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.care.control_words import offer
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.chooser import Chooser

if TYPE_CHECKING:
    from raidtui.backends.control import Control, Order

_SCRUBS: Final = frozenset({"scrub", "check", "repair"})


class UnitControl(Page):
    """Knows every unit, gives orders, puts limits back when a sync has ended, and reports what a scrub found."""

    def __init__(self) -> None:
        super().__init__()
        self._restored: set[str] = set()
        self._scrubbing: dict[str, str] = {}  # by UUID, what runs
        self._stopped: set[str] = set()  # whose scrub was ended from here

    @property
    def every_unit(self) -> tuple[Unit, ...]:
        """The units of every backend, as last seen."""
        arrays, units, machine = self.tui.arrays, self.tui.units, self.tui.machine
        if not arrays and not units:
            return ()  # no backend is loaded for the first picture
        from raidtui.backends.reading import joined

        return joined(arrays, units, machine.system if machine else None)

    def controls(self, unit: Unit) -> "Mapping[Control, Order]":
        """What can be ordered of ``unit`` now."""
        from raidtui.backends.controls import controls_of

        return controls_of(unit, self.every_unit)

    def give(self, unit: Unit, control: "Control", done: Callable[[str], None]) -> None:
        """Order ``control`` of ``unit``; ``done`` is called with what to say of it."""
        (self._stopped.add if control.value == "stop" else self._stopped.discard)(unit.uuid)
        self.order(lambda: self.world.control(unit, control), done, self.order_failed)

    def order_failed(self) -> None:
        """An order was refused."""

    def offers(self) -> "dict[str, tuple[Unit, Control, str]]":
        """Everything that can be ordered here, by what it is called, each with a sentence about it."""
        from raidtui.backends.control import Control

        found: dict[str, tuple[Unit, Control, str]] = {}
        units = () if self.world.access is Access.RECORDED else self.offered()
        above = {uuid for unit in units for uuid in unit.below}
        for unit in units:
            if unit.uuid in above:
                continue  # it takes them through what stands on it
            for control in self.controls(unit):
                if control is not Control.RESTORE:
                    name, sentence = offer(unit, control)
                    found[name] = (unit, control, sentence)
        return found

    def offered(self) -> tuple[Unit, ...]:
        """The units that this screen is about."""
        return self.every_unit

    def action_orders(self) -> None:
        """Choose among what the units take now."""
        found = self.offers()
        if not found or not self.may_order("Ordering a scrub needs root."):
            return

        def chosen(name: str | None) -> None:
            if name:
                unit, control, _ = found[name]
                self.give(unit, control, self._given)

        offers = [(name, sentence) for name, (_, _, sentence) in found.items()]
        self.app.push_screen(Chooser("Scrub, pause, speed", offers), chosen)

    def _given(self, said: str) -> None:
        self.say(said)
        self.tui.read_units()

    def follow_controls(self) -> None:
        """Call this when units have changed: limits are put back, and the end of a scrub is reported."""
        from raidtui.backends.control import Control

        for unit in self.every_unit:
            doing = unit.activity.what if unit.activity is not None else ""
            before = self._scrubbing.pop(unit.uuid, "")
            if doing in _SCRUBS:
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
    said = harmless(unit.scrubbed) or "no errors were found"
    return f"{said[:1].upper()}{said[1:]}."
