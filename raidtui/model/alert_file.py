"""Read and write /etc/raidtui/alerts.toml, strictly: an error names the line and the nearest word, never a value."""

import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from urllib.parse import urlsplit

import tomli_w

from raidtui.model.alerts import FILE, OWN_SCHEMES, AlertSettings, Mail
from raidtui.model.errors import BadInput
from raidtui.model.hours import Hours, read_hours
from raidtui.model.text import harmless
from raidtui.model.tomlfile import Section, read_toml

T = TypeVar("T")

_LINE: Final = re.compile(r"at line (\d+)")
_SECURITY: Final = ("starttls", "tls", "none")
_PORTS: Final = {"starttls": 587, "tls": 465, "none": 25}
_KEYS: Final = {
    "": ("mail", "program", "urls", "quiet", "monthly"),
    "mail": ("to", "from", "smtp", "security", "user", "password"),
}
_ADDRESS: Final = re.compile(r"[^\s@<>,;:\"'\\()\[\]\x00-\x1f\x7f]+(?:@[A-Za-z0-9.-]+)?")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\x00-\x1f\x7f]+")
_SERVER: Final = re.compile(r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::(?P<port>\d{1,5}))?")


def read_alert_file(text: str, *, origin: str = FILE) -> AlertSettings:
    """The settings that ``text`` holds.

    Raises:
        BadInput: an unknown key, a wrong value, or a way that lacks something.
    """
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # The usual explanation shows the mistake, and here that may be a password.
        line = _LINE.search(str(error))
        place = f", line {line[1]}" if line else ""
        raise BadInput(f"{origin}{place}: this is not TOML; text needs quotation marks") from None
    top = read_toml(text, origin=origin, what="file of alerts", keys=_KEYS)
    mail = _mail(top) if "mail" in top else None
    program = top.string("program")
    if program and (not program.startswith("/") or "\0" in program or "\n" in program):
        raise top.refusal("program", "program must be a whole path, such as /usr/local/bin/page-me")
    urls = _secret(top, "urls", top.strings, 'a list of texts: urls = ["https://HOST/PATH"]')
    for number, url in enumerate(urls, 1):
        if _URL.fullmatch(url) is None:  # never shown: it may hold a password
            raise top.refusal("urls", f"URL {number} is not a URL such as https://HOST/PATH")
    return AlertSettings(
        mail=mail,
        program=program,
        urls=urls,
        quiet=_quiet(top, top.string("quiet")),
        monthly=top.yes_or_no("monthly") or False,
    )


def settings_of(ways: Sequence[str]) -> AlertSettings:
    """The settings that send to ``ways``: a mail address, and URLs that hold no password and need no other program.

    Raises:
        BadInput: one of them is neither, or two are mail addresses.
    """
    urls = tuple(one for one in ways if "://" in one)
    mails = [one for one in ways if "://" not in one]
    for number, url in enumerate(urls, 1):  # never shown: it may be a token
        parts = urlsplit(url) if _URL.fullmatch(url) else None
        if parts is None or parts.scheme not in OWN_SCHEMES or not parts.hostname:
            schemes = ", ".join(sorted(OWN_SCHEMES))
            raise BadInput(
                f"URL {number} has no host or is not one of {schemes}; 'raidtui alerts set' takes others"
            )
        if parts.username is not None:
            raise BadInput("a URL with a password does not belong in a spec; 'raidtui alerts set' takes it")
    for mail in mails:
        if _ADDRESS.fullmatch(mail) is None or mail.startswith("-"):
            raise BadInput(f"{harmless(mail)[:60]!r} is not a mail address")
    if len(mails) > 1:
        raise BadInput("alerts go to one mail address, and any number of URLs")
    return AlertSettings(mail=Mail(to=mails[0]) if mails else None, urls=urls)


def _secret(section: Section, key: str, read: Callable[[str], T], what: str) -> T:
    """The value of ``key``, which no error shows."""
    try:
        return read(key)
    except BadInput:
        raise section.refusal(key, f"{key} must be {what}") from None


def _quiet(top: Section, text: str) -> Hours | None:
    if not text:
        return None
    try:
        return read_hours(text, what="quiet")
    except BadInput as error:
        raise top.refusal("quiet", str(error)) from None


def _mail(top: Section) -> Mail:
    section = top.section("mail", 'to = "admin@example.org"')
    to, sender = section.string("to"), section.string("from")
    for key, value in (("to", to), ("from", sender or "root")):
        if _ADDRESS.fullmatch(value) is None or value.startswith("-"):
            raise section.refusal(key, f'{key} must be one mail address, such as "admin@example.org"')
    server = section.string("smtp")
    security = section.word("security", _SECURITY, "starttls")
    user = section.string("user")
    password = _secret(section, "password", section.string, "text in quotation marks")
    if not server:
        if user or password or "security" in section:
            raise section.refusal(
                "user" if user else "password" if password else "security",
                'an account needs its server: smtp = "mail.example.org:587"',
            )
        return Mail(to=to, sender=sender)
    found = _SERVER.fullmatch(server)
    port = int(found["port"] or _PORTS[security]) if found is not None else 0
    if found is None or not 0 < port < 65536:
        raise section.refusal("smtp", 'smtp must be a server, such as "mail.example.org:587"')
    if bool(user) != bool(password):
        raise section.refusal("user" if user else "password", "user and password belong together")
    if user and security == "none" and found["host"] not in {"localhost", "127.0.0.1", "[::1]"}:
        raise section.refusal("security", "a password is not sent without encryption; use starttls or tls")
    return Mail(
        to=to,
        sender=sender,
        host=found["host"].strip("[]"),
        port=port,
        security=security,
        user=user,
        password=password,
    )


def write_alert_file(settings: AlertSettings) -> str:
    """The text of the file; `read_alert_file` returns the same settings."""
    document: dict[str, object] = {}
    if settings.quiet is not None:
        document["quiet"] = settings.quiet.shown
    if settings.monthly:
        document["monthly"] = True
    if settings.program:
        document["program"] = settings.program
    if settings.urls:
        document["urls"] = list(settings.urls)
    if settings.mail is not None:
        mail = settings.mail
        host = f"[{mail.host}]" if ":" in mail.host else mail.host
        values = {
            "to": mail.to,
            "from": mail.sender,
            "smtp": mail.host and f"{host}:{mail.port}",
            "security": mail.security if mail.host else "",
            "user": mail.user,
            "password": mail.password,
        }
        document["mail"] = {key: value for key, value in values.items() if value}
    return tomli_w.dumps(document)
