"""The one file for rescue systems: a shell script that unpacks a Python, its C library and raidtui, and starts it.

The Python is the one that makes the package. Its C library comes along, so the target's may be older or missing.
"""

import compileall
import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final

from package.environment import fill
from package.files import settle, write
from raidtui import __version__

_HERE: Final = Path(__file__).parent
_LOADER: Final = "ld-linux-x86-64.so.2"
_LIBRARIES: Final = ("libudev.so.1",)  # loaded by name at run time, by pyudev
# Parts of Python that raidtui does not use.
_LEFT_OUT: Final = shutil.ignore_patterns(
    *("site-packages", "dist-packages", "__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo"),
    *(
        "ensurepip",
        "lib2to3",
        "pydoc_data",
        "venv",
        "config-*",
        "*.a",
        "_test*.so",
        "_tkinter*",
        "LICENSE.txt",
    ),
)


def make(target: Path, wheels: Sequence[Path], time: datetime) -> Path:
    """Write ``raidtui-VERSION`` to ``target``.

    Raises:
        subprocess.CalledProcessError: ldd does not understand a part of Python.
        SystemExit: a library is not here.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        _lay_out(tree, wheels)
        settle(tree, time)
        size = sum(path.lstat().st_size for path in tree.rglob("*"))
        archive = archive_of(tree)
    made = target / f"raidtui-{__version__}"
    made.write_bytes(script_for(archive, size).encode() + archive)
    made.chmod(0o755)
    return made


def script_for(archive: bytes, size: int) -> str:
    """The script that unpacks what follows it: ``size`` bytes when unpacked."""
    text = (_HERE / "one_file.sh").read_text(encoding="utf-8")
    values = {
        "VERSION": __version__,
        "NAME": f"raidtui-{__version__}-{hashlib.sha256(archive).hexdigest()[:12]}",
        "LINES": str(text.count("\n") + 1),
        "MEGABYTES": str(size // 10**6 + 10),
    }
    return re.sub("@([A-Z]+)@", lambda word: values[word[1]], text)


def _lay_out(tree: Path, wheels: Sequence[Path]) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = tree / "lib" / version
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=_LEFT_OUT)
    # Beside Python's own modules, where every Python of this folder finds them, also one that ignores 'site'.
    fill(library, wheels, "one-file")
    program = tree / "bin/python.bin"
    program.parent.mkdir()
    shutil.copy2(Path(sys._base_executable).resolve(), program)  # type: ignore[attr-defined]  # not in typeshed
    write(tree / "bin/python3", (_HERE / "one_file_python.sh").read_text(encoding="utf-8"), mode=0o755)
    _libraries([program, *library.rglob("*.so")], tree / "lib")
    compileall.compile_dir(
        library,
        quiet=1,
        stripdir=str(tree),
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )


def _libraries(users: Sequence[Path], folder: Path) -> None:
    """Copy the shared libraries that ``users`` need, the C library and its loader included."""
    found: dict[str, str] = {}
    for user in users:
        found |= _needed_by(str(user))
    known = _printed(["/sbin/ldconfig", "-p"])
    for name in _LIBRARIES:
        where = re.search(rf"^\s*{re.escape(name)} \(libc6,x86-64[^)]*\) => (\S+)", known, re.MULTILINE)
        if where is None:
            raise SystemExit(f"the one file brings {name} with it, and this computer has none")
        found |= {name: where[1]} | _needed_by(where[1])
    for name, path in found.items():
        copied = folder / ("ld.so" if name == _LOADER else name)
        shutil.copyfile(path, copied)
        copied.chmod(0o755)


def _needed_by(user: str) -> dict[str, str]:
    """The paths of the libraries of a program or library, by name."""
    listed = _printed(["ldd", user])
    libraries = dict(re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE))
    loader = re.search(rf"^\s*(/\S+/{re.escape(_LOADER)})", listed, re.MULTILINE)
    return libraries | ({_LOADER: loader[1]} if loader is not None else {})


def _printed(argv: Sequence[str]) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def archive_of(tree: Path) -> bytes:
    """The tree as a compressed archive: the same bytes for the same tree."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(tree.rglob("*")):
            tar.add(path, path.relative_to(tree), recursive=False, filter=_of_nobody)
    return gzip.compress(packed.getvalue(), 9, mtime=0)


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
