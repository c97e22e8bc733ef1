"""Shared by all tests: the place of snapshots, and what must not affect them."""

import atexit
import gc
import itertools
import os
import shutil
import signal
import tempfile
from collections import defaultdict
from math import inf
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
_QUICK_VARIATIONS = 2

# This computer's own state must neither change a test nor be changed by one. A cache is no state: making the image of
# a guest takes minutes.
os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
HOME = Path(tempfile.mkdtemp(prefix="raidtui-tests-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {
    "HOME": str(HOME),
    **{f"XDG_{name}": str(HOME / name.lower()) for name in ("STATE_HOME", "CONFIG_HOME", "DATA_HOME")},
    "XDG_RUNTIME_DIR": str(HOME / "run"),
}
for name in ("RAIDTUI_STATE", "RAIDTUI_RUN"):
    os.environ.pop(name, None)
_NUMBERS = itertools.count()
_IN_GUESTS = {"kernel", "vm", "campaign"}  # there /var/lib/raidtui is the guest's own

# Restore these signals: if pytest runs in the background or under nohup, processes of the tests would ignore them.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# No deadline: a busy machine must not fail a property test.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run every variation of every test")
    parser.addoption("--part", choices=["quick", "slow"], help="run only the quick tests, or only the others")


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Deselect all but the ``first`` variations of each test with this mark, which repeat the same code path, or single
    ones that are not among the first 0; and what is not in the part."""
    long, part = config.getoption("--long"), config.getoption("--part")
    variations: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        variations[item.nodeid.partition("[")[0]].append(item)
    chosen: set[pytest.Item] = set()
    for group in variations.values():
        ran = [item for number, item in enumerate(group) if long or number < _first(item)]
        quick = _quick_ones(ran) if ran else set()
        chosen |= {item for item in ran if part is None or (part == "quick") == (item in quick)}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _first(item: pytest.Item) -> float:
    """How many variations of its test run, as far as this one says."""
    mark = item.get_closest_marker("first")
    return inf if mark is None else float(mark.args[0])


def _quick_ones(variations: list[pytest.Item]) -> set[pytest.Item]:
    """Those in the quick part: every picture; of each other test that is not marked ``slow`` a few variations, spread
    evenly over all."""
    one, count = variations[0], len(variations)
    if one.get_closest_marker("slow") is not None:
        return set()
    if count <= _QUICK_VARIATIONS or "snap_compare" in getattr(one, "fixturenames", ()):
        return set(variations)
    return {variations[number * count // _QUICK_VARIATIONS] for number in range(_QUICK_VARIATIONS)}


def pytest_collection_finish() -> None:
    """Exclude shared objects, such as imported modules, from garbage collection, and collect less often.

    Each app leaves tens of thousands of objects: a collection after every 700 new ones, Python's default, takes a
    tenth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Exclude what is left from garbage collection: pytest collects five times at the end, of millions of objects."""
    gc.freeze()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Shorten long strings in test ids, which may have thousands of characters."""
    if isinstance(val, str) and len(val) > _LONGEST_NAME:
        return ascii(val[:_LONGEST_NAME])[1:-1] + "..."
    return None  # pytest's default


class RootSnapshots(SVGImageExtension):  # type: ignore[misc]  # the plugin is not typed
    """Keeps the snapshots in ``snapshots/<test module>/`` at the root of the project."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of a test module, as a path that starts with the test's own folder.

        syrupy searches this string for the test's folder to find the snapshots of the tests that ran. With a
        resolved path, a run of one test treats the snapshots of the others as unused and deletes them.
        """
        folder = Path(test_location.filepath).parent
        to_root = Path(*[".."] * len(folder.relative_to(ROOT).parts))
        return str(folder / to_root / "snapshots" / test_location.basename)


@pytest.fixture(autouse=True)
def own_state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test, and the processes that it starts, a state folder of its own; it does not exist yet."""
    if _IN_GUESTS.isdisjoint(request.path.parts):
        folder = HOME / str(next(_NUMBERS))
        monkeypatch.setenv("RAIDTUI_STATE", str(folder / "state"))
        monkeypatch.setenv("RAIDTUI_RUN", str(folder / "run"))


@pytest.fixture(autouse=True)
def still_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the caller's environment, animations and the blinking cursor out of snapshots."""
    monkeypatch.setattr(pytest_textual_snapshot, "SVGImageExtension", RootSnapshots)
    for name in ("NO_COLOR", "RAIDTUI_CONSOLE", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    # The plugin has already imported textual: the variable TEXTUAL_ANIMATIONS would be too late.
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
