"""Until the first picture, the screens do without what costs time and gives nothing yet."""

import gc
import sys
from typing import cast


def hasten() -> None:
    """Start without the cyclic garbage collector and without ssl, some 4 % of the time each.

    Call it before anything of the screens is imported. The collector would traverse again and again what is only
    being made. asyncio takes ssl with its libraries where it finds it, and the screens open no connection; a later
    import finds it.
    """
    gc.disable()
    if "ssl" not in sys.modules and "asyncio" not in sys.modules:
        modules = cast("dict[str, object]", sys.modules)
        modules["ssl"] = None  # as in a Python that was built without it
        try:
            import asyncio  # noqa: F401
        finally:
            del modules["ssl"]


def collect_again() -> None:
    """Turn the garbage collector on again; what was made so far stays, and is not traversed."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
