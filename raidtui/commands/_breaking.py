"""The tour that breaks an array in the lab: the wrong disk is pulled, another dies and is replaced; the files stay."""

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from raidtui.backends.specfile import write_spec
from raidtui.commands.terminal.narrate import argv_of, do, run, tell
from raidtui.model.errors import StepFailed
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.model.units import MIB, duration

_FIRST, _DYING, _WRONG, _NEW = (f"LAB-{number:04}" for number in range(1, 5))
_PHOTOS: Final = Path("/srv/photos")
_SPEC: Final = Spec(
    name="photos",
    level="raid5",
    members=(_FIRST, _DYING, _WRONG),
    filesystem=FilesystemSpec(type="ext4", label="photos", mountpoint=str(_PHOTOS)),
)
_FILES: Final = 20
_FILE_BYTES: Final = 4 * MIB
_NOTICE_SECONDS: Final = 60.0  # ten are expected; a busy computer takes longer


def break_and_repair() -> int:
    """Run the tour. Raises StepFailed: a step failed, or the files are not the same any more."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="raidtui-tour-") as folder:
        path = Path(folder) / "photos.toml"
        path.write_text(write_spec(_SPEC), encoding="utf-8")
        order = ["apply", str(path), "--erase", ",".join(_SPEC.members), "--wait-sync"]
        do("Build a RAID5 of three virtual disks. It survives the loss of any one of them", order)
    tell(f"Copy {_FILES} photos to it")
    for number in range(_FILES):
        (_PHOTOS / f"{number:02}.jpg").write_bytes(random.randbytes(_FILE_BYTES))
    before = _checksum()
    print(f"The checksum of all photos is {before}.")

    _pull_the_wrong_disk(before)
    do("Which disk was it, and what is to be done?", ["status"])
    do(
        f"Take {_WRONG} back. Only what was written meanwhile is copied; then all is read and compared",
        ["care", _SPEC.name],
    )

    tell(f"Now {_DYING} dies. One disk is missing, and one more failure would lose the photos")
    run("lab", "pull", _DYING)
    run("raidtui", "status")
    _compare(before)

    tell(f"{_NEW} takes its place. Meanwhile the array is in use: photos are read, and more are written")
    with _load() as load:
        run("raidtui", "replace", _DYING, _NEW, "--erase", _NEW)
    print(f"{load.count} photos were read and written meanwhile.")

    tell("Is everything whole again?")
    run("raidtui", "status")
    if any(one["name"] == _SPEC.name for one in _findings()):
        raise StepFailed(f"the tour stopped; something is still wrong with {_SPEC.name}")
    _compare(before)
    print(
        f"\nTwo disks were pulled, and no photo was lost. The tour took {duration(time.monotonic() - begin)}.\n"
        "In 'raidtui lab', x on the Overview breaks disks."
    )
    return 0


def _pull_the_wrong_disk(before: str) -> None:
    tell(f"{_DYING} is to leave. Its light blinks, but somebody pulls its neighbor, {_WRONG}")
    search = subprocess.Popen(
        argv_of(["raidtui", "locate", _DYING]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    said = _Said(search)
    try:
        said.until("light blinks")
        run("lab", "pull", _WRONG)
        said.until("WRONG DISK")
        _compare(before)
        tell(f"Put {_WRONG} back")
        run("lab", "plug", _WRONG)
        said.until("'raidtui status' says")
    finally:
        search.send_signal(signal.SIGINT)
        search.wait()


class _Said:
    """What a command says, shown as it comes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._lines: list[str] = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, args=(process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            print(f"  {line}", end="", flush=True)
            with self._news:
                self._lines.append(line)
                self._news.notify()

    def until(self, words: str) -> None:
        """Wait until it says this. Raises StepFailed: it does not."""
        with self._news:
            if not self._news.wait_for(lambda: any(words in one for one in self._lines), _NOTICE_SECONDS):
                raise StepFailed(f"the tour stopped; raidtui locate did not say {words!r}")


class _Load:
    """Reads and writes photos until it is stopped."""

    def __init__(self) -> None:
        self.count = 0
        self._stop = threading.Event()
        self._problem: OSError | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            while not self._stop.is_set():
                (_PHOTOS / f"{self.count % _FILES:02}.jpg").read_bytes()
                with (_PHOTOS / f"new-{self.count % _FILES:02}.jpg").open("wb") as file:
                    file.write(random.randbytes(_FILE_BYTES))
                    os.fsync(file.fileno())
                self.count += 1
        except OSError as error:
            self._problem = error

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        if self._problem is not None:
            raise StepFailed(f"the tour stopped; a photo could not be read or written: {self._problem}")


@contextlib.contextmanager
def _load() -> Iterator[_Load]:
    load = _Load()
    try:
        yield load
    finally:
        load.stop()


def _checksum() -> str:
    """The checksum of the first photos, read from the disks."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
    total = hashlib.sha256()
    for number in range(_FILES):
        total.update((_PHOTOS / f"{number:02}.jpg").read_bytes())
    return total.hexdigest()[:16]


def _compare(before: str) -> None:
    tell("Are all photos still there?")
    now = _checksum()
    if now != before:
        raise StepFailed(f"the tour stopped; the checksum of all photos is {now}, and it was {before}")
    print(f"Yes: their checksum is {now}, as before.", flush=True)


def _findings() -> list[dict[str, object]]:
    """What raidtui finds wrong on this computer."""
    done = subprocess.run(
        [sys.executable, "-m", "raidtui", "care", "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise StepFailed(f"the tour stopped; 'raidtui care' ended with exit code {done.returncode}")
    found: list[dict[str, object]] = json.loads(done.stdout)["findings"]
    return found
