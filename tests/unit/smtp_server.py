"""A small real SMTP server on a local port, which takes mail, or refuses it where a test wants."""

import base64
import socket
import ssl
import threading
from types import TracebackType
from typing import NamedTuple


class Letter(NamedTuple):
    """A mail that arrived."""

    sender: str
    to: list[str]
    text: str


class Smtp:
    """The server; a context."""

    def __init__(
        self,
        *,
        user: str = "",
        password: str = "",
        tls: ssl.SSLContext | None = None,
        refuse: str = "",
        port: int = 0,
    ) -> None:
        """``refuse``: the command that gets a refusal: MAIL, RCPT, DATA, or "." for the letter itself."""
        self.letters: list[Letter] = []
        self.heard = ""
        self._account = (user, password)
        self._tls = tls
        self._refuse = refuse
        self._listening = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listening.getsockname()[1]

    def __enter__(self) -> "Smtp":
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)  # ends accept()
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            self._converse(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def _converse(self, connection: socket.socket) -> None:
        stream = connection.makefile("rwb")

        def say(text: str) -> None:
            stream.write(f"{text}\r\n".encode())
            stream.flush()

        say("220 test ESMTP")
        sender, to = "", list[str]()
        while line := stream.readline().decode(errors="replace").rstrip("\r\n"):
            self.heard += f"{line}\n"
            word = line.split(" ")[0].split(":")[0].upper()
            if word == self._refuse:
                say("550 not here")
            elif word == "EHLO":
                offered = [
                    "test",
                    *(["STARTTLS"] if self._tls else []),
                    *(["AUTH PLAIN"] if self._account[0] else []),
                ]
                for one in offered[:-1]:
                    say(f"250-{one}")
                say(f"250 {offered[-1]}")
            elif word == "STARTTLS" and self._tls is not None:
                say("220 go ahead")
                connection = self._tls.wrap_socket(connection, server_side=True)
                stream = connection.makefile("rwb")
            elif word == "AUTH":
                _, user, password = base64.b64decode(line.split(" ")[2]).decode().split("\0")
                say("235 ok" if (user, password) == self._account else "535 wrong")
            elif word == "MAIL":
                sender, to = line.partition(":")[2], []
                say("250 ok")
            elif word == "RCPT":
                to.append(line.partition("<")[2].partition(">")[0])
                say("250 ok")
            elif word == "DATA":
                say("354 send it")
                text = ""
                while (one := stream.readline().decode(errors="replace")) not in {".\r\n", ""}:
                    text += one.removeprefix(".") if one.startswith("..") else one
                if self._refuse == ".":
                    say("550 not here")
                else:
                    self.letters.append(Letter(sender, to, text))
                    say("250 taken")
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")
