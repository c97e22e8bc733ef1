"""Every way of sending against real local servers: one that takes it, one that refuses, hangs, or answers rubbish."""

import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_string, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

from raidtui.advice.alerting import Message
from raidtui.jobs.sending import way
from raidtui.jobs.sending.send import send
from raidtui.jobs.sending.way import send_mail, send_url
from raidtui.model.alerts import AlertSettings, Mail
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.finding import Urgency
from tests.unit.smtp_server import Smtp

pytestmark = pytest.mark.slow  # servers that are waited for

SECRET: Final = "hunter2-S3cret"
MESSAGE: Final = Message(
    subject="nas: DANGER: tank\r\nBcc: everyone@example.org",
    text="ONE MORE FAILURE LOSES tank\x1b[2J\nto do: replace LAB-0002",
    events=(("no-redundancy", "tank", "ONE MORE FAILURE LOSES tank"), ("unknown", "lvm", "Not known: LVM")),
    urgency=Urgency.DANGER,
)
Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(way, "TRY_SECONDS", 1)


@contextmanager
def http(answer: Answer | int = 200) -> Iterator[tuple[str, list[tuple[str, dict[str, str], bytes]]]]:
    got: list[tuple[str, dict[str, str], bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, dict(self.headers), body))
            if isinstance(answer, int):
                self.send_response(answer)
                self.end_headers()
            else:
                answer(self)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def tcp(said: bytes, *, then_close: bool = True) -> Iterator[int]:
    """A server that says this, whatever comes."""
    listening = socket.create_server(("127.0.0.1", 0))
    kept: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.sendall(said)
            kept.append(connection) if not then_close else connection.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)  # ends accept()
        listening.close()
        for one in kept:
            one.close()


def mail(port: int, **more: Any) -> Mail:
    return Mail(to="admin@example.org", host="127.0.0.1", port=port, **{"security": "none", **more})


def test_a_mail_arrives_with_one_subject_and_nothing_that_a_terminal_obeys() -> None:
    with Smtp() as server:
        send_mail(mail(server.port), MESSAGE, "nas")
    (got,) = server.letters
    letter = message_from_string(got.text, policy=policy.default)
    assert got.to == ["admin@example.org"]
    assert letter["Bcc"] is None
    assert letter["Subject"] == "nas: DANGER: tank??Bcc: everyone@example.org"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content().splitlines() == [
        "ONE MORE FAILURE LOSES tank?[2J",
        "to do: replace LAB-0002",
    ]


def test_an_account_logs_in_and_a_wrong_password_is_said_without_it() -> None:
    with Smtp(user="raid", password=SECRET) as server:
        send_mail(mail(server.port, user="raid", password=SECRET), MESSAGE, "nas")
        assert len(server.letters) == 1
        with pytest.raises(StepFailed, match="does not accept user and password") as refused:
            send_mail(mail(server.port, user="raid", password="wrong-one"), MESSAGE, "nas")
    assert "wrong-one" not in str(refused.value)


@pytest.mark.processes
def test_starttls_that_is_not_offered_or_not_trusted_sends_nothing(tmp_path: Path) -> None:
    with Smtp(user="raid", password=SECRET) as server:
        with pytest.raises(StepFailed):
            send_mail(mail(server.port, user="raid", password=SECRET, security="starttls"), MESSAGE, "nas")
        assert server.letters == []
        assert SECRET not in server.heard
    certificate = tmp_path / "own.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {0} -out {0}.crt"
    subprocess.run(command.format(certificate).split(), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{certificate}.crt", certificate)
    with Smtp(tls=context) as server:
        with pytest.raises(StepFailed, match="certificate is not valid"):
            send_mail(mail(server.port, user="raid", password=SECRET, security="starttls"), MESSAGE, "nas")
        assert server.letters == []


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA", "."])
def test_a_server_that_refuses_is_heard(stage: str) -> None:
    with Smtp(refuse=stage) as server, pytest.raises(StepFailed, match="550 not here"):
        send_mail(mail(server.port), MESSAGE, "nas")


@pytest.mark.parametrize(
    "said", [b"", b"\x00\xff\x80 rubbish\r\n", b"220-" * 500, b"HTTP/1.1 400 Bad\r\n\r\n"]
)
def test_a_server_that_says_rubbish_or_hangs_is_a_failure(said: bytes) -> None:
    for closes in (True, False):
        with tcp(said, then_close=closes) as port:
            with pytest.raises(StepFailed):
                send_mail(mail(port), MESSAGE, "nas")
            with pytest.raises(StepFailed):
                send_url(f"http://127.0.0.1:{port}/x?token={SECRET}", MESSAGE, "nas")


def test_a_refused_connection_is_said_without_the_url() -> None:
    with tcp(b"") as port:
        pass
    with pytest.raises(StepFailed, match=r"^127\.0\.0\.1: Connection refused$"):
        send_url(f"http://user:{SECRET}@127.0.0.1:{port}/{SECRET}", MESSAGE, "nas")


def test_json_is_posted_with_the_account_of_the_url() -> None:
    with http() as (address, got):
        send_url(f"http://me:{SECRET}@{address}/hook?x=1", MESSAGE, "nas")
    ((path, headers, body),) = got
    document = json.loads(body)
    assert path == "/hook?x=1"
    assert headers["Authorization"].startswith("Basic ")
    assert document["urgency"] == "danger"
    assert document["priority"] == 8
    assert document["events"][1] == {"event": "unknown", "unit": "lvm", "text": "Not known: LVM"}


def test_ntfy_gets_text_and_a_title_of_one_line() -> None:
    with http() as (address, got):
        send_url(f"ntfy://{address}/topic", MESSAGE, "nas")
    ((path, headers, body),) = got
    assert (path, headers["Priority"]) == ("/topic", "5")
    assert headers["Title"] == "nas: DANGER: tank??Bcc: everyone@example.org"
    assert body.decode() == MESSAGE.text


@pytest.mark.parametrize("code", [301, 401, 404, 500])
def test_any_other_answer_is_a_failure(code: int) -> None:
    with http(code) as (address, _), pytest.raises(StepFailed):
        send_url(f"http://{address}/", MESSAGE, "nas")


def test_other_schemes_need_apprise_and_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(ToolMissing, match=r"pip install 'raidtui\[alerts\]'") as missing:
        send_url(f"slack://{SECRET}/b/c", MESSAGE, "nas")
    assert SECRET not in str(missing.value)


# The rest runs the children as they are.


def program(folder: Path, script: str) -> str:
    path = folder / "page-me"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.processes
def test_a_program_gets_words_and_never_a_shell(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = program(tmp_path, f'for one; do printf "%s|" "$one"; done >{out}; cat >{out}.in')
    message = Message(
        subject="s",
        text="whole text",
        events=(
            ("degraded", "$(touch /tmp/x); tank", "a 'sentence'\x1b\nto do: this.\nThen that"),
            ("ended", "b", "c"),
        ),
        urgency=Urgency.WARNING,
    )
    settings = AlertSettings(program=path)
    assert send(message, settings, host="nas") == {f"program {path}": ""}
    assert out.read_text() == "degraded|$(touch /tmp/x); tank|a 'sentence'?; to do: this. Then that|c|"
    assert Path(f"{out}.in").read_text() == "whole text"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "ended with exit code 3"),
        ("echo rubbish; echo no paper; exit 1", "no paper"),
        ("sleep 60", "did not end within 1 s"),
        ("sleep 60 & wait", "did not end within 1 s"),
        ("kill -9 $$", "ended with signal 9"),
        ("trap '' TERM; head -c 200000000 /dev/zero; exit 1", "ended with exit code 1"),
    ],
)
def test_a_program_that_fails_or_hangs(tmp_path: Path, script: str, why: str) -> None:
    settings = AlertSettings(program=program(tmp_path, script))
    limit = 1 if "sleep" in script else 20
    begin = time.monotonic()
    (answer,) = send(MESSAGE, settings, host="nas", limit_seconds=limit).values()
    assert answer.replace("?", "").strip() in {why, ""} or why in answer
    assert answer
    assert time.monotonic() - begin < 30


@pytest.mark.processes
def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    (answer,) = send(MESSAGE, AlertSettings(program=f"{tmp_path}/none"), host="nas").values()
    assert answer.endswith("cannot be run: No such file or directory")


@pytest.mark.processes
def test_all_ways_at_once_and_one_that_fails_does_not_hold_up_the_others() -> None:
    with (
        Smtp() as server,
        http() as (address, got),
        http(500) as (other, _),
        tcp(b"", then_close=False) as port,
    ):
        settings = AlertSettings(
            mail=mail(server.port),
            urls=(f"http://{address}/a", f"http://{other}/b", f"http://127.0.0.1:{port}/{SECRET}"),
        )
        answers = send(MESSAGE, settings, host="nas", limit_seconds=4)
    assert list(settings.ways) == [
        "mail to admin@example.org",
        "http://127.0.0.1/… (1)",
        "http://127.0.0.1/… (2)",
        "http://127.0.0.1/… (3)",
    ]
    assert [answers[one] for one in settings.ways] == [
        "",
        "",
        "127.0.0.1 answered 500",
        "did not end within 4 s",
    ]
    assert len(server.letters) == len(got) == 1
    assert SECRET not in repr(answers) + repr(settings)
