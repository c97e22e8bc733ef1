"""Runs inside a guest that is kept for many commands: requests and answers are files of the control folder.

``python -m raidtui.lab.agent FOLDER`` ends when a file called ``stop`` appears.
"""

import json
import subprocess
import sys
import time
from pathlib import Path


def answer(request: Path) -> None:
    """Run one request and leave its answer beside it."""
    order = json.loads(request.read_text(encoding="utf-8"))
    try:
        done = subprocess.run(
            order["argv"],
            input=order["input"].encode() if order["input"] else None,
            stdin=None if order["input"] else subprocess.DEVNULL,
            capture_output=True,
            timeout=order["timeout"],
            check=False,
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        code, out = 124, late.stdout or b""
        err = (late.stderr or b"") + f"\nno end within {order['timeout']} s\n".encode()
    except OSError as error:
        code, out, err = 127, b"", f"{error}\n".encode()
    text = json.dumps(
        {"code": code, "stdout": out.decode("utf-8", "replace"), "stderr": err.decode("utf-8", "replace")}
    )
    fresh = request.with_suffix(".fresh")
    fresh.write_text(text, encoding="utf-8")
    fresh.rename(request.with_suffix(".answer"))
    request.unlink()


def main(folder: Path) -> int:
    """Answer requests, each in its turn, until told to stop."""
    (folder / "ready").touch()
    while True:
        names = sorted(path.name for path in folder.iterdir())
        if "stop" in names:
            return 0
        for name in names:
            if name.endswith(".request"):
                answer(folder / name)
        time.sleep(0.03)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
