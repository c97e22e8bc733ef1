"""Send one message one way. This is the child's program: ``python -m raidtui.jobs.sending.way`` with a `Parcel` on stdin.

Passwords and URLs come by stdin, so they are in no argument list and no environment. What went wrong is one line on
stdout, without them.
"""

import contextlib
import json
import smtplib
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

from raidtui.advice.alerting import Message
from raidtui.jobs.sending.parcel import Parcel
from raidtui.machine.tools import find_tool
from raidtui.model.alerts import Mail
from raidtui.model.errors import RaidtuiError, StepFailed, ToolMissing
from raidtui.model.finding import Urgency
from raidtui.model.struct import from_json
from raidtui.model.text import harmless, harmless_lines

TRY_SECONDS: Final = 20  # for one answer of a server; the child has its own limit for all of them
_WEB: Final = frozenset({"http", "https"})
_NTFY: Final = {"ntfy": "http", "ntfys": "https"}
_PRIORITY: Final = {Urgency.NOTE: 3, Urgency.WARNING: 4, Urgency.DANGER: 5}  # of ntfy, 1 to 5
_LONGEST: Final = 200


def main() -> int:
    """Send what is on stdin; the exit code is 0 if it was taken."""
    try:
        parcel = from_json(sys.stdin.buffer.read(), Parcel, origin="the message")
        if parcel.mail is not None:
            send_mail(parcel.mail, parcel.message, parcel.host)
        else:
            send_url(parcel.url, parcel.message, parcel.host)
    except RaidtuiError as error:
        print(harmless(str(error))[:_LONGEST])
        return 1
    return 0


def send_mail(mail: Mail, message: Message, host: str) -> None:
    """Send a mail through sendmail or an SMTP server.

    Raises:
        ToolMissing: there is no sendmail.
        StepFailed: it was not taken.
    """
    letter = EmailMessage()
    letter["From"] = mail.sender or (f"raidtui@{host}" if mail.host else "root")
    letter["To"] = mail.to
    letter["Subject"] = " ".join(harmless(message.subject).split())
    letter["Date"] = formatdate(localtime=True)
    letter["Message-ID"] = make_msgid(domain=host if host.isascii() and host else "localhost")
    letter["Auto-Submitted"] = "auto-generated"  # RFC 3834: no vacation message comes back
    if message.urgency is Urgency.DANGER:
        letter["Importance"] = "high"
    letter.set_content(harmless_lines(message.text))
    if mail.host:
        _by_smtp(mail, letter)
    else:
        _by_sendmail(letter)


def _by_sendmail(letter: EmailMessage) -> None:
    program = find_tool("sendmail")
    if program is None:
        raise ToolMissing("there is no sendmail on this computer")
    done = subprocess.run([program, "-t", "-oi"], input=bytes(letter), capture_output=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise StepFailed(f"sendmail ended with exit code {done.returncode}: {said[-1] if said else ''}")


def _by_smtp(mail: Mail, letter: EmailMessage) -> None:
    try:
        trusted = ssl.create_default_context()
        made: smtplib.SMTP = (
            smtplib.SMTP_SSL(mail.host, mail.port, timeout=TRY_SECONDS, context=trusted)
            if mail.security == "tls"
            else smtplib.SMTP(mail.host, mail.port, timeout=TRY_SECONDS)
        )
        try:
            if mail.security == "starttls":
                made.starttls(context=trusted)
            if mail.user:
                made.login(mail.user, mail.password)
            made.send_message(letter)
        finally:
            # It was taken or refused by now: how the server parts does not matter.
            with contextlib.suppress(smtplib.SMTPException, OSError):
                made.quit()
    except smtplib.SMTPAuthenticationError:
        raise StepFailed(f"{mail.host} does not accept user and password") from None
    except smtplib.SMTPResponseException as error:
        raise StepFailed(f"{mail.host} refused it: {error.smtp_code} {_words(error.smtp_error)}") from None
    except smtplib.SMTPRecipientsRefused as error:
        answers = [f"{code} {_words(text)}" for code, text in error.recipients.values()]
        raise StepFailed(f"{mail.host} refused the address: {'; '.join(answers)}") from None
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise StepFailed(f"{mail.host} port {mail.port}: {_reason(error)}") from None


def send_url(url: str, message: Message, host: str) -> None:
    """Post to a URL: JSON to http and https, text to ntfy; any other scheme through apprise.

    Raises:
        ToolMissing: it needs apprise.
        StepFailed: it was not taken.
    """
    scheme = url.partition(":")[0].lower()
    if scheme not in _WEB and not (scheme in _NTFY and urlsplit(url).path.strip("/")):
        _by_apprise(url, message)
        return
    if scheme in _WEB:
        document = {
            "title": message.subject,
            "message": message.text,
            "priority": 2 * _PRIORITY[message.urgency] - 2,  # of Gotify: 4, 6, 8
            "urgency": message.urgency.name.lower(),
            "host": host,
            "events": [dict(zip(("event", "unit", "text"), one, strict=True)) for one in message.events],
        }
        _post(url, json.dumps(document).encode(), {"Content-Type": "application/json"})
    else:
        title = " ".join(harmless(message.subject).split()).encode("ascii", "replace").decode()
        _post(
            f"{_NTFY[scheme]}:{url.partition(':')[2]}",
            message.text.encode(),
            {"Title": title, "Priority": str(_PRIORITY[message.urgency])},
        )


def _post(url: str, body: bytes, headers: dict[str, str]) -> None:
    where = urlsplit(url).hostname or "the URL"
    try:
        parts = urlsplit(url)
        if parts.username is not None:
            from base64 import b64encode
            from urllib.parse import unquote

            account = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            headers = {**headers, "Authorization": f"Basic {b64encode(account).decode()}"}
            url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        request = urllib.request.Request(
            url, data=body, headers={"User-Agent": "raidtui", **headers}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=TRY_SECONDS) as answer:
            answer.read(1)
    except urllib.error.HTTPError as error:
        raise StepFailed(f"{where} answered {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise StepFailed(f"{where}: {_reason(error)}") from None


def _by_apprise(url: str, message: Message) -> None:
    try:
        import apprise
    except ImportError:
        scheme = url.partition(":")[0]
        raise ToolMissing(
            f"{scheme}:// needs apprise, which is not installed: pip install 'raidtui[alerts]'"
        ) from None
    sender = apprise.Apprise()
    if not sender.add(url):
        raise StepFailed("apprise does not understand this URL")
    kind = {Urgency.NOTE: "info", Urgency.WARNING: "warning", Urgency.DANGER: "failure"}[message.urgency]
    # Its result is true or not, but neither True nor False.
    if not sender.notify(title=message.subject, body=message.text, notify_type=kind):
        raise StepFailed("apprise could not send it")


def _words(text: bytes | str) -> str:
    return harmless(text.decode(errors="replace") if isinstance(text, bytes) else text)


def _reason(error: Exception) -> str:
    """Why a connection failed, without the URL: some errors hold it."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {cause.verify_message}"
    if isinstance(cause, socket.gaierror | ConnectionError | ssl.SSLError):
        return cause.strerror or type(cause).__name__
    return (
        cause.strerror if isinstance(cause, OSError) else ""
    ) or f"an answer that makes no sense ({type(cause).__name__})"


if __name__ == "__main__":
    raise SystemExit(main())
