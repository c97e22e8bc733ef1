"""The image that QEMU guests run: made once by a recipe, kept in the user's cache under the recipe's hash."""

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidtui.lab.qemu import host
from raidtui.model.errors import Refused, StepFailed, ToolMissing
from raidtui.model.units import GIB, binary

_PYTHONS: Final = {"bookworm": (3, 11), "trixie": (3, 13)}
"""The Debian releases that the recipe makes, and the Python of each."""
_HERE: Final = Path(__file__).parent
_RECIPE: Final = (_HERE / "recipe.sh", _HERE / "image.sh")
_ROOM: Final = 5 * GIB
_STEP: Final = b"step: "


@dataclass(frozen=True, slots=True)
class Image:
    """An image that is whole."""

    folder: Path

    @property
    def root(self) -> Path:
        """The system disk: ext4, never written to."""
        return self.folder / "root.img"

    @property
    def boot(self) -> Path:
        """What /boot holds: the initramfs among it, by the name that Debian gives it."""
        return self.folder / "boot"

    @property
    def kernel(self) -> Path:
        """The kernel, not compressed."""
        return self.folder / "vmlinux"


def cache_folder() -> Path:
    """Where images are kept: raidtui's folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "raidtui"


def release() -> str:
    """The Debian release inside: that of the host, whose Python is then the guest's too; else the oldest."""
    try:
        here = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        here = ""
    return here if here in _PYTHONS else next(iter(_PYTHONS))


def check_python() -> None:
    """See that the guest can run what runs here: of the host's files it has all but the system's own.

    Raises:
        ToolMissing: it has another Python.
    """
    ours, theirs = sys.version_info[:2], _PYTHONS[release()]
    if ours != theirs and Path(sys.executable).resolve().is_relative_to("/usr"):
        raise ToolMissing(
            f"the guest has Python {theirs[0]}.{theirs[1]}, and raidtui runs on the system's {ours[0]}.{ours[1]}; "
            "use a Python outside /usr, such as pyenv's"
        )


def recipe_hash() -> str:
    """Changes with every word of the recipe, and with the release."""
    text = b"\0".join([release().encode(), *(path.read_bytes() for path in _RECIPE)])
    return hashlib.sha256(text).hexdigest()[:16]


def find_image() -> Image:
    """The image of this recipe, made now if it is not in the cache.

    Raises:
        ToolMissing: a program that makes it is not installed, or the guest would have another Python.
        Refused: there is no room for it.
        StepFailed: it could not be made; the log of that is kept.
    """
    check_python()
    cache = cache_folder()
    image = Image(cache / f"image-{recipe_hash()}")
    if image.folder.is_dir():
        return image
    host.check_image_tools()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(cache).free
        if free < _ROOM:
            raise Refused(f"{cache} has {binary(free)} free; making the image takes {binary(_ROOM)}")
        with _lock(cache / "image.lock"):
            if not image.folder.is_dir():  # another one may have made it meanwhile
                _make(image)
    except OSError as error:
        raise Refused(f"no image can be kept in {cache}: {error.strerror}") from error
    return image


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock, waiting for whoever makes an image now."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("somebody else is making the image of the guest; waiting for it ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(image: Image) -> None:
    """Make it beside its place, and move it there when it is whole."""
    begin = time.monotonic()
    cache = image.folder.parent
    for left in cache.glob("making-*"):  # by someone who was killed: we have the lock
        shutil.rmtree(left, ignore_errors=True)
    half = Path(tempfile.mkdtemp(prefix="making-", dir=cache))
    log = cache / "image.log"
    try:
        _say(f"making the image of the guest (Debian {release()}), once; it takes some minutes ...")
        (half / "boot").mkdir()
        _run_recipe(half, log)
        half.chmod(0o755)
        half.rename(image.folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    size = image.root.stat().st_blocks * 512
    _say(f"the image is in {image.folder}: {binary(size)}, made in {time.monotonic() - begin:.0f} s")


def _run_recipe(folder: Path, log: Path) -> None:
    """Run it to its end; all that it prints goes to ``log``, and its steps are shown."""
    with (
        log.open("wb", buffering=0) as text,
        subprocess.Popen(
            ["sh", str(_RECIPE[0]), release(), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ) | {"PATH": host.SEARCH, "LC_ALL": "C"},
            process_group=0,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                text.write(line)
                if line.startswith(_STEP):
                    _say(f"  {line.removeprefix(_STEP).decode().strip()} ...")
            code = process.wait()
        except BaseException:
            # The whole group: a shell that dies leaves mmdebstrap and the compiler running.
            os.killpg(process.pid, signal.SIGTERM)
            raise
    if code:
        raise StepFailed(f"the image of the guest could not be made (exit code {code}); see {log}")


def _say(text: str) -> None:
    start = "\r\x1b[K" if sys.stderr.isatty() else ""  # where "Starting a guest" may stand
    print(f"{start}raidtui: {text}", file=sys.stderr, flush=True)
