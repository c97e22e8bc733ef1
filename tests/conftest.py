"""Shared by all tests: where pictures of screens are kept, and what must not show in them."""

import gc
import signal
from pathlib import Path

import pytest
import pytest_textual_snapshot
from hypothesis import settings
from pytest_textual_snapshot import SVGImageExtension
from syrupy.location import PyTestLocation
from textual import constants
from textual.widgets import Input

ROOT = Path(__file__).resolve().parent.parent

_LONGEST_NAME = 80

# Started in the background, or by nohup, everything that the tests start would ignore the signals that they send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Whether a property holds has nothing to do with how busy the machine is.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


def pytest_collection_finish() -> None:
    """Keep what all tests share, as imported modules, out of the garbage collection at the end of each app.

    Each app leaves tens of thousands of objects: to look for garbage after every 700 new ones, as Python does, is a
    tenth of the work.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_make_parametrize_id(val: object) -> str | None:
    """The beginning of a long text names a test as well as all of it, which may be thousands of letters."""
    if isinstance(val, str) and len(val) > _LONGEST_NAME:
        return ascii(val[:_LONGEST_NAME])[1:-1] + "..."
    return None  # as pytest does it


class RootSnapshots(SVGImageExtension):  # type: ignore[misc]  # the plugin is not typed
    """Keeps the pictures in ``snapshots/<test module>/`` at the root of the project."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of one test module, spelled by way of the test's own folder.

        syrupy looks for the test's folder inside this string to know which pictures belong to the tests that
        ran. With a resolved path a run of one test takes its siblings' pictures for leftovers and deletes them.
        """
        folder = Path(test_location.filepath).parent
        to_root = Path(*[".."] * len(folder.relative_to(ROOT).parts))
        return str(folder / to_root / "snapshots" / test_location.basename)


@pytest.fixture(autouse=True)
def still_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the caller's environment, animations and the blinking cursor out of every picture."""
    monkeypatch.setattr(pytest_textual_snapshot, "SVGImageExtension", RootSnapshots)
    for name in ("NO_COLOR", "RAIDTUI_CONSOLE", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    # The plugin imported textual before this file ran, so the variable TEXTUAL_ANIMATIONS would come too late.
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
