"""The system image of QEMU guests: made once by a recipe, and kept in the user's cache by the recipe's hash."""

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
from raidtui.model.errors import BadInput, Refused, StepFailed, ToolMissing
from raidtui.model.text import listed
from raidtui.model.units import GIB, binary

_PYTHONS: Final = {"bookworm": (3, 11), "trixie": (3, 13)}
"""The Debian releases that the recipe supports, and the Python of each."""
RELEASE: Final = "RAIDTUI_LAB_RELEASE"
_HERE: Final = Path(__file__).parent
_RECIPE: Final = (_HERE / "recipe.sh", _HERE / "image.sh")
_ROOM: Final = 5 * GIB
_STEP: Final = b"step: "


@dataclass(frozen=True, slots=True)
class Image:
    """A complete image."""

    folder: Path

    @property
    def root(self) -> Path:
        """The system disk: ext4, never written to."""
        return self.folder / "root.img"

    @property
    def boot(self) -> Path:
        """The contents of /boot, including the initramfs under Debian's name."""
        return self.folder / "boot"

    @property
    def kernel(self) -> Path:
        """The uncompressed kernel."""
        return self.folder / "vmlinux"


def cache_folder() -> Path:
    """Where images are kept: raidtui's folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "raidtui"


def release() -> str:
    """The Debian release of the guest: the host's, so that both have the same Python, else the oldest.

    The variable `RELEASE` of the environment chooses another, for its kernel and its tools.

    Raises:
        BadInput: the recipe does not support that one.
    """
    if chosen := os.environ.get(RELEASE, ""):
        if chosen not in _PYTHONS:
            raise BadInput(f"{RELEASE}={chosen!r}: the guest can be {listed([*_PYTHONS])}")
        return chosen
    try:
        here = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        here = ""
    return here if here in _PYTHONS else next(iter(_PYTHONS))


def check_python() -> None:
    """Check that the guest can run the Python that runs here: it sees the host's files, but not its system's.

    Raises:
        ToolMissing: the guest has another version of Python.
    """
    ours, theirs = sys.version_info[:2], _PYTHONS[release()]
    if ours != theirs and Path(sys.executable).resolve().is_relative_to("/usr"):
        raise ToolMissing(
            f"the guest has Python {theirs[0]}.{theirs[1]}, and raidtui runs on the system's {ours[0]}.{ours[1]}; "
            "use a Python outside /usr, such as pyenv's"
        )


def recipe_hash() -> str:
    """A hash of the recipe and the release."""
    text = b"\0".join([release().encode(), *(path.read_bytes() for path in _RECIPE)])
    return hashlib.sha256(text).hexdigest()[:16]


def find_image() -> Image:
    """The image of this recipe; make it if it is not in the cache.

    Raises:
        ToolMissing: a program to make it is not installed, or the guest would have another Python.
        Refused: there is no room for it.
        StepFailed: it could not be made; the log is kept.
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
            if not image.folder.is_dir():  # another process may have made it meanwhile
                _make(image)
    except OSError as error:
        raise Refused(f"no image can be kept in {cache}: {error.strerror}") from error
    return image


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock; wait while another process makes the image."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another process is making the image of the guest; waiting for it ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(image: Image) -> None:
    """Make the image in a temporary folder, and move it into place when it is complete."""
    begin = time.monotonic()
    cache = image.folder.parent
    for left in cache.glob("making-*"):  # left by a killed process: we have the lock
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
    """Run the recipe; write its output to ``log`` and show its steps."""
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
            # End the whole group: a killed shell would leave mmdebstrap and the compiler running.
            os.killpg(process.pid, signal.SIGTERM)
            raise
    if code:
        raise StepFailed(f"the image of the guest could not be made (exit code {code}); see {log}")


def _say(text: str) -> None:
    start = "\r\x1b[K" if sys.stderr.isatty() else ""  # "Starting a guest" may be on this line
    print(f"{start}raidtui: {text}", file=sys.stderr, flush=True)
