"""Write lock.txt anew: ``python -m package.lock``, when pyproject.toml asks for other versions."""

import hashlib
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from package.environment import LOCK, PYTHONS, ROOT, pip_options


def main() -> None:
    """Resolve for each Python, and write each version with the hashes of its wheels."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    with tempfile.TemporaryDirectory() as scratch:
        for python in PYTHONS:
            words = ["download", "--quiet", *pip_options(python), f"--dest={scratch}", *wanted]
            subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        hashes: dict[str, list[str]] = {}
        for wheel in sorted(Path(scratch).glob("*.whl")):
            name, version = wheel.name.split("-")[:2]
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            hashes.setdefault(f"{name.replace('_', '-')}=={version}", []).append(digest)
    lines = [
        "# Written by 'python -m package.lock': what the Debian package and the one file bring with them."
    ]
    for pinned, digests in hashes.items():
        lines.append(" \\\n    ".join([pinned, *(f"--hash=sha256:{digest}" for digest in digests)]))
    LOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
