"""Alerts: where they go when a disk fails, quiet hours, a test on each path, and the code that proves it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Label, Static

from raidtui.backends.units import units_of
from raidtui.model.finding import Kind, Urgency
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, listed
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field

if TYPE_CHECKING:
    from raidtui.jobs.sending.proof import Tried

# id of the field → label and help
FIELDS: Final = {
    "to": (
        "Send to",
        "A mail address, or a URL: https://SERVER/PATH gets JSON, ntfys://ntfy.sh/TOPIC a message. Mail goes through sendmail; "
        "for an SMTP account: raidtui alerts set --smtp. Empty: what is set stays.",
    ),
    "quiet": ("Quiet hours", "Example: 22:00-07:00. All but danger waits until they end. Empty: none."),
    "monthly": ("All well", "A message once a month while nothing is wrong, so that silence has a meaning."),
    "code": (
        "Code",
        "F2 sends a test with a code on each path. Enter the code that arrived: its date is the proof.",
    ),
}
_AROUND: Final = 10  # lines besides the fields, what is set, and what an alert is sent for
_URGENT: Final = {Urgency.DANGER: "$text-error", Urgency.WARNING: "$text-warning", Urgency.NOTE: ""}
_SAYS: Final = (
    "Examples of what an alert may say, of an array called NAME"  # not tank: many arrays are called that
)
_EXAMPLES: Final = {  # the names in alerts that are not about a unit
    Kind.TRIAL_LEFT: "RECOVERY",
    Kind.NOT_SHOWN: "LVM",
    Kind.MOUNT_EXPECTED: "/srv/NAME",
    Kind.CONTAINER_EXPECTED: "cryptdata",
    Kind.HEADER_DAMAGED: "cryptdata",
    Kind.HEADER_GONE: "cryptdata",
    Kind.FILESYSTEM_ERRORS: "/srv/NAME",
    Kind.SAME_NAME: "/srv/NAME",
    Kind.OVERWRITTEN: "SERIAL",
    Kind.TABLE_MISFIT: "SERIAL",
    Kind.WORSENING_DISK: "SERIAL",
    Kind.WORN_DISK: "SERIAL",
    Kind.CARD_FOREIGN: "CARD",
    Kind.CARD_DRIVES: "CARD",
    Kind.ALERTS_FAILING: "ALERTS",
}
_MAIL: Final = "mail to "
_HERE: Final = {  # what is to do, where it can be done by a key here
    Kind.ALERTS_OFF: "Type a mail address or a URL above. Enter shows the plan, then F2 sends a test.",
    Kind.ALERTS_UNPROVEN: "F2 sends a test. Type the code that arrives above, and press Enter.",
}


class AlertsScreen(Page):
    """Enter shows the plan or, in the field of the code, confirms it."""

    TYPES = True
    TITLE = "Alerts: who hears of a disk that fails"
    STARTS = True
    READY_AT_ONCE = False
    HELP = """
    An array with a failed disk works as before. Without an alert people notice the first failure when the second one
    takes the data.

    Enter shows the plan: a file that only root can read, and a timer that looks every five minutes and at boot. What
    begins is sent once, each day while it lasts, and when it ends.

    F2 sends a test on every path: ours, and those of mdadm's monitor, zed and smartd as far as they are here. Each has
    a code. Read it where alerts arrive, and enter it here: only that proves that they do.
    """
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓", tooltip="The field above or below"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("enter", "next", "Plan", tooltip="Show the plan, or confirm the code"),
        Binding("f2", "test", "Send a test", tooltip="Send a test on every path"),
    ]
    CSS_PATH = ["alerts.tcss", "../widgets/fields.tcss"]  # noqa: RUF012

    def __init__(self, test: str = "") -> None:
        """``test``: not empty: send a test at once."""
        super().__init__()
        self._test_at_once = bool(test)
        self._tried: tuple[Tried, ...] = ()

    def body(self) -> ComposeResult:
        yield Vertical(id="form")
        with VerticalScroll(id="state", can_focus=False):
            yield Static("Reading this computer...", id="lines")
        yield Static(id="detail")

    def machine_changed(self, machine: Machine) -> None:
        if not self.query_one("#form").children:
            self.run_worker(self._begin(machine), group="begin", exclusive=True)
        self._show(machine)

    async def _begin(self, machine: Machine) -> None:
        alerts = machine.alerts
        ways = (alerts.ways if alerts is not None else None) or ()
        address = next((way.removeprefix(_MAIL) for way in ways if way.startswith(_MAIL)), "")
        controls: dict[str, Widget] = {
            "to": Field(address, id="to", max_length=1024),
            "quiet": Field(alerts.quiet if alerts is not None else "", id="quiet", max_length=11),
            "monthly": Choice(
                ("off", "on"), "on" if alerts is not None and alerts.monthly else "off", id="monthly"
            ),
            "code": Field("", id="code", max_length=8),
        }
        rows = [Horizontal(Label(FIELDS[key][0]), one, classes="field") for key, one in controls.items()]
        with self.app.batch_update():
            await self.query_one("#form").mount_all(rows)
            self.keys_from_now(controls["code" if ways else "to"])
        if self._test_at_once:
            self.action_test()

    def _show(self, machine: Machine) -> None:
        lines = [*state_lines(machine), *tried_lines(self._tried)]
        if self.has_class("-wide", "-tall"):
            lines += sent_lines(self.size.height - 2 * len(FIELDS) - len(lines) - _AROUND)
        self.put("#lines", Content("\n").join(lines))

    def on_resize(self) -> None:
        if self.tui.machine is not None:
            later(self, self._show, self.tui.machine)

    def on_descendant_focus(self) -> None:
        name = (self.focused.id or "") if self.focused else ""
        if name in FIELDS:
            self.query_one("#detail", Static).update(Content(FIELDS[name][1]))

    @on(Field.Changed, "#to")
    def _hide_url(self, event: Field.Changed) -> None:
        event.input.password = "://" in event.value  # it may hold a password

    @while_there
    def on_input_submitted(self) -> None:
        self.action_next()

    def action_next(self) -> None:
        """Show the plan; in the field of the code, confirm it, or send a test if it is empty."""
        if not self.query("#code") or not self._may():
            return
        code = self.query_one("#code", Field).value.strip()
        if self.focused is not None and self.focused.id == "code":
            if code:
                self.order(lambda: self.world.confirm_alerts(code), self._confirmed)
            else:
                self.action_test()
            return
        to, quiet = (self.query_one(f"#{name}", Field).value.strip() for name in ("to", "quiet"))
        monthly = self.query_one("#monthly", Choice).value == "on"
        from raidtui.ui.wizard.procedure import words_of

        self.work_out(
            lambda: words_of(self.world.order_alerts(to, quiet, monthly=monthly)),
            lambda about: self.tui.go("procedure", **about),
        )

    def action_test(self) -> None:
        machine = self.tui.machine
        if machine is None or not self._may():
            return
        self.say("Sending a test on every path...")
        self.order(lambda: self.world.test_alerts(machine), self._tested)

    def _may(self) -> bool:
        if self.world.access is Access.RECORDED:
            self.complain("a recorded machine sends no alerts")
            return False
        return self.may_order("Alerts are set and sent by root.")

    @while_there
    def _tested(self, tried: "tuple[Tried, ...]") -> None:
        self._tried = tried
        if self.tui.machine is not None:
            self._show(self.tui.machine)
        self.set_focus(self.query_one("#code"))
        if any(one.code and one.sent for one in tried):
            self.say("Enter the code that arrives.")
        else:
            self.complain("no test with a code was sent; see above")

    @while_there
    def _confirmed(self, ways: tuple[str, ...]) -> None:
        self.query_one("#code", Field).value = ""
        self.say(f"Proven: {harmless(listed(ways))}.")
        self.tui.read_machine()


def state_lines(machine: Machine) -> list[Content]:
    """What is set and proven, and what is wrong with it."""
    from raidtui.advice.findings.alerts import alert_findings, proven_at

    alerts = machine.alerts
    if alerts is None:
        return [Content("How alerts are set on this computer is not known.")]
    lines = []
    for way in alerts.ways or ():
        at = proven_at(way, machine.history)
        known = machine.history is not None
        mark = f" proven {at[:10]} " if at else " NOT PROVEN " if known else " not known "
        lines.append(
            Content.assemble(
                (mark, "reverse $text-success" if at else "reverse $text-warning"), f" {harmless(way)}"
            )
        )
    for finding in alert_findings(machine, units_of(machine)):
        lines.append(Content.assemble(("! ", "bold $text-warning"), harmless(finding.what)))
        texts = [_HERE[finding.kind]] if finding.kind in _HERE else [one.text for one in finding.remedies]
        lines += [Content(harmless(f"  {text}")) for text in texts]
    return lines or [Content("Nothing is set.")]


def sent_lines(room: int) -> list[Content]:
    """What an alert is sent for, the most urgent first, in at most ``room`` lines."""
    from raidtui.advice.alert_wrongs import SETUP
    from raidtui.advice.findings.pages import PAGES

    if room < 1:
        return []
    kinds = sorted((kind for kind in PAGES if kind not in SETUP), key=lambda kind: -PAGES[kind].urgency)
    lines = [Content(""), Content.assemble((_SAYS, "bold $text-primary"))]
    for kind in kinds[:room]:
        page = PAGES[kind]
        words = page.data.format(name=_EXAMPLES.get(kind, "NAME"))
        lines.append(Content.assemble((f" {page.urgency.name:<8}", _URGENT[page.urgency]), words))
    return lines


def tried_lines(tried: "Sequence[Tried]") -> list[Content]:
    """What the test did on each path."""
    words = {
        True: ("sent", "$text-success"),
        False: ("NOT SENT", "$text-error"),
        None: ("not tested", "$text-muted"),
    }
    lines = [Content("")] if tried else []
    for one in tried:
        word, style = words[one.sent]
        text = f": {one.text}" if one.text else ""
        lines.append(Content.assemble((f"{word:<11}", style), harmless(f"{one.way}{text}")))
    return lines
