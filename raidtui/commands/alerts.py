"""Show where alerts go and when they were last proven; set, test, confirm or remove them.

'set' makes a plan: /etc/raidtui/alerts.toml, and a timer that runs 'raidtui status --alert' every 5 minutes. A udev
rule, and lines for mdadm's monitor, run it when a disk goes. What is not named stays as it is. Passwords and URLs are
read from a file, or from standard input with '-', and never shown. 'test' sends a code on every path; 'confirm CODE'
records that it arrived. 'off' removes what 'set' made, and leaves what the computer had.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.advice.findings.alerts import alert_findings, proven_at
from raidtui.backends.units import units_of
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.apply import add_dry_run, read_seed
from raidtui.machine.tree import HERE
from raidtui.model.alert_file import read_alert_file, write_alert_file
from raidtui.model.alerts import FILE, TIMER, AlertSettings, AlertsHere, Mail
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.procedure import AlertsOff, SetAlerts
from raidtui.model.struct import Record, to_json
from raidtui.model.text import harmless

_NONE: Final = "none"
_WORDS: Final = ("show", "set", "test", "confirm", "off")
_OPTIONS: Final = (
    "mail", "sender", "smtp", "security", "user", "password", "program", "urls", "quiet", "monthly"
)  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=_WORDS, default="show", metavar="|".join(_WORDS))
    parser.add_argument("code", nargs="?", metavar="CODE", help="of a test that arrived; several with commas")
    parser.add_argument("--mail", metavar="ADDRESS", help="send mail to ADDRESS, or 'none'")
    parser.add_argument("--from", dest="sender", metavar="ADDRESS", help="the sender of mail")
    parser.add_argument("--smtp", metavar="HOST:PORT", help="send through this server; 'none': by sendmail")
    parser.add_argument("--security", choices=("starttls", "tls", "none"), help="of that server")
    parser.add_argument("--user", metavar="NAME", help="account at that server, or 'none'")
    parser.add_argument("--password", metavar="FILE", help="file with its password; '-' asks for it")
    parser.add_argument("--program", metavar="PATH", help="run PATH EVENT UNIT SENTENCE…, or 'none'")
    parser.add_argument("--urls", metavar="FILE", help="file with a URL in each line, '-', or 'none'")
    parser.add_argument("--quiet", metavar="22:00-07:00", help="all but danger waits, or 'none'")
    parser.add_argument("--monthly", choices=("on", "off"), help="send 'all well' once a month")
    add_dry_run(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class WayShown(Record, frozen=True, kw_only=True):
    """A way that alerts take, and when a test on it was last confirmed."""

    way: str
    proven: str  # ISO 8601; empty: never, or not known


class AlertsDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json``."""

    alerts: AlertsHere | None
    ways: tuple[WayShown, ...]
    findings: tuple[Finding, ...]


def run(args: argparse.Namespace) -> int:
    """Do what ``what`` says."""
    given = [one for one in _OPTIONS if getattr(args, one) is not None]
    if given and args.what != "set":
        raise BadInput(f"--{given[0]} belongs to 'raidtui alerts set'")
    if args.code is None and args.what == "confirm":
        raise BadInput("'raidtui alerts confirm CODE' takes the code that arrived")
    if args.code is not None and args.what != "confirm":
        ways = "; the ways are --mail ADDRESS, --program PATH and --urls FILE" if args.what == "set" else ""
        raise BadInput(f"'raidtui alerts {args.what}' takes no {args.code!r}{ways}")
    if args.what == "show":
        return _show(args)
    from raidtui.jobs.root import check_root

    refuse_recorded(args.machine)
    check_root()
    if args.what == "confirm":
        return _confirm(args.code)
    return {"set": _set, "test": _test, "off": _off}[args.what](args)


def _show(args: argparse.Namespace) -> int:
    from raidtui.commands._look import look
    from raidtui.commands.text.findings import listed_lines

    machine, units, _ = look(args.machine)
    findings = tuple(alert_findings(machine, units))
    ways = tuple(
        WayShown(way=way, proven=proven_at(way, machine.history))
        for way in (machine.alerts.ways if machine.alerts is not None else None) or ()
    )
    if args.json:
        print(to_json(AlertsDocument(alerts=machine.alerts, ways=ways, findings=findings)))
        return 0
    print("\n".join(harmless(line) for line in (*_lines(machine, ways), *listed_lines(findings))))
    return 0


def _lines(machine: Machine, ways: Sequence[WayShown]) -> list[str]:
    alerts = machine.alerts
    if alerts is None:
        return ["how alerts are set is not known"]
    known, stuck = machine.history is not None, alerts.mail_stuck
    unread = alerts.ways is None and not alerts.problem
    rows = [
        *(
            (way.way, f"proven {way.proven[:10]}" if way.proven else "not proven" if known else "")
            for way in ways
        ),
        *((("alerts", "not set"),) if alerts.ways == () else ()),
        *((("alerts", f"not known: {FILE} was not read, which needs root"),) if unread else ()),
        ("quiet hours", alerts.quiet or ("not known" if unread else "none")),
        ("all well", "once a month" if alerts.monthly else "not known" if unread else "not sent"),
        *(
            (("mail queue", {None: "not known", "": "nothing waits"}.get(stuck, stuck)),)
            if alerts.by_sendmail or alerts.mdadm_mail
            else ()
        ),
        (TIMER, _state(alerts.timer)),
        ("mdadm's monitor", _state(alerts.monitor)),
        (f"MAILADDR of {machine.system.mdadm_conf}", alerts.mdadm_mail or "none"),
        (f"PROGRAM of {machine.system.mdadm_conf}", alerts.mdadm_program or "none"),
    ]
    width = max(len(label) for label, _ in rows)
    return [f"{label.ljust(width)}  {text}".rstrip() for label, text in rows]


def _state(state: str | None) -> str:
    return "not known" if state is None else state or "not installed"


def _set(args: argparse.Namespace) -> int:
    from raidtui.jobs.alert_orders import discard, order_to_set
    from raidtui.machine.alert_settings import read_settings

    settings = changed(read_settings() or AlertSettings(), args)
    order = order_to_set(settings)
    begun = False
    try:
        machine, code = _do(args, order)
        begun = not args.dry_run
    finally:
        if not begun:
            discard(order)
    if begun and not code and settings.ways:
        _tell_what_fails(machine)
        print("Now prove that they arrive: raidtui alerts test", file=sys.stderr)
    return code


def _tell_what_fails(machine: Machine) -> None:
    """Say why an alert would not be sent, as nobody else does before one is needed."""
    from raidtui.commands.text.findings import finding_lines, wrapped
    from raidtui.machine.alerts import read_alerts

    now = replace(machine, alerts=read_alerts(machine.system.mdadm_conf))
    for one in alert_findings(now, units_of(now)):
        if one.kind is Kind.ALERTS_FAILING:
            lines = (*wrapped("", [one.what]), *finding_lines(one))
            print("\n".join(map(harmless, lines)), file=sys.stderr)


def changed(settings: AlertSettings, args: argparse.Namespace) -> AlertSettings:
    """``settings`` with what the options change, checked as the file would be.

    Raises:
        BadInput: a value is not possible.
    """
    mail = _mail(settings.mail, args)
    program = settings.program if args.program is None else _given(args.program)
    urls = settings.urls
    if args.urls is not None:
        urls = tuple(line for one in _secret(args.urls, "URL").splitlines() if (line := one.strip()))
    monthly = settings.monthly if args.monthly is None else args.monthly == "on"
    made = replace(settings, mail=mail, program=program, urls=urls, monthly=monthly)
    if args.quiet is not None:
        made = replace(made, quiet=None)
        if _given(args.quiet):
            made = replace(
                made, quiet=read_alert_file(f"quiet = {to_json(args.quiet)}", origin="--quiet").quiet
            )
    return read_alert_file(write_alert_file(made), origin="the alert file with these options")


def _mail(before: Mail | None, args: argparse.Namespace) -> Mail | None:
    if args.mail == _NONE:
        return None
    wanted = {"to": args.mail, "sender": args.sender, "security": args.security, "user": args.user}
    given = {key: _given(value) for key, value in wanted.items() if value is not None}
    if args.security is not None:
        given["security"] = args.security
    old = {name: getattr(before, name) for name in Mail.__struct_fields__} if before is not None else {}
    made = {**old, **given}
    if args.smtp is not None:
        if not _given(args.smtp):
            made = {key: value for key, value in made.items() if key in {"to", "sender"}}
        else:
            host, colon, port = args.smtp.rpartition(":")
            if not colon:
                host, port = args.smtp, ""
            ports = {"tls": 465, "none": 25}
            if ":" in host and not (host.startswith("[") and host.endswith("]")):
                raise BadInput(
                    f"--smtp: the address {harmless(args.smtp)[:60]!r} has colons; write [ADDRESS]:PORT"
                )
            if port and not (port.isascii() and port.isdigit() and len(port) < 6):
                raise BadInput(f"--smtp is HOST:PORT, not {harmless(args.smtp)[:60]!r}")
            made["host"] = host.strip("[]")
            made["port"] = int(port) if port else ports.get(made.get("security", ""), 587)
    if args.password is not None:
        made["password"] = _secret(args.password, "Password").strip("\r\n")
    if args.user == _NONE:
        made["user"] = made["password"] = ""
    if made and not made.get("to"):
        raise BadInput("mail needs an address: --mail ADDRESS")
    return Mail(**made) if made else None


def _given(text: str) -> str:
    return "" if text == _NONE else text


def _secret(file: str, what: str) -> str:
    """A secret from a file, or with '-' from standard input: asked for without echo on a terminal."""
    if file == _NONE:
        return ""
    if file == "-" and sys.stdin is not None and sys.stdin.isatty():
        from getpass import getpass

        return getpass(f"{what}: ")
    from raidtui.machine.textfile import read_input, read_text

    return read_input(what="secret") if file == "-" else read_text(file, what="secret")


def _off(args: argparse.Namespace) -> int:
    from raidtui.jobs.alert_orders import order_to_remove

    return _do(args, order_to_remove())[1]


def _do(args: argparse.Namespace, order: SetAlerts | AlertsOff) -> tuple[Machine, int]:
    """Carry the order out; return the machine as it was before, and the exit code."""
    from raidtui.backends.reading import read_whole
    from raidtui.commands._procedure import do_procedure
    from raidtui.plan.care import make_care, title_of

    args.erase = args.accept = []
    machine = read_whole()
    plan = make_care(order, machine, seed=read_seed(None))
    return machine, do_procedure(args, title_of(order, plan), plan, order, machine)


def _test(args: argparse.Namespace) -> int:
    from raidtui.backends.reading import read_whole
    from raidtui.jobs.sending.proof import send_tests
    from raidtui.machine.alert_settings import read_settings
    from raidtui.machine.history import HistoryFile

    tried = send_tests(read_settings() or AlertSettings(), read_whole(smart=False), HistoryFile(), tree=HERE)
    if args.json:
        print(to_json(tried))
    else:
        for one in tried:
            state = {True: "sent", False: "NOT SENT", None: "not tested"}[one.sent]
            print(harmless(f"{one.way}: {': '.join(filter(None, (state, one.text)))}"))
        if any(one.code for one in tried):
            print("Each test has a code. When it arrives: raidtui alerts confirm CODE")
        elif not any(one.sent for one in tried):
            print("nothing was sent; set a way with 'raidtui alerts set'")
    return StepFailed.exit_code if any(one.sent is False for one in tried) else 0


def _confirm(codes: str) -> int:
    from raidtui.jobs.sending.proof import confirm
    from raidtui.machine.history import HistoryFile

    for way in confirm(codes.split(","), HistoryFile()):
        print(harmless(f"proven: {way}"))
    return 0
