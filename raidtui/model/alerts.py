"""Where alerts go, when they may wait, and what this computer has for them. Plain data, without passwords.

What `AlertsHere` holds is printed by `raidtui inspect --json`, so it names no URL and no account.
"""

from typing import Final

from raidtui.model.hours import Hours
from raidtui.model.struct import Record

FILE: Final = "/etc/raidtui/alerts.toml"
TIMER: Final = "raidtui-watch.timer"
SERVICE: Final = "raidtui-watch.service"
EVENTS: Final = "raidtui-watch.path"
"""Starts the service while `DUE` is there."""
DUE: Final = "/run/raidtui-watch.due"
"""What has happened since the last look began: made by mdadm's monitor and udev, removed by the service."""


OWN_SCHEMES: Final = frozenset({"http", "https", "ntfy", "ntfys"})
"""URLs that raidtui sends to by itself; any other needs apprise, and is a token where these have a host."""


class Mail(Record, frozen=True, kw_only=True):
    """Mail: through the program sendmail of this computer or, with ``host``, an account at an SMTP server."""

    to: str
    sender: str = ""  # empty: root@HOSTNAME, which sendmail completes
    host: str = ""
    port: int = 587
    security: str = "starttls"  # starttls, tls or none
    user: str = ""
    password: str = ""


class AlertSettings(Record, frozen=True, kw_only=True):
    """What `FILE` says. Holds passwords: never printed, recorded or logged."""

    mail: Mail | None = None
    program: str = ""  # called as PROGRAM EVENT UNIT SENTENCE…
    urls: tuple[str, ...] = ()
    quiet: Hours | None = None  # in which everything but danger waits
    monthly: bool = False  # "all well" once a month

    def __repr__(self) -> str:
        """Without anything secret: a traceback or a log may show it."""
        return f"AlertSettings({', '.join(self.ways) or 'nowhere'})"

    @property
    def ways(self) -> tuple[str, ...]:
        """Every way that an alert takes, in words without secrets; each has another name."""
        named = [shown_url(one) for one in self.urls]
        return (
            *((f"mail to {self.mail.to}",) if self.mail is not None else ()),
            *((f"program {self.program}",) if self.program else ()),
            *(f"{one} ({number})" if named.count(one) > 1 else one for number, one in enumerate(named, 1)),
        )


def shown_url(url: str) -> str:
    """The scheme of ``url`` and, for those whose host is not a token, the host."""
    scheme = url.partition(":")[0]
    if scheme not in OWN_SCHEMES:
        return f"{scheme}://…"
    from urllib.parse import urlsplit  # few computers have one

    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return f"{scheme}://{host or '…'}/…"


EVENT: Final = "/etc/raidtui/mdadm-event"
CRON: Final = "/etc/cron.d/raidtui-watch"
OWN: Final = "# by raidtui alerts"
"""Ends our lines of mdadm.conf, which takes it for a comment."""


class AlertsHere(Record, frozen=True, kw_only=True):
    """What this computer has for alerts. None: not known."""

    exists: bool = False  # the file
    own_lines: tuple[str, ...] = ()  # of mdadm.conf, with `OWN`
    ways: tuple[str, ...] | None = None  # of the file; empty: it does not exist
    problem: str = ""  # why the file cannot be read
    quiet: str = ""
    monthly: bool = False
    by_sendmail: bool = False  # the file sends mail through sendmail
    sendmail: bool | None = None  # a program sendmail is installed
    mail_stuck: str | None = (
        None  # what of the mail by sendmail waits, in words; empty: nothing; None: not known
    )
    program_problem: str = ""  # of the file's program
    timer: str | None = (
        None  # state of our timer as systemd or cron has it: active, inactive, failed; "": not there
    )
    monitor: str | None = None  # state of mdadm's monitor; "": there is none
    mdadm_mail: str = ""  # MAILADDR of mdadm.conf
    mdadm_program: str = ""  # PROGRAM of mdadm.conf
    mdadm_program_problem: str = ""
    failures: tuple[str, ...] = ()  # of the last sending, in words
