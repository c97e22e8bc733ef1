"""Make the orders that set and remove alerts: the file is written in the state folder, from where a job takes it."""

from pathlib import Path
from uuid import uuid4

from msgspec.structs import replace

from raidtui.jobs.durable import make_folder, write_file
from raidtui.machine.alert_settings import read_settings
from raidtui.machine.own_files import refusing
from raidtui.model.alert_file import read_alert_file, write_alert_file
from raidtui.model.alerts import AlertSettings, Mail
from raidtui.model.errors import BadInput
from raidtui.model.paths import state_folder
from raidtui.model.procedure import AlertsOff, SetAlerts
from raidtui.model.struct import to_json

_FOLDER = "alerts"


def order_to_set(settings: AlertSettings) -> SetAlerts:
    """Write the file where only root can read it, and make the order.

    Raises:
        BadInput: nothing is set.
        Refused: the state folder cannot be written.
    """
    if not settings.ways:
        raise BadInput("alerts need a way: --mail ADDRESS, --program PATH or --urls FILE")
    folder = state_folder() / _FOLDER
    name = str(uuid4())
    mark = f"# written by raidtui {name}"
    with refusing():
        make_folder(folder)
        for old in folder.glob("*.toml"):
            old.unlink()  # of an order that was not carried out; what a rollback needs ends in .before
        write_file(folder / f"{name}.toml", f"{write_alert_file(settings)}{mark}\n".encode())
    mail = settings.mail
    return SetAlerts(
        staged=str(folder / f"{name}.toml"),
        mark=mark,
        address=mail.to if mail is not None and not mail.host else "",
    )


def order_to_remove() -> AlertsOff:
    """The order that removes alerts. Raises Refused: the state folder cannot be written."""
    folder = state_folder() / _FOLDER
    with refusing():
        make_folder(folder)
    kept = str(folder / f"{uuid4()}.before")
    return AlertsOff(kept=kept)


def discard(order: SetAlerts) -> None:
    """Remove the file of an order that is not carried out."""
    Path(order.staged).unlink(missing_ok=True)


def order_from_form(to: str, quiet: str, *, monthly: bool) -> SetAlerts:
    """The order that sends alerts ``to`` a mail address or a URL; everything else that is set stays.

    Args:
        to: empty: what is set stays.
        quiet: as in the file; empty: none.

    Raises:
        BadInput: a value is not possible, or nothing is set.
        Refused: the state folder cannot be written.
    """
    settings = read_settings() or AlertSettings()
    mail, urls = settings.mail, settings.urls
    if "://" in to:
        urls = tuple(dict.fromkeys((*urls, to)))
    elif to:
        mail = replace(mail, to=to) if mail is not None else Mail(to=to)
    hours = read_alert_file(f"quiet = {to_json(quiet)}", origin="the form").quiet if quiet else None
    made = replace(settings, mail=mail, urls=urls, quiet=hours, monthly=monthly)
    return order_to_set(read_alert_file(write_alert_file(made), origin="the form"))
