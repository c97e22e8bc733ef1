"""Run in the guest: a real SMTP server on port 2525 and an HTTP server on port 8080; prints what arrives."""

import json
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.unit.smtp_server import Smtp


class Handler(BaseHTTPRequestHandler):
    """Prints each document that is posted."""

    def do_POST(self) -> None:
        """Take it."""
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(json.dumps({"by": "http", "text": document["message"]}), flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


if shutil.which("ip"):  # the second engine has none, and systemd there
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
threading.Thread(target=HTTPServer(("127.0.0.1", 8080), Handler).serve_forever, daemon=True).start()
with Smtp(port=2525) as server:
    print(json.dumps({"by": "ready", "text": ""}), flush=True)
    shown = 0
    while True:
        for letter in server.letters[shown:]:
            print(json.dumps({"by": "smtp", "text": letter.text}), flush=True)
            shown += 1
        time.sleep(0.1)
